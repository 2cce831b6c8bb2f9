import NFCProtocols
import NFCTrace

/// The two upper-case digits of a byte.
func hexPair(_ byte: UInt8) -> String { Hexadecimal.pairs([byte]) }

/// A line of a text dump without its end and without blanks around it.
struct DumpLine {
  /// From 1.
  let number: Int
  let text: String

  /// All lines, the empty ones too; a byte order mark is passed over.
  static func split(_ bytes: [UInt8]) -> [DumpLine] {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let parts = bytes[start...].split(separator: 0x0A, omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      DumpLine(number: index + 1, text: String(decoding: trimmed(part), as: UTF8.self))
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var part = bytes
    while let last = part.last, isBlank(last) { part.removeLast() }
    while let first = part.first, isBlank(first) { part.removeFirst() }
    return part
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  /// The error that this line is not what it should be.
  func fault(_ found: String, expected: String, remedy: String) -> TraceError {
    .badInput(BadInput(at: .line(number), found: found, expected: expected, remedy: remedy))
  }
}

/// Bytes of which some half bytes may be unknown, written `?` or `-`.
struct PartlyKnownBytes: Equatable {
  var bytes: [UInt8] = []
  var knownBits: [UInt8] = []

  /// Reads pairs of digits or marks; blanks between pairs are passed over.
  ///
  /// - Returns: `nil` if there is any other character or a pair is torn.
  init?(_ text: some StringProtocol) {
    var high: (value: UInt8, mask: UInt8)?
    for character in text.utf8 {
      if character == 0x20 || character == 0x09 {
        if high != nil { return nil }
        continue
      }
      let digit: (value: UInt8, mask: UInt8)
      if character == 0x3F || character == 0x2D {
        digit = (0, 0)
      } else if let value = Hexadecimal.value(of: character) {
        digit = (value, 0x0F)
      } else {
        return nil
      }
      if let upper = high {
        bytes.append(upper.value << 4 | digit.value)
        knownBits.append(upper.mask << 4 | digit.mask)
        high = nil
      } else {
        high = digit
      }
    }
    if high != nil { return nil }
  }

  var isKnown: Bool { knownBits.allSatisfy { $0 == 0xFF } }
}

/// Recognition of the text forms.
enum TextDumps {
  static let flipperMark = Array("Filetype: Flipper NFC device".utf8)

  static func recognise(_ bytes: [UInt8]) -> CardDumpMatch? {
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    while let first = rest.first, first <= 0x20, first != 0 { rest.removeFirst() }
    if rest.starts(with: flipperMark) { return CardDumpMatch(.flipper, .certain) }
    if rest.starts(with: "+Sector:".utf8) { return CardDumpMatch(.classicToolText, .certain) }
    if rest.first == 0x7B { return json(rest.prefix(512)) }
    return blockText(rest)
  }

  /// The client writes `Created` and `FileType` first; a hand-made file may sort them otherwise.
  private static func json(_ head: ArraySlice<UInt8>) -> CardDumpMatch? {
    let text = String(decoding: head, as: UTF8.self)
    guard text.contains("\"FileType\"") || text.contains("\"blocks\"") else { return nil }
    let isOwn = text.contains("\"Created\"") && text.lowercased().contains("proxmark3")
    return CardDumpMatch(.proxmarkJSON, isOwn ? .certain : .likely)
  }

  /// Lines of 8 or 32 digits (or `?`, `-`) only, at least four of them.
  private static func blockText(_ bytes: ArraySlice<UInt8>) -> CardDumpMatch? {
    var width = 0
    var count = 0
    let lines = bytes.prefix(4_096).split(separator: 0x0A)
    // The last line of a sample may be cut; the others must be alike.
    for (index, line) in lines.enumerated() {
      let content = line.last == 0x0D ? line.dropLast() : line
      if content.first == 0x23 { continue }
      let isLast = index == lines.count - 1
      guard content.allSatisfy(isDigitOrMark) else { return nil }
      if width == 0 { width = content.count }
      guard content.count == width || (isLast && content.count < width) else { return nil }
      count += 1
    }
    guard count >= 4, width == 8 || width == 16 || width == 32 else { return nil }
    return CardDumpMatch(.blockText, .likely)
  }

  private static func isDigitOrMark(_ byte: UInt8) -> Bool {
    Hexadecimal.value(of: byte) != nil || byte == 0x3F || byte == 0x2D
  }
}
