/// A place in the body of a frame, for decoders that say what they miss and where.
struct BodyReader {
  let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: [UInt8], from position: Int = 0) {
    self.init(bytes[...], from: position)
  }

  init(_ bytes: ArraySlice<UInt8>, from position: Int) {
    self.bytes = bytes
    self.position = min(position, bytes.endIndex)
  }

  var remaining: Int { bytes.endIndex - position }
  var isAtEnd: Bool { remaining == 0 }

  /// The next byte without going on, if there is one.
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  mutating func byte(_ field: PN53xError.ExpectedField) throws(PN53xError) -> UInt8 {
    guard position < bytes.endIndex else { throw .truncated(offset: position, expected: field) }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func bytes(
    _ count: Int, _ field: PN53xError.ExpectedField
  ) throws(PN53xError) -> [UInt8] {
    guard count <= remaining else { throw .truncated(offset: bytes.endIndex, expected: field) }
    defer { position += count }
    return Array(bytes[position..<(position + count)])
  }

  /// The next byte, if there is one.
  mutating func optionalByte() -> UInt8? {
    guard position < bytes.endIndex else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Everything that is left.
  mutating func rest() -> [UInt8] {
    defer { position = bytes.endIndex }
    return Array(bytes[position...])
  }

  /// Checks that nothing is left.
  func end() throws(PN53xError) {
    guard isAtEnd else { throw .trailingBytes(offset: position, count: remaining) }
  }
}
