import NFCProtocols
import NFCTrace

/// Reads what libnfc's own programs print: `Sent bits: 26 (7 bits)` and `Received bits: 44 03` of
/// nfc-anticol, and `-> ..`, `<- ..` lines of its tests and examples.
struct LibnfcToolParser: LogParser {
  static let formatName = "the output of a libnfc program"
  static let expectation = "lines like \"Sent bits: 26 (7 bits)\" or \"-> 90 5a 00 00 00\""

  /// The longest frame or APDU accepted, in bytes.
  static let maximumLength = 65_538

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    guard let (form, text) = Self.payload(line.bytes) else { return }
    var bits = BitString()
    guard bits.append(text), form == .bits || bits.lastByteBits == 8,
      bits.bytes.count <= Self.maximumLength
    else {
      if form == .arrow, !Self.looksLikeHex(text) { return }
      throw line.fault(
        expected: "hexadecimal pairs, then perhaps (n bits)", remedy: "paste the output unchanged")
    }
    guard let direction = Self.direction(line.bytes) else { return }
    output.hasRecognisedLine = true
    if !output.isHeaderFinal { output.header.clock = TraceClock(origin: "none") }
    let content: TraceEvent.Content =
      switch form {
      case .bits:
        // nfc-anticol talks ISO 14443 type A only.
        .radio(
          direction,
          RadioFrame(bits.bytes, lastByteBits: bits.lastByteBits, technology: .a))
      case .arrow: .apdu(direction, bits.bytes)
      }
    output.append(TraceEvent(start: .zero, content, isTimeUnknown: true))
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {}

  /// The two forms of line.
  enum Form {
    case bits, arrow
  }

  /// What stands behind the mark of a line.
  static func payload(_ line: ArraySlice<UInt8>) -> (Form, ArraySlice<UInt8>)? {
    let text = LogText.trimmed(line)
    if let rest = LogText.rest(afterPrefix: "Sent bits:", in: text)
      ?? LogText.rest(afterPrefix: "Received bits:", in: text)
    {
      return (.bits, rest)
    }
    let marks: [StaticString] = ["-> ", "<- ", "=> ", "<= "]
    for mark in marks {
      if let rest = LogText.rest(afterPrefix: mark, in: text) { return (.arrow, rest) }
    }
    return nil
  }

  /// True if the text begins with a hexadecimal pair, so that it is data and not words.
  static func looksLikeHex(_ text: ArraySlice<UInt8>) -> Bool {
    let digits = text.drop(while: LogText.isBlank).prefix { !LogText.isBlank($0) }
    return !digits.isEmpty && digits.count.isMultiple(of: 2)
      && digits.allSatisfy { Hexadecimal.value(of: $0) != nil }
  }

  private static func direction(_ line: ArraySlice<UInt8>) -> Direction? {
    switch line.first(where: { !LogText.isBlank($0) }) {
    case 0x53, 0x2D: .outbound  // S, -
    case 0x52, 0x3C: .inbound  // R, <
    case 0x3D: .outbound  // =
    default: nil
    }
  }
}

/// Bytes with group bars and a bit count: `93 70 88 95 | 41 (3 bits)`.
struct BitString: Equatable {
  private(set) var bytes: [UInt8] = []
  /// Bits of the last byte.
  private(set) var lastByteBits: UInt8 = 8

  /// Adds a text; false if it is nothing of the kind.
  mutating func append(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let character = rest.first {
      if LogText.isBlank(character) || character == 0x7C {
        rest = rest.dropFirst()
        continue
      }
      if character == 0x28 {
        rest = rest.dropFirst()
        guard !bytes.isEmpty, let count = LogText.takeDecimal(from: &rest), (1...8).contains(count),
          LogText.take(" bits)", from: &rest) || LogText.take(" bit)", from: &rest)
        else { return false }
        lastByteBits = UInt8(count)
        return LogText.trimmed(rest).isEmpty
      }
      guard let high = Hexadecimal.value(of: character),
        let low = rest.dropFirst().first.flatMap({ Hexadecimal.value(of: $0) })
      else { return false }
      bytes.append(high << 4 | low)
      rest = rest.dropFirst(2)
    }
    return true
  }
}
