public import NFCProtocols
public import NFCTrace
import PN53x

/// Takes APDUs out of the events of a trace: recorded as such, in blocks on the air, or inside
/// InDataExchange of a PN53x.
///
/// The layer that comes first in the trace is the one that counts, so that a trace which holds the
/// same exchange at several layers is not replayed twice.
public struct APDULifting: Sendable {
  private enum Source: Sendable { case apdu, radio, link }

  private var source: Source?
  private var entries: [ScriptEntry] = []
  private var activation = ActivationFinder()
  private var assembler = BlockAssembler()
  private var events: [BlockAssembler.Event] = []
  private var exchange = ChipAPDUs()
  private let header: TraceHeader
  private var lastEnd: Nanoseconds?
  private var responseStart: Nanoseconds?
  private var startsSession = false
  private var hasField = false
  private var orphanCount = 0

  /// The pause before a command, and before an answer, whose time is unknown.
  public static let unknownPause = Nanoseconds.milliseconds(1)
  /// The pause of the field between two sessions where only their borders are known: 5 ms resets
  /// any card (ISO/IEC 14443-3 and NFC Forum Digital).
  public static let sessionPause = Nanoseconds.milliseconds(5)

  /// Makes a lifting for a trace with this header.
  public init(header: TraceHeader) { self.header = header }

  /// True if there was any APDU.
  public var isEmpty: Bool { entries.isEmpty }

  /// Takes the next event of the trace.
  public mutating func add(_ event: TraceEvent, index: Int) {
    switch event.content {
    case .apdu(let direction, let bytes):
      guard source ?? .apdu == .apdu else { return }
      source = .apdu
      message(direction, bytes, start: event.start, event, index)
    case .radio(let direction, let frame): radio(direction, frame, event, index)
    case .link(let transfer): link(transfer, event, index)
    case .field(let change):
      if !change.isOn, !entries.isEmpty, source == .apdu { startsSession = true }
    case .application: return
    }
  }

  /// The script of all events so far.
  public func finish() -> ReplayScript {
    var remarks: [String] = []
    if orphanCount > 0 {
      remarks.append("\(orphanCount) response APDUs before the first command were left out")
    }
    return ReplayScript(
      layer: .apdu, entries: entries, activation: activation.found,
      technology: header.technology ?? .a, remarks: remarks)
  }

  private mutating func radio(
    _ direction: Direction, _ recorded: RadioFrame, _ event: TraceEvent, _ index: Int
  ) {
    guard source ?? .radio == .radio else { return }
    var frame = recorded
    frame.technology = recorded.technology ?? header.technology ?? .a
    activation.see(frame, direction)
    events.removeAll(keepingCapacity: true)
    assembler.take(frame, direction, into: &events)
    let end = event.end ?? event.start + AirTime.duration(of: frame, direction)
    for found in events {
      switch found {
      case .activated: startsSession = !entries.isEmpty
      case .responseBegins: responseStart = event.start
      case .command(let bytes):
        source = .radio
        message(.outbound, bytes, start: event.start, event, index)
      case .response(let bytes):
        message(.inbound, bytes, start: responseStart ?? event.start, event, index)
        responseStart = nil
      }
    }
    if !events.isEmpty { lastEnd = end }
  }

  private mutating func link(_ transfer: LinkTransfer, _ event: TraceEvent, _ index: Int) {
    guard source ?? .link == .link else { return }
    for message in exchange.take(transfer) {
      if message.startsSession { startsSession = !entries.isEmpty }
      if let found = message.activation { activation.know(found) }
      guard let bytes = message.apdu else { continue }
      source = .link
      self.message(transfer.direction, bytes, start: event.start, event, index)
    }
  }

  private mutating func message(
    _ direction: Direction, _ bytes: [UInt8], start: Nanoseconds, _ event: TraceEvent,
    _ index: Int
  ) {
    var pause = Self.unknownPause
    if !event.isTimeUnknown, let lastEnd { pause = max(.zero, start - lastEnd) }
    lastEnd = event.end ?? event.start
    switch direction {
    case .outbound:
      let waiting = activation.frameWaitingTime
      entries.append(
        ScriptEntry(
          command: RadioFrame(bytes), gap: pause, answers: [],
          limit: TimeLimit(.frameWaitingTime, waiting),
          fieldReset: startsSession
            ? FieldReset(offAfter: .zero, duration: Self.sessionPause) : nil,
          eventIndex: index))
      startsSession = false
    case .inbound:
      guard let last = entries.indices.last, entries[last].answers.isEmpty else {
        orphanCount += 1
        return
      }
      entries[last].answers.append(ScriptAnswer(RadioFrame(bytes), delay: pause))
    }
  }
}
