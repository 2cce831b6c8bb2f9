public import Exploration
public import NFCProtocols

/// One run: two endpoints, what lies between them, and the one owner of virtual time and order.
///
/// Time jumps from event to event. All variety comes from `Decisions`; everything else is
/// arithmetic, so that equal inputs give equal run logs. Whoever drives a run calls `run()` until
/// it has what it wants: the run comes back when an endpoint speaks to the application behind it
/// (the answer is given with `answer`), when an endpoint has finished, when nothing is left to
/// happen, or when a bound is reached.
public struct RadioRun<Reader: ReplayEndpoint, Card: ReplayEndpoint, Choices: Decisions> {
  /// The side that speaks first.
  public var reader: Reader
  /// The side that answers.
  public var card: Card
  /// The log so far.
  public internal(set) var log: RunLog
  /// The virtual time.
  public internal(set) var now = VirtualInstant.start
  /// Where choices come from.
  public internal(set) var decisions: Choices
  /// The faults and what they have done.
  public var faults: FaultPlan
  /// The limits that answers had to keep, in the order of the answers.
  public internal(set) var limitUses: [LimitUse] = []
  /// The number of events handled so far.
  public internal(set) var stepCount = 0
  /// Decodes a frame into a few words for the log; asked only if the log keeps its text.
  public var summary: (@Sendable (RadioFrame, Direction) -> String?)?
  /// What lies between the two sides.
  public let medium: RunMedium
  /// The bounds of the run.
  public let budget: RunBudget

  var queue = EventQueue<RunEvent>()
  var flights: [Flight] = []
  var freeFlights: [Int] = []
  var messages: [[UInt8]] = []
  var freeMessages: [Int] = []
  var timerGenerations = [UInt32](repeating: 0, count: 2 << 8)
  var onAir: [Int?] = [nil, nil]
  var fieldIsOn = false
  var fieldEpoch = 0
  var pendingLimit: PendingLimit?
  var readerFrameEnd = VirtualInstant.start
  var stops: [RunStop] = []
  /// S(WTX) granted by the reader since an application spoke last.
  var extensionCount = 0
  var outputs: [RadioOutput] = []

  /// Makes a run whose endpoints will be started by the first call of `run()`, the card first.
  public init(
    reader: Reader, card: Card, decisions: Choices, medium: RunMedium,
    faults: FaultPlan = .none, budget: RunBudget = .standard, keepsLogText: Bool = true
  ) {
    self.reader = reader
    self.card = card
    self.decisions = decisions
    self.medium = medium
    self.faults = faults
    self.budget = budget
    log = RunLog(keepsText: keepsLogText)
    queue.add(RunEvent(.start, .card), at: .start)
    queue.add(RunEvent(.start, .reader), at: .start)
  }

  /// When the next event happens, or `nil` if none is waiting; for running in real time.
  public var nextInstant: VirtualInstant? { queue.nextInstant }

  /// Runs until something concerns whoever drives this run.
  public mutating func run() -> RunStop {
    while stops.isEmpty {
      if stepCount >= budget.steps { return .budgetExhausted(.steps) }
      if log.lineCount >= budget.logLines { return .budgetExhausted(.logLines) }
      if extensionCount > budget.extensions { return .budgetExhausted(.extensions) }
      guard let next = takeNext() else { return .idle }
      if next.instant.sinceStart > budget.virtualTime { return .budgetExhausted(.virtualTime) }
      now = next.instant
      stepCount += 1
      handle(next.event)
    }
    return stops.removeFirst()
  }

  /// Gives the answer (or the next command) of the application behind an endpoint.
  ///
  /// - Parameter after: The work that it took, in virtual time.
  public mutating func answer(_ side: RunSide, _ bytes: [UInt8], after work: Nanoseconds = .zero) {
    precondition(work >= .zero, "work takes no negative time")
    var ready = now + work
    if side == .card, faults.leavesDelaysToAnswers,
      let delay = faults.delay(ofAnswerTo: exchangeNumber(of: .inbound))
    {
      log.write(at: now, "card") { RunLog.append(.delayed(by: delay), to: &$0) }
      ready = ready + delay
    }
    queue.add(RunEvent(.application, side, number: UInt32(store(bytes))), at: ready)
  }

  /// Tells an endpoint that the application behind it has nothing more to say.
  public mutating func endApplication(_ side: RunSide, after work: Nanoseconds = .zero) {
    precondition(work >= .zero, "work takes no negative time")
    queue.add(RunEvent(.applicationEnded, side), at: now + work)
  }

  /// Records the limit that still waits for an answer; to be called once, after the run.
  ///
  /// An answer that is still under way then is booked with the time at which it would have begun.
  public mutating func closeLimits() {
    guard let pending = pendingLimit else { return }
    pendingLimit = nil
    var used = answerUnderWay.map { $0 - (pending.start ?? readerFrameEnd) }
    if let time = used, time <= pending.limit.duration { used = nil }
    limitUses.append(LimitUse(exchange: pending.exchange, limit: pending.limit, used: used))
  }

  /// When the card's answer would begin that the reader no longer waits for.
  private var answerUnderWay: VirtualInstant? {
    let queued = queue.earliestInstant {
      $0.side == .card && ($0.kind == .frameStart || $0.kind == .application)
    }
    return [queued, card.answerDue].compactMap { $0 }.min()
  }

  /// Records the limit of a command whose answer never came before the next command.
  mutating func dropLimit() {
    guard let pending = pendingLimit else { return }
    limitUses.append(LimitUse(exchange: pending.exchange, limit: pending.limit, used: nil))
    pendingLimit = nil
  }

  private mutating func takeNext() -> (instant: VirtualInstant, event: RunEvent)? {
    let generations = timerGenerations
    guard
      let next = queue.takeNext(
        decisions: &decisions,
        where: { event in
          event.kind != .timer
            || generations[event.side.timerSlot(event.number)] == event.generation
        })
    else { return nil }
    if next.chosen > 0 {
      log.write(at: next.instant, "choice") {
        $0.append("next ")
        $0.append(decimal: Int64(next.chosen))
        $0.append(ascii: 0x2F)
        $0.append(decimal: Int64(next.choices))
      }
    }
    return (next.instant, next.payload)
  }

  mutating func step(_ side: RunSide, _ input: RadioInput) {
    var batch: [RadioOutput] = []
    swap(&batch, &outputs)
    switch side {
    case .reader: reader.step(input, at: now, into: &batch)
    case .card: card.step(input, at: now, into: &batch)
    }
    for output in batch { perform(output, of: side) }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &outputs)
  }

  mutating func store(_ bytes: [UInt8]) -> Int {
    if let free = freeMessages.popLast() {
      messages[free] = bytes
      return free
    }
    messages.append(bytes)
    return messages.count - 1
  }
}

/// An event that waits in the queue: small and without references, to be moved about cheaply.
struct RunEvent: Sendable {
  enum Kind: UInt8, Sendable {
    case start, frameStart, frameEnd, timer, fieldOn, fieldOff, application, applicationEnded
  }

  var kind: Kind
  var side: RunSide
  /// Timer name, flight or message, according to `kind`.
  var number: UInt32
  var generation: UInt32

  init(_ kind: Kind, _ side: RunSide, number: UInt32 = 0, generation: UInt32 = 0) {
    self.kind = kind
    self.side = side
    self.number = number
    self.generation = generation
  }
}

/// A limit that waits for the answer that it is for.
struct PendingLimit: Sendable {
  var limit: TimeLimit
  /// 0 if it belongs to no exchange of the script, whatever the answer says.
  var exchange: Int
  /// The end of the frame that is to be answered; unknown while it is still on the air.
  var start: VirtualInstant?
}

/// A frame between its `send` and its last bit.
struct Flight: Sendable {
  var frame: RadioFrame
  var effect: FaultRule.Effect?
  var exchange: Int
  var fieldEpoch: Int
  var isLost = false
}

extension RunSide {
  /// Where the generation of a timer stands; each side has 256 names.
  func timerSlot(_ name: UInt32) -> Int { Int(rawValue) << 8 | Int(name) }
}

extension RadioRun: Sendable where Reader: Sendable, Card: Sendable, Choices: Sendable {}
