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
  public mutating func removeAll() {
    if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
  }

  /// The content as a string.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends one ASCII character.
  @inlinable
  public mutating func append(ascii character: UInt8) { bytes.append(character) }

  /// Appends a literal without making a string of it.
  public mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a string; literals go the quicker way above, which the attribute makes the first one.
  @_disfavoredOverload
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends bytes as they are.
  public mutating func append(bytes content: borrowing Span<UInt8>) {
    // The pointer is used only while the span lends it.
    unsafe content.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

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
    append(hexPairs: content.span, columns: 0)
  }

  /// Appends bytes as upper-case hexadecimal pairs with one blank between them, and blanks up to
  /// at least `columns` characters.
  public mutating func append(hexPairs content: borrowing Span<UInt8>, columns: Int) {
    append(content, lettersAfterDigits: 0x07, charactersPerByte: 3)
    append(repeating: 0x20, count: columns - max(content.count * 3 - 1, 0))
  }

  /// Appends bytes as lower-case hexadecimal digits without blanks.
  public mutating func append(compactHex content: [UInt8]) {
    append(content.span, lettersAfterDigits: 0x27, charactersPerByte: 2)
  }

  /// Appends bytes as upper-case hexadecimal digits without blanks.
  mutating func append(solidHex content: ArraySlice<UInt8>) {
    append(content.span, lettersAfterDigits: 0x07, charactersPerByte: 2)
  }

  /// Appends hexadecimal pairs, with a blank between them if there are three characters a byte.
  ///
  /// - Parameter gap: How far the digit A stands behind the character after the digit 9.
  private mutating func append(
    _ content: borrowing Span<UInt8>, lettersAfterDigits gap: UInt32, charactersPerByte: Int
  ) {
    guard !content.isEmpty else { return }
    let length = content.count * charactersPerByte
    // The last byte has its blank too, which is not counted.
    bytes.append(addingCapacity: length + 1) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, count in
        var place = 0
        for index in content.indices {
          let byte = UInt32(content[index])
          let digits = byte >> 4 | (byte & 0x0F) << 8
          // 1 in each half whose digit is a letter.
          let letters = ((digits &+ 0x0606) >> 4) & 0x0101
          let pair = digits &+ 0x3030 &+ letters &* gap
          // The room is for three characters from here, since it is one longer than the text.
          unsafe room[place] = UInt8(truncatingIfNeeded: pair)
          unsafe room[place + 1] = UInt8(truncatingIfNeeded: pair >> 8)
          unsafe room[place + 2] = 0x20
          place += charactersPerByte
        }
        count = charactersPerByte == 3 ? length - 1 : length
      }
    }
  }

  /// Appends a decimal number, padded on the left with `pad` to at least `width` characters.
  public mutating func append(
    decimal number: Int64, width: Int = 0, pad: UInt8 = 0x20
  ) {
    var magnitude = number.magnitude
    if magnitude < 10, number >= 0, width <= 1 {
      bytes.append(UInt8(truncatingIfNeeded: magnitude) + 0x30)
      return
    }
    var length = number < 0 ? 2 : 1
    var rest = magnitude / 10
    while rest > 0 {
      length += 1
      rest /= 10
    }
    length = max(length, width)
    bytes.append(addingCapacity: length) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, count in
        // From the last digit to the front; `length` counts the digits, so `place` stays in front.
        var place = length
        repeat {
          place -= 1
          unsafe room[place] = UInt8(truncatingIfNeeded: magnitude % 10) + 0x30
          magnitude /= 10
        } while magnitude > 0
        if number < 0 {
          place -= 1
          unsafe room[place] = 0x2D
        }
        while place > 0 {
          place -= 1
          unsafe room[place] = pad
        }
        count = length
      }
    }
  }

  /// Appends `count` copies of one ASCII character; nothing if `count` is not positive.
  public mutating func append(repeating character: UInt8, count: Int) {
    guard count > 0 else { return }
    bytes.append(addingCapacity: count) { $0.append(repeating: character, count: count) }
  }
}
