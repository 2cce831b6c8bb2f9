/// Writes one JSON value on one line, member by member, into a text buffer.
///
/// Commas and escapes come by themselves; the caller opens and closes objects and lists in pairs.
public struct JSONLineWriter: Sendable {
  /// The text so far.
  public var buffer: TextBuffer
  /// True if the next member or element needs a comma in front.
  private var needsComma = false

  /// Makes a writer that continues a buffer.
  public init(_ buffer: TextBuffer = TextBuffer()) { self.buffer = buffer }

  /// Begins an object, as an element of a list or at the top.
  public mutating func beginObject() {
    separate()
    buffer.append(ascii: 0x7B)
    needsComma = false
  }

  /// Begins an object under a key.
  public mutating func beginObject(_ key: String) {
    write(key: key)
    buffer.append(ascii: 0x7B)
    needsComma = false
  }

  /// Ends an object.
  public mutating func endObject() {
    buffer.append(ascii: 0x7D)
    needsComma = true
  }

  /// Begins a list under a key.
  public mutating func beginList(_ key: String) {
    write(key: key)
    buffer.append(ascii: 0x5B)
    needsComma = false
  }

  /// Ends a list.
  public mutating func endList() {
    buffer.append(ascii: 0x5D)
    needsComma = true
  }

  /// Writes an element that is a text.
  public mutating func element(_ text: String) {
    separate()
    write(text)
    needsComma = true
  }

  /// Writes an element that is a number.
  public mutating func element(_ number: Int64) {
    separate()
    buffer.append(decimal: number)
    needsComma = true
  }

  /// Writes a member that is a text, or `null`.
  public mutating func member(_ key: String, _ text: String?) {
    write(key: key)
    if let text { write(text) } else { buffer.append("null") }
    needsComma = true
  }

  /// Writes a member that is a number, or `null`.
  public mutating func member(_ key: String, _ number: Int64?) {
    write(key: key)
    if let number { buffer.append(decimal: number) } else { buffer.append("null") }
    needsComma = true
  }

  /// Writes a member that is a number.
  public mutating func member(_ key: String, _ number: Int) { member(key, Int64(number)) }

  /// Writes a member that is true or false, or `null`.
  public mutating func member(_ key: String, _ flag: Bool?) {
    write(key: key)
    switch flag {
    case true?: buffer.append("true")
    case false?: buffer.append("false")
    case nil: buffer.append("null")
    }
    needsComma = true
  }

  /// Writes a member that is bytes, as lower-case hexadecimal digits.
  public mutating func member(_ key: String, hex bytes: [UInt8]) {
    write(key: key)
    buffer.append(ascii: 0x22)
    buffer.append(compactHex: bytes)
    buffer.append(ascii: 0x22)
    needsComma = true
  }

  /// Ends the line.
  public mutating func endLine() {
    buffer.append(ascii: 0x0A)
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { buffer.append(ascii: 0x2C) }
  }

  private mutating func write(key: String) {
    separate()
    write(key)
    buffer.append(ascii: 0x3A)
  }

  /// Writes a text in quotation marks (RFC 8259, 7).
  private mutating func write(_ text: String) {
    buffer.append(ascii: 0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C:
        buffer.append(ascii: 0x5C)
        buffer.append(ascii: byte)
      case 0x0A: buffer.append("\\n")
      case 0x0D: buffer.append("\\r")
      case 0x09: buffer.append("\\t")
      case 0..<0x20:
        buffer.append("\\u00")
        buffer.append(hex: byte, lowercase: true)
      default: buffer.append(ascii: byte)
      }
    }
    buffer.append(ascii: 0x22)
  }
}
