/// Base64 (RFC 4648, 4) that comes in pieces.
struct Base64Collector {
  private(set) var bytes: [UInt8] = []
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var padding = 0
  private var characters = 0

  /// Adds a piece; false if it holds a character that is no base64, or data after padding.
  mutating func append(_ text: ArraySlice<UInt8>) -> Bool {
    for character in text {
      if character == 0x3D {
        padding += 1
        guard padding <= 2 else { return false }
        continue
      }
      guard padding == 0, let value = Self.value(of: character) else { return false }
      characters += 1
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= (1 << UInt32(bitCount)) - 1
      }
    }
    return true
  }

  /// True if the text is whole: groups of four with the padding, or padding left off.
  var isWhole: Bool {
    let rest = characters % 4
    if rest == 1 { return false }
    return padding == 0 || (characters + padding).isMultiple(of: 4)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
