public import NFCProtocols
public import PN53x

/// A host engine and a simulated reader on one virtual clock: a driver at work, without a link.
///
/// ```swift
/// var session = SimulatedSession(HostEngine(.usb), reader)
/// var opening = LinkPlan.opening(.usb)
/// session.run(&opening)
/// let outcome = session.perform(.getGeneralStatus)
/// ```
public struct SimulatedSession {
  /// The driver's end of the link.
  public private(set) var engine: HostEngine
  /// The reader; cards may be put into its field at any time.
  public var reader: SimulatedReader
  /// The virtual time.
  public private(set) var now: VirtualInstant
  /// What the chip has been set to.
  public private(set) var settings = ChipSettings()
  /// What the engine had to note, in order.
  public private(set) var notes: [HostNote] = []
  /// How often the engine, the agenda or the reader was given something to do.
  public private(set) var stepCount = 0

  private var timer: VirtualInstant?
  private var rest: VirtualInstant?
  /// When the transfers under way will be reported as sent.
  private var leaving: [VirtualInstant] = []
  private var outputs: [HostOutput] = []
  private var isDone = false

  /// The most notes that are kept.
  public static let maximumNotes = 10_000

  /// Makes a session that begins at the present of the reader.
  public init(_ engine: HostEngine, _ reader: SimulatedReader) {
    self.engine = engine
    self.reader = reader
    now = reader.now
  }

  /// Does what an agenda wants until it is done.
  ///
  /// - Returns: False if `limit` came first, or if nothing is ever going to happen.
  @discardableResult
  public mutating func run<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, until limit: VirtualInstant? = nil
  ) -> Bool {
    isDone = false
    rest = nil
    follow(agenda.begin(at: now), &agenda)
    return proceed(&agenda, until: limit)
  }

  /// Goes on with an agenda whose run was cut off by a limit.
  @discardableResult
  public mutating func proceed<Agenda: SessionAgenda>(
    _ agenda: inout Agenda, until limit: VirtualInstant? = nil
  ) -> Bool {
    while !isDone {
      guard let next = nextInstant, next <= limit ?? next else {
        if let limit {
          reader.advance(to: limit)
          now = max(now, limit)
        }
        return false
      }
      stepCount += 1
      now = max(now, next)
      handle(next, &agenda)
    }
    return true
  }

  /// Performs a command and waits for its end.
  ///
  /// - Returns: `nil` if `limit` came first, or if nothing is ever going to happen.
  public mutating func perform(
    _ command: Command, _ timing: CommandTiming? = nil, until limit: VirtualInstant? = nil
  ) -> CommandOutcome? {
    var single = SingleCommand(command, timing ?? settings.timing(of: command))
    run(&single, until: limit)
    return single.outcome
  }

  /// Gives the command under way up; its agenda is told when it goes on.
  public mutating func cancel<Agenda: SessionAgenda>(_ agenda: inout Agenda) {
    feed(.cancel, &agenda)
  }

  /// Lets time pass without wanting anything.
  public mutating func wait(_ time: Nanoseconds) {
    var idle = Idle(end: now + time)
    run(&idle)
  }

  // MARK: Events

  private var nextInstant: VirtualInstant? {
    var next = reader.hasDeliveries ? now : reader.nextInstant
    for instant in [timer, rest, leaving.first] {
      if let instant { next = min(next ?? instant, instant) }
    }
    return next
  }

  private mutating func handle<Agenda: SessionAgenda>(
    _ instant: VirtualInstant, _ agenda: inout Agenda
  ) {
    reader.advance(to: instant)
    if let left = leaving.first, left <= instant {
      leaving.removeFirst()
      return feed(.sent, &agenda)
    }
    if reader.hasDeliveries {
      for delivery in reader.takeDeliveries() {
        switch delivery.kind {
        case .transfer: feed(.received(delivery.bytes), &agenda)
        case .stalled: feed(.stalled, &agenda)
        case .unplugged: feed(.linkEnded, &agenda)
        }
      }
      return
    }
    if let timer, timer <= instant {
      self.timer = nil
      return feed(.timer, &agenda)
    }
    if let rest, rest <= instant {
      self.rest = nil
      follow(agenda.woken(at: now), &agenda)
    }
  }

  private mutating func feed<Agenda: SessionAgenda>(
    _ input: HostInput, _ agenda: inout Agenda
  ) {
    var batch: [HostOutput] = []
    swap(&batch, &outputs)
    engine.step(input, at: now, into: &batch)
    for output in batch {
      switch output {
      case .send(let bytes): leaving.append(reader.host(bytes, at: now))
      case .setTimer(let instant): timer = instant
      case .cancelTimer: timer = nil
      case .note(let note): if notes.count < Self.maximumNotes { notes.append(note) }
      case .completed(let outcome):
        if case .success = outcome.result { settings.done(outcome.command) }
        follow(agenda.completed(outcome, at: now), &agenda)
      case .answered(let answer):
        follow(agenda.answered(answer, at: now), &agenda)
      }
    }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &outputs)
  }

  private mutating func follow<Agenda: SessionAgenda>(
    _ move: SessionMove, _ agenda: inout Agenda
  ) {
    switch move {
    case .inputs(let inputs): for input in inputs { feed(input, &agenda) }
    case .rest(let instant): rest = max(instant, now)
    case .done: isDone = true
    }
  }
}

/// One command.
private struct SingleCommand: SessionAgenda {
  let move: SessionMove
  var outcome: CommandOutcome?

  init(_ command: Command, _ timing: CommandTiming) { move = .perform(command, timing) }

  mutating func begin(at now: VirtualInstant) -> SessionMove { move }

  mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove {
    self.outcome = outcome
    return .done
  }
}

/// Nothing for a while.
private struct Idle: SessionAgenda {
  let end: VirtualInstant
  mutating func begin(at now: VirtualInstant) -> SessionMove { .rest(until: end) }
  mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove {
    .done
  }
}
