import NFCProtocols
import NFCTrace

/// Reads Proxmark3's `trace list -x`: pairs of lines, `0.` with ten digits of ticks, then an
/// offset, the four bytes of a link type 264 header, and the frame.
struct HexListParser: LogParser {
  static let formatName = "a Proxmark3 trace list -x"
  static let expectation = "pairs like \"0.0000006993\" and \"000000 00 fe 00 01 52\""

  private let options: ImportOptions
  private var ticker = ListTicker()
  private var ticks: Int64?
  private var timeLine = 0

  init(_ options: ImportOptions) {
    self.options = options
    ticker.isMicroseconds = false
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    let text = LogText.trimmed(line.bytes)
    if let count = Self.time(text) {
      guard ticks == nil else {
        throw line.fault(expected: "a data line after a time line", remedy: "list the trace again")
      }
      ticks = count
      timeLine = line.number
      return
    }
    guard let hex = LogText.rest(afterPrefix: "000000 ", in: text) else { return }
    guard let ticks else {
      throw line.fault(
        expected: "a time line in front of a data line", remedy: "list the trace again")
    }
    guard let bytes = Hexadecimal.bytes(of: hex), bytes.count >= 4 else {
      throw line.fault(
        expected: "hexadecimal pairs, at least four", remedy: "list the trace again")
    }
    let length = Int(bytes[2]) << 8 | Int(bytes[3])
    guard bytes[0] == 0, length == bytes.count - 4, let direction = Self.direction(bytes[1]) else {
      throw line.fault(
        expected: "00, fe or ff, the number of bytes that follow as two bytes",
        remedy: "list the trace again")
    }
    self.ticks = nil
    output.hasRecognisedLine = true
    if !output.isHeaderFinal {
      output.header.clock = TraceClock(tickUnit: ticker.unitName, origin: "first record")
    }
    // There is no end in this form: one tick stands in so that a start of zero counts as known.
    let time = ticker.time(ticks, ticks + 1, isRelative: false)
    output.append(
      TraceEvent(
        start: time.start,
        .radio(direction, RadioFrame(Array(bytes[4...]), technology: options.technology)),
        sourceTicks: SourceTicks(start: time.ticks.start)))
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {
    guard ticks != nil else { return }
    output.hasRecognisedLine = true
    output.warn(line: timeLine, "the last time line has no data line")
  }

  /// `0.` and ten digits (`0.%010u`): ticks, not a fraction of a second.
  static func time(_ text: ArraySlice<UInt8>) -> Int64? {
    var rest = text
    guard LogText.take("0.", from: &rest), let count = LogText.takeDigits(10, from: &rest),
      rest.isEmpty, count < 1 << 32
    else { return nil }
    return count
  }

  /// The direction of a link type 264 event code.
  private static func direction(_ event: UInt8) -> Direction? {
    switch event {
    case 0xFE, 0xFA: .outbound
    case 0xFF, 0xFB: .inbound
    default: nil
    }
  }
}
