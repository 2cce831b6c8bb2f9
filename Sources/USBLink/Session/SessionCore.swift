import HostIO
import NFCProtocols
import PN53x

/// The engine of a session and what goes between it, the link and an agenda; it does not wait.
struct SessionCore {
  var engine: HostEngine
  var settings = ChipSettings()
  var recorder: (any SessionRecorder)?
  /// True once somebody has interrupted.
  private(set) var isInterrupted = false
  private var deadline: Nanoseconds?
  private var restEnd: Nanoseconds?
  private var outputs: [HostOutput] = []
  /// Transfers that have not left, with the instants at which they were handed to the link.
  private var leaving: [(bytes: [UInt8], submitted: Nanoseconds)] = []
  /// How many of `leaving` are done with; moved up now and then rather than each time.
  private var leftCount = 0

  init(engine: HostEngine, recorder: (any SessionRecorder)?) {
    self.engine = engine
    self.recorder = recorder
  }

  /// What the link has to do next.
  var step: HostLinkStep { .wait(until: deadline.map { min($0, restEnd ?? $0) } ?? restEnd) }

  /// Lets an agenda begin.
  mutating func begin<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, at now: Nanoseconds, into outgoing: inout [[UInt8]]
  ) -> HostLinkStep {
    isInterrupted = false
    return follow(agenda.begin(at: VirtualInstant(now)), &agenda, at: now, into: &outgoing)
  }

  /// Takes an event of the link; `nil` is the deadline.
  mutating func handle<Agenda: SessionAgenda>(
    _ event: HostLinkEvent?, _ agenda: inout Agenda, into outgoing: inout [[UInt8]]
  ) -> HostLinkStep {
    guard let event else { return handleDeadline(&agenda, into: &outgoing) }
    let now = VirtualInstant(event.at)
    switch event.kind {
    case .sent:
      noteSent(at: event.at, began: event.began)
      engine.step(.sent, at: now, into: &outputs)
    case .received(let bytes):
      recorder?.received(bytes, at: event.at)
      engine.step(.received(bytes), at: now, into: &outputs)
    case .stalled:
      recorder?.stalled(at: event.at)
      engine.step(.stalled, at: now, into: &outputs)
    case .interrupted:
      isInterrupted = true
      restEnd = nil
      engine.step(.cancel, at: now, into: &outputs)
      if outputs.isEmpty, !engine.isBusy { return .stop }
    }
    return settle(&agenda, at: event.at, into: &outgoing)
  }

  private mutating func handleDeadline<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, into outgoing: inout [[UInt8]]
  ) -> HostLinkStep {
    if let end = restEnd, deadline.map({ end <= $0 }) ?? true {
      restEnd = nil
      let move = agenda.woken(at: VirtualInstant(end))
      return follow(move, &agenda, at: end, into: &outgoing)
    }
    guard let due = deadline else { return step }
    deadline = nil
    engine.step(.timer, at: VirtualInstant(due), into: &outputs)
    return settle(&agenda, at: due, into: &outgoing)
  }

  /// Tells the engine that the link is no more, and the agenda what that ends.
  mutating func end<Agenda: SessionAgenda>(_ agenda: inout Agenda, at now: Nanoseconds) {
    var nowhere: [[UInt8]] = []
    restEnd = nil
    engine.step(.linkEnded, at: VirtualInstant(now), into: &outputs)
    _ = settle(&agenda, at: now, into: &nowhere)
  }

  // MARK: Outputs

  /// Does what the engine asked for, and what the agenda makes of it.
  private mutating func settle<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, at now: Nanoseconds, into outgoing: inout [[UInt8]]
  ) -> HostLinkStep {
    var move: SessionMove?
    for output in outputs {
      switch output {
      case .send(let bytes):
        leaving.append((bytes, now))
        outgoing.append(bytes)
      case .setTimer(let instant): deadline = instant.sinceStart
      case .cancelTimer: deadline = nil
      case .note(let note): recorder?.noted(note, at: now)
      case .completed(let outcome):
        if case .success = outcome.result { settings.done(outcome.command) }
        recorder?.completed(outcome)
        move = agenda.completed(outcome, at: VirtualInstant(now))
      case .answered(let answer):
        move = agenda.answered(answer, at: VirtualInstant(now))
      }
    }
    outputs.removeAll(keepingCapacity: true)
    guard let move else { return step }
    return follow(move, &agenda, at: now, into: &outgoing)
  }

  private mutating func follow<Agenda: SessionAgenda>(
    _ move: SessionMove, _ agenda: inout Agenda, at now: Nanoseconds,
    into outgoing: inout [[UInt8]]
  ) -> HostLinkStep {
    switch move {
    case .done: return .stop
    case _ where isInterrupted: return .stop
    case .rest(let instant):
      restEnd = instant.sinceStart
      return step
    case .inputs(let inputs):
      for input in inputs { engine.step(input, at: VirtualInstant(now), into: &outputs) }
      return settle(&agenda, at: now, into: &outgoing)
    }
  }

  private mutating func noteSent(at now: Nanoseconds, began: Nanoseconds?) {
    guard leftCount < leaving.count else { return }
    let transfer = leaving[leftCount]
    leftCount += 1
    if leftCount == leaving.count {
      leaving.removeAll(keepingCapacity: true)
      leftCount = 0
    }
    recorder?.sent(transfer.bytes, submitted: began ?? transfer.submitted, left: now)
  }
}
