/// Hexadecimal text to bytes and back.
public enum Hexadecimal {
  /// The value of an ASCII hexadecimal digit of either case.
  @inlinable
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }

  /// The bytes of a text of hexadecimal pairs; blanks and tabs between pairs are passed over.
  ///
  /// - Returns: `nil` if there is any other character or a pair is torn.
  public static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var high: UInt8?
    for character in text {
      if character == 0x20 || character == 0x09 {
        if high != nil { return nil }
        continue
      }
      guard let digit = value(of: character) else { return nil }
      if let upper = high {
        result.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? result : nil
  }

  /// The bytes of a text of hexadecimal pairs; see `bytes(of:)` for a sequence of characters.
  public static func bytes(of text: String) -> [UInt8]? { bytes(of: text.utf8) }

  /// Upper-case pairs with one blank between them.
  public static func pairs(_ bytes: [UInt8]) -> String {
    var buffer = TextBuffer(capacity: bytes.count * 3)
    buffer.append(hexPairs: bytes)
    return buffer.string
  }
}
