import NFCProtocols
import NFCTrace

/// Writes apdu4j dumps: the APDUs of a trace, each response with its milliseconds.
struct APDU4JEncoder: TraceEncoder {
  private var buffer = TextBuffer()
  private var commandStart: Nanoseconds?
  private var tally = ExportTally()

  mutating func begin(_ header: TraceHeader, into output: inout [UInt8]) throws(TraceError) {
    for line in header.extensions {
      if line.key == "x-atr" { buffer.append("# ATR: \(line.value)\n") }
      if line.key == "x-protocol" { buffer.append("# PROTOCOL: \(line.value)\n") }
    }
    flush(into: &output)
  }

  mutating func encode(_ event: TraceEvent, into output: inout [UInt8]) throws(TraceError) {
    guard case .apdu(let direction, let bytes) = event.content else {
      if case .application = event.content {
        tally.leftOut += 1
        return
      }
      throw .cannotExpress(
        what: "an event that is no APDU", format: "apdu4j",
        remedy: "convert to pcapng or Retap text, or keep only the APDUs of the trace")
    }
    tally.written += 1
    switch direction {
    case .outbound:
      buffer.append("# Sent\n")
      commandStart = event.start
    case .inbound:
      if let commandStart, !event.isTimeUnknown, event.start >= commandStart {
        let milliseconds = (event.start.count - commandStart.count + 500_000) / 1_000_000
        buffer.append("# Received in \(milliseconds)ms\n")
      } else {
        buffer.append("# Received\n")
      }
    }
    for byte in bytes { buffer.append(hex: byte) }
    buffer.append(ascii: 0x0A)
    flush(into: &output)
  }

  mutating func finish(_ ending: TraceEnding, into output: inout [UInt8]) throws(TraceError) {
    try tally.requireContent(format: "apdu4j")
  }

  var remarks: [String] { tally.remarks }

  private mutating func flush(into output: inout [UInt8]) {
    output.append(contentsOf: buffer.bytes)
    buffer.removeAll()
  }
}
