import NFCProtocols

extension TextBuffer {
  /// Appends a text in quotation marks, with escapes for marks, backslashes and control characters.
  mutating func append(quoted text: String) {
    bytes.append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0..<0x20, 0x7F:
        append("\\x")
        append(hex: byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }

  /// Appends a text that ends with the line, in quotation marks only where it must.
  ///
  /// `separator` is a text that would end it earlier.
  mutating func append(value text: String, separator: String? = nil) {
    if QuotedText.isPlain(text, separator: separator) {
      append(text)
    } else {
      append(quoted: text)
    }
  }

  /// Appends a comment: control characters become blanks, blanks at both ends go.
  mutating func append(comment text: String) {
    let start = bytes.count
    for byte in text.utf8 {
      let isControl = byte < 0x20 || byte == 0x7F
      if isControl || byte == 0x20 {
        if bytes.count > start { bytes.append(0x20) }
      } else {
        bytes.append(byte)
      }
    }
    while bytes.count > start, bytes.last == 0x20 { bytes.removeLast() }
  }
}

/// Reading of quoted text.
enum QuotedText {
  /// True if a text needs no quotation marks where it ends with the line or at `separator`.
  static func isPlain(_ text: String, separator: String?) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last, text != "-" else { return false }
    guard first != 0x22, first != 0x20, last != 0x20 else { return false }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return false }
    guard let separator else { return true }
    return !contains(bytes, Array(separator.utf8))
  }

  /// True if `part` stands somewhere in `bytes`.
  static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { start in
      bytes[start..<start + part.count].elementsEqual(part)
    }
  }

  /// Reads a quoted text at the start of `bytes`.
  ///
  /// - Returns: the text and where the rest begins, `nil` if the quotation is not closed or holds
  ///   an unknown escape.
  static func read(_ bytes: ArraySlice<UInt8>) -> (text: String, end: Int)? {
    guard bytes.first == 0x22 else { return nil }
    var content: [UInt8] = []
    var index = bytes.startIndex + 1
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      if byte == 0x22 {
        return (String(decoding: content, as: UTF8.self), index)
      }
      guard byte == 0x5C else {
        content.append(byte)
        continue
      }
      guard index < bytes.endIndex else { return nil }
      let escape = bytes[index]
      index += 1
      switch escape {
      case 0x22, 0x5C: content.append(escape)
      case 0x6E: content.append(0x0A)
      case 0x72: content.append(0x0D)
      case 0x74: content.append(0x09)
      case 0x78:
        guard index + 1 < bytes.endIndex, let high = Hexadecimal.value(of: bytes[index]),
          let low = Hexadecimal.value(of: bytes[index + 1]), high < 8
        else { return nil }
        content.append(high << 4 | low)
        index += 2
      default: return nil
      }
    }
    return nil
  }
}
