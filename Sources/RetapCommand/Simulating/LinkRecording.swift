import NFCProtocols
import NFCTrace
import Synchronization
import VirtualReaders

/// What a program and a virtual reader said, kept until it is written as a trace.
final class LinkRecording: Sendable {
  private let events = Mutex<[TraceEvent]>([])
  private let transport: LinkTransfer.Transport
  private let payload: LinkTransfer.Payload

  /// The most transfers that are kept; far more than any test has, some hundred megabytes.
  static let maximumTransfers = 4_000_000

  init(_ reader: SimulateRequest.Reader) {
    transport = reader.usbDevice == nil ? .serial : .usbBulk
    payload = reader == .acr122u ? .ccid : .pn53x
  }

  /// Notes a transfer.
  func note(_ observation: LinkObservation) {
    let transfer = LinkTransfer(
      observation.direction, observation.bytes, transport: transport, payload: payload,
      outcome: observation.isOverflow ? .overflow : .completed,
      requestedLength: observation.room)
    events.withLock { events in
      guard events.count < Self.maximumTransfers else { return }
      events.append(TraceEvent(start: observation.at, .link(transfer)))
    }
  }

  /// Writes the trace, as pcapng if the path says so and as text otherwise.
  func write(to path: String, reader: String, program: String) throws(CommandError) {
    var header = TraceHeader(
      reader: ReaderIdentity(name: reader), role: .reader,
      clock: TraceClock(origin: "start of the reader"))
    header.madeBy = "retap \(CommandLineTool.version) simulate -- \(program)"
    let encoder: any TraceEncoder =
      path.hasSuffix(".pcapng") ? PcapngTraceEncoder() : TextTraceEncoder()
    try Self.write(header, events.withLock { $0 }, with: encoder, to: path)
  }

  private static func write(
    _ header: TraceHeader, _ events: [TraceEvent], with encoder: any TraceEncoder, to path: String
  ) throws(CommandError) {
    var encoder = encoder
    var bytes: [UInt8] = []
    do throws(TraceError) {
      try encoder.begin(header, into: &bytes)
      for event in events { try encoder.encode(event, into: &bytes) }
      try encoder.finish(TraceEnding(isComplete: true), into: &bytes)
    } catch {
      throw .badInput(file: path, error)
    }
    try ReplayCommand.write(bytes, to: path)
  }
}
