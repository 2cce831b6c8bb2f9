import NFCProtocols
import NFCTrace

extension TraceFormat {
  /// Logs of APDUs.
  static var apduLogs: [TraceFormat] {
    [
      .log(
        name: "apdu4j", summary: "apdu4j dump", suffixes: ["dump"], role: .reader,
        recognise: recogniseAPDU4J, makeEncoder: { _ in APDU4JEncoder() }
      ) { _ in APDU4JParser() },
      .log(
        name: "apduplay", summary: "APDUPlay winscard log", suffixes: ["txt", "log"],
        role: .reader,
        recognise: { sample in
          LogRecognition.best(of: sample) { line in
            let text = APDUPlayParser.content(line)
            guard
              let hex = LogText.rest(afterPrefix: "transmitted:", in: text)
                ?? LogText.rest(afterPrefix: "received:", in: text)
            else { return .no }
            return LogText.isHexPairs(hex) ? .certain : .likely
          }
        }
      ) { _ in APDUPlayParser() },
    ]
  }

  private static func recogniseAPDU4J(_ sample: FileSample) -> Recognition {
    var hasMark = false
    var best = LogRecognition.best(of: sample) { line in
      let text = LogText.trimmed(line)
      guard text.first == 0x23 else { return .no }
      let comment = LogText.trimmed(text.dropFirst())
      if comment.elementsEqual("Sent".utf8) { hasMark = true }
      if LogText.rest(afterPrefix: "Received in ", in: comment) != nil { return .certain }
      if LogText.rest(afterPrefix: "ATR: ", in: comment) != nil { return .certain }
      return LogText.index(of: "by apdu4j", in: comment) == nil ? .no : .certain
    }
    if best == .no, hasMark { best = .likely }
    if best == .no, hasAlternatingAPDUs(sample) { best = .possible }
    return best
  }

  /// True if hexadecimal lines alternate between commands and responses with a status word of
  /// 6X or 9X (ISO/IEC 7816-4, 5.6).
  private static func hasAlternatingAPDUs(_ sample: FileSample) -> Bool {
    var count = 0
    var fits = true
    _ = LogRecognition.best(of: sample) { line in
      let text = LogText.trimmed(line)
      guard fits, !text.isEmpty, text.first != 0x23 else { return .no }
      guard let bytes = Hexadecimal.bytes(of: text) else {
        fits = false
        return .no
      }
      if count.isMultiple(of: 2) {
        fits = bytes.count >= 4
      } else {
        fits = bytes.count >= 2 && [0x60, 0x90].contains(bytes[bytes.count - 2] & 0xF0)
      }
      count += 1
      return .no
    }
    return fits && count >= 2
  }
}
