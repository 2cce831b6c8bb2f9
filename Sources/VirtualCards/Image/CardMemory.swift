/// The memory of a card in pages or blocks of one size, with a note of which bits are known.
///
/// Unknown bits read as 0; `isKnown` tells them from a real 0.
public struct CardMemory: Hashable, Sendable {
  /// Bytes in a page or block.
  public let unitSize: Int
  /// All bytes in order; unknown bits are 0.
  public private(set) var bytes: [UInt8]
  /// For each byte the bits that are known.
  public private(set) var knownBits: [UInt8]

  /// The most bytes that a memory may have: 256 blocks of 256 bytes, more than any card here has.
  public static let byteLimit = 65_536

  /// Makes a memory of known bytes; the last unit is filled up with unknown ones.
  public init(unitSize: Int, bytes: [UInt8] = []) {
    precondition(unitSize > 0, "a page or block has at least one byte")
    precondition(bytes.count <= Self.byteLimit, "a card memory holds at most 65536 bytes")
    self.unitSize = unitSize
    self.bytes = bytes
    knownBits = [UInt8](repeating: 0xFF, count: bytes.count)
    let rest = bytes.count % unitSize
    if rest > 0 { grow(to: bytes.count / unitSize + 1) }
  }

  /// Makes a memory of `unitCount` units of which nothing is known.
  public init(unitSize: Int, unitCount: Int) {
    self.init(unitSize: unitSize)
    grow(to: unitCount)
  }

  /// The number of pages or blocks.
  public var unitCount: Int { bytes.count / unitSize }

  /// True if there is nothing.
  public var isEmpty: Bool { bytes.isEmpty }

  /// The bytes of one page or block.
  public subscript(unit: Int) -> ArraySlice<UInt8> { bytes[range(of: unit)] }

  /// True if every bit of one page or block is known.
  public func isKnown(_ unit: Int) -> Bool { knownBits[range(of: unit)].allSatisfy { $0 == 0xFF } }

  /// True if every bit of the byte at `offset` is known.
  public func isKnown(byteAt offset: Int) -> Bool { knownBits[offset] == 0xFF }

  /// The number of pages or blocks of which every bit is known.
  public var knownUnitCount: Int { (0..<unitCount).count { isKnown($0) } }

  /// Makes room for at least `unitCount` units; new ones are unknown.
  public mutating func grow(to unitCount: Int) {
    let count = unitCount * unitSize
    precondition(count <= Self.byteLimit, "a card memory holds at most 65536 bytes")
    guard count > bytes.count else { return }
    let added = count - bytes.count
    bytes.append(contentsOf: [UInt8](repeating: 0, count: added))
    knownBits.append(contentsOf: [UInt8](repeating: 0, count: added))
  }

  /// Sets known bytes from the start of one page or block.
  public mutating func set(_ unit: Int, to content: [UInt8]) {
    set(unit, to: content, knownBits: [UInt8](repeating: 0xFF, count: content.count))
  }

  /// Sets bytes from the start of one page or block, of which only some bits are known.
  public mutating func set(_ unit: Int, to content: [UInt8], knownBits mask: [UInt8]) {
    precondition(content.count <= unitSize, "the content does not fit into one page or block")
    precondition(content.count == mask.count, "a mask has one byte for each byte of content")
    let start = range(of: unit).lowerBound
    for (index, byte) in content.enumerated() {
      bytes[start + index] = byte & mask[index]
      knownBits[start + index] = mask[index]
    }
  }

  /// Sets one known byte.
  public mutating func set(byteAt offset: Int, to byte: UInt8) {
    bytes[offset] = byte
    knownBits[offset] = 0xFF
  }

  private func range(of unit: Int) -> Range<Int> {
    precondition(unit >= 0 && unit < unitCount, "the memory has no page or block of that number")
    return (unit * unitSize)..<((unit + 1) * unitSize)
  }
}
