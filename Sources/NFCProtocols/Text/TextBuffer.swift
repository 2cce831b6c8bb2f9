/// Text under construction as UTF-8 bytes, for paths where making strings would cost too much.
public struct TextBuffer: Sendable {
  /// The bytes written so far.
  public var bytes: [UInt8]

  /// Makes an empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Forgets the content and keeps the room.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// The content as a string.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends one ASCII character.
  @inlinable
  public mutating func append(ascii character: UInt8) { bytes.append(character) }

  /// Appends a literal without making a string of it.
  public mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a string.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends the two hexadecimal digits of a byte, upper case unless told otherwise.
  @inlinable
  public mutating func append(hex byte: UInt8, lowercase: Bool = false) {
    let letters: UInt8 = lowercase ? 0x57 : 0x37
    let high = byte >> 4
    let low = byte & 0x0F
    bytes.append(high < 10 ? high + 0x30 : high + letters)
    bytes.append(low < 10 ? low + 0x30 : low + letters)
  }

  /// Appends bytes as upper-case hexadecimal pairs with one blank between them.
  public mutating func append(hexPairs content: [UInt8]) {
    for (index, byte) in content.enumerated() {
      if index > 0 { bytes.append(0x20) }
      append(hex: byte)
    }
  }

  /// Appends bytes as lower-case hexadecimal digits without blanks.
  public mutating func append(compactHex content: [UInt8]) {
    for byte in content { append(hex: byte, lowercase: true) }
  }

  /// Appends a decimal number, padded on the left with `pad` to at least `width` characters.
  public mutating func append(
    decimal number: Int64, width: Int = 0, pad: UInt8 = 0x20
  ) {
    var magnitude = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: magnitude % 10) + 0x30)
      magnitude /= 10
    } while magnitude > 0
    if number < 0 { bytes.append(0x2D) }
    while bytes.count - start < width { bytes.append(pad) }
    bytes[start...].reverse()
  }

  /// Appends `count` copies of one ASCII character; nothing if `count` is not positive.
  public mutating func append(repeating character: UInt8, count: Int) {
    guard count > 0 else { return }
    for _ in 0..<count { bytes.append(character) }
  }
}
