public import NFCProtocols
public import NFCTrace
import PN53x

/// Takes exchanges between host and chip out of the events of a trace.
public struct ChipLifting: Sendable {
  private var entries: [ScriptEntry] = []
  private var fromHost = HostFrameDecoder()
  private var fromChip = HostFrameDecoder()
  private var found: [HostFrameEvent] = []
  private var lastEnd: Nanoseconds?
  private var framing: LinkFraming?
  private var orphanCount = 0
  private var corruptCount = 0
  private var abortCount = 0
  private var unknownTimeCount = 0

  /// The pause before a command, and before an answer, whose time is unknown: 1 ms, about one
  /// round over full-speed USB as measured (0.57 ms to the ACK, SCL3711).
  public static let unknownPause = Nanoseconds.milliseconds(1)
  /// How long a host waits for an answer where the recording does not tell: 1 s, what nfcpy gives
  /// most commands.
  public static let answerLimit = Nanoseconds.seconds(1)

  /// Makes a lifting.
  public init() {}

  /// Takes the next event of the trace.
  public mutating func add(_ event: TraceEvent, index: Int) {
    guard case .link(let transfer) = event.content, !transfer.bytes.isEmpty else { return }
    switch transfer.payload {
    case .pn53x where framing != .messages:
      framing = .hostFrames
      decode(transfer, event, index)
    case .ccid where framing != .hostFrames, .nci where framing != .hostFrames:
      framing = .messages
      message(transfer.direction, transfer.bytes, event, index)
    case .pn53x, .ccid, .nci, .other: return
    }
    lastEnd = event.end ?? event.start
  }

  /// The script of all events so far.
  public func finish() -> ReplayScript {
    var remarks: [String] = []
    if orphanCount > 0 {
      remarks.append("\(orphanCount) chip messages before the first command were left out")
    }
    if corruptCount > 0 { remarks.append("\(corruptCount) stretches of bytes are no frame") }
    if abortCount > 0 { remarks.append("\(abortCount) ACK or NACK of the host are not replayed") }
    if unknownTimeCount > 0 { remarks.append("\(unknownTimeCount) messages have no time") }
    return ReplayScript(
      layer: .chip, entries: entries, framing: framing ?? .hostFrames, remarks: remarks)
  }

  private mutating func decode(_ transfer: LinkTransfer, _ event: TraceEvent, _ index: Int) {
    found.removeAll(keepingCapacity: true)
    switch transfer.direction {
    case .outbound: fromHost.decode(transfer.bytes, into: &found)
    case .inbound: fromChip.decode(transfer.bytes, into: &found)
    }
    for item in found {
      switch item {
      case .frame(.ack) where transfer.direction == .outbound, .frame(.nack):
        abortCount += 1
      case .frame(let frame): message(transfer.direction, frame.body, event, index)
      case .wakeUp: break
      case .corrupt: corruptCount += 1
      }
    }
  }

  private mutating func message(
    _ direction: Direction, _ body: [UInt8], _ event: TraceEvent, _ index: Int
  ) {
    var pause = Self.unknownPause
    if event.isTimeUnknown {
      unknownTimeCount += 1
    } else if let lastEnd {
      pause = max(.zero, event.start - lastEnd)
    }
    switch direction {
    case .outbound:
      entries.append(
        ScriptEntry(
          command: RadioFrame(body), gap: pause, answers: [],
          limit: TimeLimit(.application, Self.answerLimit), eventIndex: index))
    case .inbound:
      guard let last = entries.indices.last else {
        orphanCount += 1
        return
      }
      entries[last].answers.append(ScriptAnswer(RadioFrame(body), delay: pause))
      // The recorded host waited that long, so its limit was not smaller.
      entries[last].limit.duration = max(entries[last].limit.duration, pause)
    }
  }
}
