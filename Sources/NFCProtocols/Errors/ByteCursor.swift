/// A place in bytes that are being decoded; every step is checked.
struct ByteCursor {
  /// What is being decoded, for errors.
  let element: String
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>, _ element: String) {
    self.element = element
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Bytes passed so far.
  var offset: Int { position - bytes.startIndex }

  /// Bytes that are left.
  var remaining: Int { bytes.endIndex - position }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// The next byte without passing it.
  var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  mutating func byte() throws(ProtocolError) -> UInt8 {
    guard position < bytes.endIndex else {
      throw .truncated(element: element, offset: offset, missing: 1)
    }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func take(_ count: Int) throws(ProtocolError) -> ArraySlice<UInt8> {
    precondition(count >= 0, "a decoder asked for a negative number of bytes")
    guard count <= remaining else {
      throw .truncated(element: element, offset: offset + remaining, missing: count - remaining)
    }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  mutating func array(_ count: Int) throws(ProtocolError) -> [UInt8] { Array(try take(count)) }

  /// All that is left.
  mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }

  mutating func bigEndian16() throws(ProtocolError) -> UInt16 {
    let pair = try take(2)
    return UInt16(pair[pair.startIndex]) << 8 | UInt16(pair[pair.startIndex + 1])
  }

  mutating func littleEndian16() throws(ProtocolError) -> UInt16 {
    try bigEndian16().byteSwapped
  }

  mutating func bigEndian32() throws(ProtocolError) -> UInt32 {
    let high = try bigEndian16()
    return UInt32(high) << 16 | UInt32(try bigEndian16())
  }

  /// Passes one byte that can only have one value.
  mutating func expect(_ value: UInt8, _ meaning: String) throws(ProtocolError) {
    let found = try byte()
    guard found == value else {
      throw .badValue(element: element, offset: offset - 1, found: found, expected: meaning)
    }
  }

  /// Checks that nothing is left.
  func end() throws(ProtocolError) {
    guard isAtEnd else {
      throw .trailingBytes(element: element, offset: offset, count: remaining)
    }
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func append(bigEndian value: UInt32) {
    append(bigEndian: UInt16(truncatingIfNeeded: value >> 16))
    append(bigEndian: UInt16(truncatingIfNeeded: value))
  }

  mutating func append(littleEndian value: UInt16) {
    append(bigEndian: value.byteSwapped)
  }
}
