import NFCProtocols
import NFCTrace

/// Reads apdu4j dumps: `# Sent`, hex, `# Received in 40ms`, hex; without these comments command
/// and response lines alternate.
struct APDU4JParser: LogParser {
  static let formatName = "an apdu4j dump"
  static let expectation = "lines of hexadecimal APDUs, and comments like \"# Received in 40ms\""

  /// The longest response: 65,536 bytes and a status word (ISO/IEC 7816-4, 5.2).
  static let maximumLength = 65_538

  private var expected = Direction.outbound
  private var elapsed: Int64?
  private var commandStart: Nanoseconds = .zero
  private var lastEnd: Nanoseconds = .zero
  private var comments: [String] = []

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    let text = LogText.trimmed(line.bytes)
    guard !text.isEmpty else { return }
    if text.first == 0x23 {
      readComment(LogText.trimmed(text.dropFirst()), into: &output)
      return
    }
    guard let bytes = Hexadecimal.bytes(of: text), bytes.count <= Self.maximumLength,
      bytes.count >= (expected == .outbound ? 4 : 2)
    else {
      throw line.fault(
        expected: expected == .outbound
          ? "a command APDU of at least four bytes as hexadecimal pairs"
          : "a response APDU of at least two bytes as hexadecimal pairs",
        remedy: "put a # in front of lines that are comments")
    }
    output.hasRecognisedLine = true
    if !output.isHeaderFinal { output.header.clock = TraceClock(tickUnit: "ms", origin: "none") }
    append(bytes, into: &output)
    expected = expected.opposite
    elapsed = nil
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {
    if !output.isHeaderFinal { output.header.trailingLines = comments }
  }

  /// Commands have no time of their own; a response is timed from its command.
  private mutating func append(_ bytes: [UInt8], into output: inout LogOutput) {
    var event = TraceEvent(start: lastEnd, .apdu(expected, bytes), isTimeUnknown: true)
    if expected == .outbound {
      commandStart = lastEnd
    } else if let elapsed {
      lastEnd = LogClock.sum(commandStart, milliseconds: elapsed)
      event.start = lastEnd
      event.isTimeUnknown = false
      event.sourceTicks = SourceTicks(start: elapsed)
    }
    event.leadingLines = comments
    comments = []
    output.append(event)
  }

  private mutating func readComment(
    _ text: ArraySlice<UInt8>, into output: inout LogOutput
  ) {
    if text.elementsEqual("Sent".utf8) {
      expected = .outbound
      output.hasRecognisedLine = true
    } else if let rest = LogText.rest(afterPrefix: "Received", in: text) {
      expected = .inbound
      elapsed = LogText.rest(after: "in ", in: rest).flatMap(Self.milliseconds)
      output.hasRecognisedLine = true
    } else if let value = LogText.rest(afterPrefix: "ATR:", in: text) {
      note("x-atr", value, into: &output)
    } else if let value = LogText.rest(afterPrefix: "PROTOCOL:", in: text) {
      note("x-protocol", value, into: &output)
    } else if !text.isEmpty {
      keep("# " + LogText.string(text))
    }
  }

  /// Facts of the card go into the header as long as that is open.
  private mutating func note(
    _ key: String, _ value: ArraySlice<UInt8>, into output: inout LogOutput
  ) {
    let text = LogOutput.bounded(LogText.string(LogText.trimmed(value)))
    output.hasRecognisedLine = true
    if output.isHeaderFinal || output.header.extensions.contains(where: { $0.key == key }) {
      keep("# \(key == "x-atr" ? "ATR" : "PROTOCOL"): \(text)")
    } else {
      output.header.extensions.append(HeaderExtension(key: key, value: text))
    }
  }

  /// Keeps a comment for the next event; more than a trace holds are let go.
  private mutating func keep(_ comment: String) {
    guard comments.count < TraceLimits.commentLinesTogether else { return }
    comments.append(LogOutput.bounded(comment))
  }

  /// `40ms`, `40 ms` or `2s` in milliseconds.
  static func milliseconds(_ text: ArraySlice<UInt8>) -> Int64? {
    var rest = text
    guard let count = LogText.takeDecimal(from: &rest), count < 1 << 40 else { return nil }
    let unit = LogText.trimmed(rest)
    if unit.elementsEqual("ms".utf8) { return count }
    if unit.elementsEqual("s".utf8) { return count * 1_000 }
    return nil
  }
}
