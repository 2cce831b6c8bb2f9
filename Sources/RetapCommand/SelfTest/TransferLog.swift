import NFCProtocols
import NFCTrace
import PN53x
import USBLink

/// Keeps every transfer of a session as an event of a trace, counted from the first.
struct TransferLog: SessionRecorder {
  /// The most transfers that are kept; a self-test has about a thousand.
  static let maximumTransfers = 20_000

  private let transport: LinkTransfer.Transport
  private let payload: LinkTransfer.Payload
  private let origin: Nanoseconds
  private(set) var events: [TraceEvent] = []

  init(_ link: HostEngineConfiguration.Link, origin: Nanoseconds) {
    self.origin = origin
    switch link {
    case .usb: (transport, payload) = (.usbBulk, .pn53x)
    case .ccid: (transport, payload) = (.usbBulk, .ccid)
    case .serial: (transport, payload) = (.serial, .pn53x)
    }
  }

  mutating func sent(_ bytes: [UInt8], submitted: Nanoseconds, left: Nanoseconds) {
    keep(.outbound, bytes, from: submitted, to: left)
  }

  mutating func received(_ bytes: [UInt8], at instant: Nanoseconds) {
    keep(.inbound, bytes, from: instant, to: nil)
  }

  private mutating func keep(
    _ direction: Direction, _ bytes: [UInt8], from start: Nanoseconds, to end: Nanoseconds?
  ) {
    guard events.count < Self.maximumTransfers else { return }
    let transfer = LinkTransfer(direction, bytes, transport: transport, payload: payload)
    let event = TraceEvent(
      start: start - origin, end: end.map { $0 - origin }, .link(transfer))
    // The end of a transfer to the reader may be told after what it caused has come.
    var place = events.count
    while place > 0, event.start < events[place - 1].start { place -= 1 }
    events.insert(event, at: place)
  }
}
