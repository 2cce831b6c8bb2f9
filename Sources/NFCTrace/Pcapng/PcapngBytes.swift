/// The byte order of a pcapng section.
public enum PcapngByteOrder: UInt8, Hashable, Sendable {
  /// Least significant byte first, as almost all writers do.
  case little
  /// Most significant byte first.
  case big
}

extension ArraySlice<UInt8> {
  /// The number of 16 bits at an offset from the start of the slice.
  func number16(at offset: Int, _ order: PcapngByteOrder) -> UInt16 {
    let first = UInt16(self[startIndex + offset])
    let second = UInt16(self[startIndex + offset + 1])
    return order == .little ? second << 8 | first : first << 8 | second
  }

  /// The number of 32 bits at an offset from the start of the slice.
  func number32(at offset: Int, _ order: PcapngByteOrder) -> UInt32 {
    let first = UInt32(number16(at: offset, order))
    let second = UInt32(number16(at: offset + 2, order))
    return order == .little ? second << 16 | first : first << 16 | second
  }

  /// The number of 64 bits at an offset from the start of the slice.
  func number64(at offset: Int, _ order: PcapngByteOrder) -> UInt64 {
    let first = UInt64(number32(at: offset, order))
    let second = UInt64(number32(at: offset + 4, order))
    return order == .little ? second << 32 | first : first << 32 | second
  }
}

extension [UInt8] {
  /// Appends a number of `count` bytes.
  mutating func append(_ number: UInt64, count: Int, _ order: PcapngByteOrder) {
    for index in 0..<count {
      let shift = UInt64(8 * (order == .little ? index : count - 1 - index))
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Appends a number of 16 bits.
  mutating func append16(_ number: UInt16, _ order: PcapngByteOrder) {
    append(UInt64(number), count: 2, order)
  }

  /// Appends a number of 32 bits.
  mutating func append32(_ number: UInt32, _ order: PcapngByteOrder) {
    append(UInt64(number), count: 4, order)
  }

  /// Overwrites a number of 32 bits.
  mutating func put32(_ number: UInt32, at offset: Int, _ order: PcapngByteOrder) {
    for index in 0..<4 {
      let shift = UInt32(8 * (order == .little ? index : 3 - index))
      self[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }

  /// Appends zeros up to the next multiple of four behind `start`.
  mutating func pad(from start: Int) {
    while (count - start) % 4 != 0 { append(0) }
  }
}
