/// Reads a pcapng file block by block, as its bytes arrive, in either byte order.
///
/// It keeps one unfinished block and the interfaces of the section.
public struct PcapngReader: Sendable {
  private var buffer: [UInt8] = []
  private var position = 0
  private var bufferOffset = 0
  private var byteOrder: PcapngByteOrder?
  /// The interfaces of the section so far.
  public private(set) var interfaces: [PcapngInterface] = []

  /// Longest block in bytes that is read; Wireshark's own limit.
  public static let longestBlock = 16 << 20
  /// Most interfaces of one section.
  public static let mostInterfaces = 1_024
  /// Block type of a section header.
  public static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
  static let interfaceDescription: UInt32 = 1
  static let enhancedPacket: UInt32 = 6

  /// Makes a reader at the start of a file.
  public init() {}

  /// Where the next block begins in the file.
  public var offset: Int { bufferOffset + position }

  /// How many bytes of an unfinished block have come.
  public var pendingCount: Int { buffer.count - position }

  /// Takes the next piece of the file.
  public mutating func append(_ chunk: ArraySlice<UInt8>) {
    if position > 0 {
      buffer.removeFirst(position)
      bufferOffset += position
      position = 0
    }
    buffer.append(contentsOf: chunk)
  }

  /// The next block, or `nil` if it has not come whole.
  public mutating func next() throws(TraceError) -> PcapngItem? {
    guard pendingCount >= 12 else {
      // A first byte that no section has is told at once.
      if byteOrder == nil, let first = buffer.first, first != 0x0A { throw noSection() }
      return nil
    }
    let head = buffer[position..<position + 12]
    if head.number32(at: 0, .little) == Self.sectionHeader {
      byteOrder = try Self.order(ofSection: head, at: offset)
      interfaces.removeAll()
    }
    guard let byteOrder else { throw noSection() }
    let length = Int(head.number32(at: 4, byteOrder))
    guard length >= 12, length % 4 == 0, length <= Self.longestBlock else {
      throw Self.fault(
        offset + 4, found: "a block length of \(length)",
        expected: "a multiple of 4 from 12 to \(Self.longestBlock)")
    }
    guard pendingCount >= length else { return nil }
    let block = buffer[position..<position + length]
    let closing = Int(block.number32(at: length - 4, byteOrder))
    guard closing == length else {
      throw Self.fault(
        offset + length - 4, found: "a closing length of \(closing)",
        expected: "\(length), as at the start of the block")
    }
    let item = try read(block, byteOrder)
    position += length
    return item
  }

  private mutating func read(
    _ block: ArraySlice<UInt8>, _ order: PcapngByteOrder
  ) throws(TraceError) -> PcapngItem {
    let type = block.number32(at: 0, order)
    switch type {
    case Self.enhancedPacket: return .packet(try packet(block, order))
    case Self.interfaceDescription:
      let interface = try interface(block, order)
      guard interfaces.count < Self.mostInterfaces else {
        throw Self.fault(
          offset, found: "more than \(Self.mostInterfaces) interfaces",
          expected: "a section with fewer of them")
      }
      interfaces.append(interface)
      return .interface(interface)
    case Self.sectionHeader:
      guard block.count >= 28, block.number16(at: 12, order) == 1 else {
        throw Self.fault(
          offset, found: "a section header of another version", expected: "pcapng version 1.0")
      }
      return .section(order)
    default:
      return .block(
        PcapngBlock(
          type: type, body: block.dropFirst(8).dropLast(4), offset: offset, byteOrder: order))
    }
  }

  private func packet(
    _ block: ArraySlice<UInt8>, _ order: PcapngByteOrder
  ) throws(TraceError) -> PcapngPacket {
    guard block.count >= 32 else {
      throw Self.fault(
        offset + 4, found: "a packet block of \(block.count) bytes", expected: "at least 32")
    }
    let interface = Int(block.number32(at: 8, order))
    guard interface < interfaces.count else {
      throw Self.fault(
        offset + 8, found: "a packet of interface \(interface)",
        expected: "one of the \(interfaces.count) interfaces in front of it")
    }
    let length = Int(block.number32(at: 20, order))
    guard length <= block.count - 32 else {
      throw Self.fault(
        offset + 20, found: "a packet of \(length) bytes",
        expected: "at most \(block.count - 32), the room in its block")
    }
    let start = block.startIndex + 28
    let optionsStart = start + (length + 3) / 4 * 4
    let timestamp =
      UInt64(block.number32(at: 12, order)) << 32 | UInt64(block.number32(at: 16, order))
    return PcapngPacket(
      interface: interface, timestamp: timestamp, data: block[start..<start + length],
      originalLength: Int(block.number32(at: 24, order)),
      options: PcapngOptions(
        bytes: block[optionsStart..<block.endIndex - 4],
        offset: offset + optionsStart - block.startIndex, byteOrder: order),
      offset: offset)
  }

  private func interface(
    _ block: ArraySlice<UInt8>, _ order: PcapngByteOrder
  ) throws(TraceError) -> PcapngInterface {
    guard block.count >= 20 else {
      throw Self.fault(
        offset + 4, found: "an interface block of \(block.count) bytes", expected: "at least 20")
    }
    var interface = PcapngInterface(
      linkType: block.number16(at: 8, order), snapLength: block.number32(at: 12, order),
      resolution: 6)
    var options = PcapngOptions(
      bytes: block.dropFirst(16).dropLast(4), offset: offset + 16, byteOrder: order)
    while let (code, value) = try options.next() {
      switch (code, value.count) {
      case (9, 1): interface.resolution = value[value.startIndex]
      case (14, 8): interface.offsetSeconds = Int64(bitPattern: value.number64(at: 0, order))
      default: break
      }
    }
    return interface
  }

  private static func order(
    ofSection head: ArraySlice<UInt8>, at offset: Int
  ) throws(TraceError) -> PcapngByteOrder {
    if head.number32(at: 8, .little) == byteOrderMagic { return .little }
    if head.number32(at: 8, .big) == byteOrderMagic { return .big }
    throw fault(
      offset + 8, found: "no byte order mark", expected: "1A 2B 3C 4D in either byte order")
  }

  private func noSection() -> TraceError {
    Self.fault(
      offset, found: "no section header", expected: "0A 0D 0D 0A at the start of a pcapng file")
  }

  /// A fault in a pcapng file.
  static func fault(_ offset: Int, found: String, expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .byte(offset), found: found, expected: expected,
        remedy: "check the file with `capinfos`; record or convert it again if it is damaged"))
  }
}
