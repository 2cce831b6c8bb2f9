public import NFCProtocols
public import PN53x

/// Lets a reader of this package work through a real or modelled chip, frame by frame.
///
/// Each frame goes out by InCommunicateThru: the endpoint runs activation, ISO-DEP and everything
/// above itself, and every block and extension is seen. The endpoint lives on a clock on which only
/// the air takes time: while the chip is set up or the link is at work, that clock stands still.
///
/// ```swift
/// var radio = ChipRadio(TagReader(), chip: .pn533)
/// session.run(&radio)
/// let message = radio.endpoint.result
/// ```
public struct ChipRadio<Endpoint: RadioEndpoint>: SessionAgenda {
  /// The reader.
  public private(set) var endpoint: Endpoint
  /// Why the chip could not go on, if it could not.
  public private(set) var failure: CommandFailure?
  /// True once the endpoint has nothing more to do.
  public private(set) var isFinished = false
  /// What was on the air since the last `takeObservations`, if observations are kept.
  public private(set) var observations: [AirObservation] = []
  /// What the endpoint has handed to the application behind it since `takeApplicationMessages`.
  public private(set) var applicationMessages: [[UInt8]] = []

  private let options: ChipRadioOptions
  private let setUp: ChipSetUp
  private var registers: RegisterShadow
  private var settings: ChipSettings
  /// The clock of the endpoint, and the instant at which it showed that.
  private var clock = VirtualInstant.start
  private var anchor = VirtualInstant.start
  private var timers = EndpointTimers()
  private var work: [Work] = []
  private var steps: [ChipStep] = []
  private var step: ChipStep?
  private var exchange: Exchange?
  private var outputs: [RadioOutput] = []
  private var hasBegun = false

  private enum Work: Hashable, Sendable {
    case field(isOn: Bool)
    case frame(RadioFrame, earliest: VirtualInstant)
  }

  /// One command on the way to a frame.
  private enum ChipStep: Hashable, Sendable {
    case field(isOn: Bool)
    /// The field stays off so that cards begin anew.
    case reset
    case registers([RegisterWrite])
    case limit(RFTimeoutCode)
    case exchange
    case bitCount
  }

  /// A frame and what is known of its answer.
  private struct Exchange: Hashable, Sendable {
    var frame: RadioFrame
    var chipFrame: ChipFrame
    var limit: Nanoseconds
    var sent: VirtualInstant
    var answer: [UInt8] = []
    var stamps: CommandStamps?
  }

  /// Makes an adapter for a chip that is open, in the state that `LinkPlan.opening` leaves.
  public init(
    _ endpoint: Endpoint, chip: Chip, settings: ChipSettings = ChipSettings(),
    options: ChipRadioOptions = ChipRadioOptions()
  ) {
    self.endpoint = endpoint
    self.options = options
    self.settings = settings
    setUp = ChipSetUp(chip: chip)
    registers = RegisterShadow()
  }

  // MARK: The agenda

  /// Starts the endpoint, or goes on after `application`.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    anchor = now
    if !hasBegun {
      hasBegun = true
      clock = now
      feed(.start)
    }
    return next(at: now)
  }

  /// Gives the endpoint an answer or command of its application; then the agenda is run again.
  public mutating func application(_ bytes: [UInt8]) { feed(.application(bytes)) }

  /// Tells the endpoint that its application is done; then the agenda is run again.
  public mutating func endApplication() { feed(.applicationEnded) }

  /// Goes on after a command of the chip.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    anchor = now
    guard let step else { return next(at: now) }
    self.step = nil
    switch outcome.result {
    case .success(let response):
      settings.done(outcome.command)
      finished(step, response, outcome.stamps)
    case .failure(let failure):
      failed(step, failure, outcome.stamps)
    }
    return next(at: now)
  }

  /// Goes on after a pause of the endpoint.
  public mutating func woken(at now: VirtualInstant) -> SessionMove {
    // The clock of the endpoint stands still while the field is reset.
    if steps.isEmpty { clock = clock + (now - anchor) }
    anchor = now
    return next(at: now)
  }

  private mutating func next(at now: VirtualInstant) -> SessionMove {
    while failure == nil {
      if let step = steps.first {
        steps.removeFirst()
        if step == .reset { return .rest(until: now + options.resetTime) }
        self.step = step
        return move(step)
      }
      if let first = work.first {
        if case .frame(_, let earliest) = first, earliest > clock {
          // Shorter pauses pass anyway while the command travels to the chip.
          guard earliest - clock <= ChipRadioOptions.shortestPause else {
            return .rest(until: now + (earliest - clock))
          }
          clock = earliest
        }
        work.removeFirst()
        start(first)
        continue
      }
      if isFinished { return .done }
      guard let due = timers.earliest else { return .done }
      guard due <= clock else { return .rest(until: now + (due - clock)) }
      if let timer = timers.takeEarliest() { feed(.timer(timer)) }
    }
    return .done
  }

  private func move(_ step: ChipStep) -> SessionMove {
    let command: Command =
      switch step {
      case .field(let isOn):
        .rfConfiguration(.field(isOn: isOn, automaticCollisionAvoidance: false))
      case .registers(let writes): .writeRegister(writes)
      case .limit(let code): setUp.limit(code, settings)
      case .reset: preconditionFailure("a reset of the field is a pause and no command")
      case .exchange: .inCommunicateThru(exchange?.chipFrame.data ?? [])
      case .bitCount: .readRegister([.control])
      }
    var timing = settings.timing(of: command)
    if step == .exchange, timing == .unlimited, let exchange {
      timing = .patience(exchange.limit + ChipRadioOptions.patienceMargin)
    }
    return .perform(command, timing)
  }

  // MARK: Work of the endpoint

  private mutating func feed(_ input: RadioInput) {
    var batch: [RadioOutput] = []
    swap(&batch, &outputs)
    endpoint.step(input, at: clock, into: &batch)
    for output in batch {
      switch output {
      case .field(let isOn): work.append(.field(isOn: isOn))
      case .send(let frame, let delay):
        work.append(.frame(frame, earliest: clock + max(delay, .zero)))
      case .setTimer(let timer, let instant): timers.set(timer, at: instant)
      case .cancelTimer(let timer): timers.cancel(timer)
      case .awaitAnswer(let limit): exchange?.limit = limit.duration
      case .application(let bytes): applicationMessages.append(bytes)
      case .note(let note): observe(.note(note), from: anchor, to: anchor, .zero)
      case .finished: isFinished = true
      }
    }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &outputs)
  }

  private mutating func start(_ work: Work) {
    switch work {
    case .field(let isOn):
      // An earlier reader may have left the field on, and a card in the middle of something.
      let needsReset = isOn && settings.isFieldOn != false
      steps = needsReset ? [.field(isOn: false), .reset] : []
      steps.append(.field(isOn: isOn))
    case .frame(let frame, _):
      guard
        let chipFrame = ChipFrame(frame, hostChecksTypeA: !options.chipChecksTypeA)
      else { return unsupported(frame) }
      clock = clock + AirTime.duration(of: frame, .outbound)
      exchange = Exchange(
        frame: frame, chipFrame: chipFrame, limit: options.defaultLimit, sent: clock)
      let known = timers.earliest
      // The endpoint says only now how long it will listen, and the chip must know that before.
      feed(.sent)
      if exchange?.limit == options.defaultLimit, let due = timers.earliest, due != known {
        exchange?.limit = max(due - clock, .zero)
      }
      steps = []
      let writes = registers.changes(to: chipFrame.registers)
      if !writes.isEmpty { steps.append(.registers(writes)) }
      let code = ChipSetUp.code(for: exchange?.limit ?? options.defaultLimit)
      if code != settings.exchangeLimit { steps.append(.limit(code)) }
      steps.append(.exchange)
    }
  }

  /// A PN53x does not speak ISO/IEC 15693: nobody answers.
  private mutating func unsupported(_ frame: RadioFrame) {
    clock = clock + AirTime.duration(of: frame, .outbound)
    feed(.sent)
    silence()
  }

  // MARK: Results of the chip

  private mutating func finished(
    _ step: ChipStep, _ response: Response, _ stamps: CommandStamps
  ) {
    switch step {
    case .field(let isOn):
      // Coming on, the firmware may tune the registers anew.
      if isOn { registers = RegisterShadow() }
      let began = stamps.acknowledged ?? stamps.requested
      let ended = stamps.answered ?? began
      observe(.field(isOn: isOn), from: ended, to: ended, ended - stamps.requested)
    case .registers(let writes): registers.written(writes)
    case .limit, .reset: break
    case .exchange:
      guard case .data(_, _, let answer) = response else { return silence() }
      exchange?.answer = answer
      exchange?.stamps = stamps
      if exchange?.chipFrame.needsBitCount(of: answer) == true {
        steps = [.bitCount]
      } else {
        answered(lastBits: 0)
      }
    case .bitCount:
      guard case .registerValues(_, let values) = response, let control = values.first else {
        return answered(lastBits: 0)
      }
      answered(lastBits: control & 0x07)
    }
  }

  private mutating func failed(
    _ step: ChipStep, _ failure: CommandFailure, _ stamps: CommandStamps
  ) {
    guard step == .exchange, let exchange else { return self.failure = failure }
    switch failure.problem {
    case .radio(.silence), .link(.notAnswered):
      let air = AirTime.duration(of: exchange.frame, .outbound)
      let estimate = AirEstimate(stamps, command: air, answer: nil, delay: exchange.limit)
      observe(
        .frame(.outbound, exchange.frame), from: estimate.commandStart,
        to: estimate.commandEnd, estimate.uncertainty)
      self.exchange = nil
      silence()
    case .radio(.damaged(let status)):
      self.exchange?.stamps = stamps
      deliver(
        RadioFrame(
          [], technology: exchange.chipFrame.technology, crc: .bad,
          isCollision: status.rawValue == 0x06))
    default:
      self.failure = failure
    }
  }

  private mutating func answered(lastBits: UInt8) {
    guard let exchange else { return }
    guard !exchange.answer.isEmpty else {
      self.exchange = nil
      return silence()
    }
    deliver(exchange.chipFrame.answer(exchange.answer, lastBits: lastBits))
  }

  private mutating func deliver(_ answer: RadioFrame) {
    guard let exchange, let stamps = exchange.stamps else { return }
    self.exchange = nil
    let air = AirTime.duration(of: answer, .inbound)
    let estimate = AirEstimate(
      stamps, command: AirTime.duration(of: exchange.frame, .outbound), answer: air,
      delay: ProtocolTiming.cardToReaderMinimum)
    observe(
      .frame(.outbound, exchange.frame), from: estimate.commandStart, to: estimate.commandEnd,
      estimate.uncertainty)
    guard let start = estimate.answerStart else { return }
    observe(.frame(.inbound, answer), from: start, to: start + air, estimate.uncertainty)
    // The chip took the answer for one in time, and it knows better than the stamps of the link.
    let delay = min(max(start - estimate.commandEnd, .zero), exchange.limit)
    clock = max(clock, exchange.sent + delay)
    feed(.receiving)
    clock = clock + air
    feed(.received(answer))
  }

  /// The chip has listened as long as the endpoint wanted: whatever it set a timer for is due.
  private mutating func silence() {
    if let due = timers.earliest { clock = max(clock, due) }
  }

  // MARK: Observations

  private mutating func observe(
    _ content: AirObservation.Content, from start: VirtualInstant, to end: VirtualInstant,
    _ uncertainty: Nanoseconds
  ) {
    guard options.keepsObservations, observations.count < ChipRadioOptions.maximumObservations
    else { return }
    observations.append(
      AirObservation(start: start, end: end, uncertainty: uncertainty, content))
  }

  /// What was on the air since the last call.
  public mutating func takeObservations() -> [AirObservation] {
    defer { observations = [] }
    return observations
  }

  /// What the endpoint has handed to its application since the last call.
  public mutating func takeApplicationMessages() -> [[UInt8]] {
    defer { applicationMessages = [] }
    return applicationMessages
  }
}
