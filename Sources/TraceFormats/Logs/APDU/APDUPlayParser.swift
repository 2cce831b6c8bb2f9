import NFCProtocols
import NFCTrace

/// Reads APDUPlay's log of winscard calls: `transmitted:..`, `responseTime:12#`, `received:..`.
struct APDUPlayParser: LogParser {
  static let formatName = "an APDUPlay log"
  static let expectation = "lines like \"transmitted:00 a4 04 00 ..\" and \"received:90 00\""

  private var milliseconds: Int64?
  private var commandStart: Nanoseconds = .zero
  private var lastEnd: Nanoseconds = .zero
  private var isCommandOpen = false

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    let text = Self.content(line.bytes)
    if let hex = LogText.rest(afterPrefix: "transmitted:", in: text) {
      let bytes = try Self.bytes(hex, line, output)
      if isCommandOpen { output.warn(line: line.number, "the command above has no response") }
      isCommandOpen = true
      milliseconds = nil
      commandStart = lastEnd
      append(TraceEvent(start: lastEnd, .apdu(.outbound, bytes), isTimeUnknown: true), &output)
    } else if let hex = LogText.rest(afterPrefix: "received:", in: text) {
      let bytes = try Self.bytes(hex, line, output)
      var event = TraceEvent(start: lastEnd, .apdu(.inbound, bytes), isTimeUnknown: true)
      if isCommandOpen, let milliseconds {
        lastEnd = LogClock.sum(commandStart, milliseconds: milliseconds)
        event.start = lastEnd
        event.isTimeUnknown = false
        event.sourceTicks = SourceTicks(start: milliseconds)
      }
      isCommandOpen = false
      append(event, &output)
    } else if var count = LogText.rest(afterPrefix: "responseTime:", in: text) {
      guard let value = LogText.takeDecimal(from: &count), value < 1 << 40 else {
        throw line.fault(expected: "responseTime: a number of milliseconds", remedy: Self.remedy)
      }
      milliseconds = value
    }
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {}

  private static let remedy = "take the log again, or cut it at a line"

  /// The line without blanks and the `#` that ends most of them.
  static func content(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let text = LogText.trimmed(line)
    return text.last == 0x23 ? LogText.trimmed(text.dropLast()) : text
  }

  private static func bytes(
    _ hex: ArraySlice<UInt8>, _ line: LogLine, _ output: LogOutput
  ) throws(TraceError) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(of: hex), bytes.count <= APDU4JParser.maximumLength else {
      throw line.fault(expected: "an APDU as hexadecimal pairs", remedy: remedy)
    }
    return bytes
  }

  private func append(_ event: TraceEvent, _ output: inout LogOutput) {
    output.hasRecognisedLine = true
    if !output.isHeaderFinal { output.header.clock = TraceClock(tickUnit: "ms", origin: "none") }
    output.append(event)
  }
}
