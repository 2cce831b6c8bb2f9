import NFCProtocols
import NFCTrace

/// Reads the log of nfcpy's transport (`-d nfc.clf -v`): `[nfc.clf.transport] >>> hex`, bare,
/// behind `626 ms` (`--reltime`) or behind a date (`--abstime`, `-f FILE`).
struct NfcpyLogParser: LogParser {
  static let formatName = "an nfcpy log"
  static let expectation = "lines like \"[nfc.clf.transport] >>> 0000ff02fed4022a00\""

  /// The longest transfer accepted: nfcpy's buffers hold 300 bytes.
  static let maximumLength = 65_536

  private var clock = LogClock()

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    guard let (direction, hex) = Self.transfer(line.bytes) else { return }
    guard let bytes = Hexadecimal.bytes(of: hex), bytes.count <= Self.maximumLength else {
      throw line.fault(
        expected: "hexadecimal pairs after >>> or <<<",
        remedy: "paste the log again unchanged, or cut it at a line")
    }
    output.hasRecognisedLine = true
    var text = line.bytes
    let stamp = LogTimestamp.take(from: &text)
    let time = clock.time(of: stamp)
    if !output.isHeaderFinal {
      output.header.clock = LogClock.description(first: stamp)
      if stamp?.isMillisecondCount == true { output.header.clock.tickUnit = "ms" }
    }
    let ticks = stamp.flatMap { stamp in
      stamp.isMillisecondCount ? SourceTicks(start: stamp.nanoseconds / 1_000_000) : nil
    }
    output.append(
      TraceEvent(
        start: time.start, .link(LinkTransfer(direction, bytes, transport: .unspecified)),
        sourceTicks: ticks, isTimeUnknown: time.isUnknown))
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {}

  /// Direction and hexadecimal text of a transport line.
  static func transfer(_ line: ArraySlice<UInt8>) -> (Direction, ArraySlice<UInt8>)? {
    // `[nfc.clf.transport] `, `nfc.clf.transport:` of Python's default, `nfc.dev.` before 0.10.
    guard LogText.index(of: "nfc.", in: line) != nil,
      var rest = LogText.rest(after: "transport", in: line)
    else { return nil }
    guard LogText.take("]", from: &rest) || LogText.take(":", from: &rest) else { return nil }
    rest = rest.drop(while: LogText.isBlank)
    if LogText.take(">>>", from: &rest) { return (.outbound, LogText.trimmed(rest)) }
    if LogText.take("<<<", from: &rest) { return (.inbound, LogText.trimmed(rest)) }
    return nil
  }
}

extension LogTimestamp {
  /// True if the text was a whole number of milliseconds.
  var isMillisecondCount: Bool { kind == .elapsed && resolution == 1_000_000 }
}
