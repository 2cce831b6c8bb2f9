public import NFCProtocols
public import PN53x

/// Lets a card of this package work through a chip in target mode, frame by frame.
///
/// The chip answers REQA, anticollision and SELECT by itself; from RATS on each frame of the
/// reader comes by TgInitAsTarget or TgGetInitiatorCommand, and each answer of the card goes out by
/// TgResponseToInitiator. The card is asked beforehand what it is. It goes on for session after
/// session until it is cancelled; what the reader does (releases, leaves, begins anew) is no error.
public struct TargetRadio<Card: RadioEndpoint>: SessionAgenda {
  /// The card.
  public private(set) var card: Card
  /// Why the chip could not go on.
  public private(set) var failure: CommandFailure?
  /// How many times a reader has activated the card.
  public private(set) var sessions = 0
  /// What was on the air since the last `takeObservations`, if observations are kept.
  public private(set) var observations: [AirObservation] = []
  /// What the card has handed to the application behind it since `takeApplicationMessages`.
  public private(set) var applicationMessages: [[UInt8]] = []

  private let options: ChipRadioOptions
  private let sessionLimit: Int
  private let chip: Chip
  private var settings: ChipSettings
  private var identity = SelectableIdentity()
  private var rules = TargetModeRules()
  private var timers = EndpointTimers()
  private var now = VirtualInstant.start
  private var waiting: [Reply] = []
  private var phase = Phase.unused
  private var owesApplication = false
  private var framesInSession = 0
  private var isSwallowing = false
  private var outputs: [RadioOutput] = []

  private enum Phase: Hashable, Sendable {
    case unused
    case preparing
    /// TgInitAsTarget waits for a reader.
    case waitingForReader
    /// TgGetInitiatorCommand waits for a frame.
    case listening
    /// The card thinks.
    case thinking
    case answering(RadioFrame)
    case looking
    case pausing
    case ended
  }

  private struct Reply: Hashable, Sendable {
    var frame: RadioFrame
    var earliest: VirtualInstant
  }

  /// Makes an adapter for a chip that is open.
  ///
  /// - Parameter sessionLimit: After how many sessions to stop.
  public init(
    _ card: Card, chip: Chip, settings: ChipSettings = ChipSettings(), sessionLimit: Int = .max,
    options: ChipRadioOptions = ChipRadioOptions()
  ) {
    self.card = card
    self.chip = chip
    self.settings = settings
    self.sessionLimit = sessionLimit
    self.options = options
  }

  // MARK: The agenda

  /// Asks the card what it is and becomes a target, or goes on after `application`.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    self.now = now
    guard phase == .unused else { return afterCard() }
    feed(.start)
    identity = SelectableIdentity(of: &card, at: now)
    // The chip must not answer RATS or ATR_REQ on its own.
    let flags = settings.flags.subtracting([.automaticATRResponse, .cardEmulation])
    guard flags != settings.flags else { return becomeTarget() }
    phase = .preparing
    return perform(.setParameters(flags))
  }

  /// Gives the card an answer of its application; then the agenda is run again.
  public mutating func application(_ bytes: [UInt8], at now: VirtualInstant) {
    self.now = max(self.now, now)
    owesApplication = false
    feed(.application(bytes))
  }

  /// Goes on after a command of the chip.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    self.now = now
    switch outcome.result {
    case .success(let response):
      settings.done(outcome.command)
      return succeeded(response, outcome.stamps)
    case .failure(let failure): return failed(outcome, failure)
    }
  }

  /// Goes on when the card, or a pause, wanted to wait.
  public mutating func woken(at now: VirtualInstant) -> SessionMove {
    self.now = now
    if phase == .pausing { return becomeTarget() }
    while let due = timers.earliest, due <= now, let timer = timers.takeEarliest() {
      feed(.timer(timer))
    }
    return afterCard()
  }

  private func perform(_ command: Command) -> SessionMove {
    .perform(command, settings.timing(of: command))
  }

  // MARK: Being a target

  private mutating func becomeTarget() -> SessionMove {
    guard sessions < sessionLimit else {
      phase = .ended
      return .done
    }
    phase = .waitingForReader
    let setUp = TargetModeSetUp(
      // An RC-S956 wants bit 0 clear.
      mode: chip == .rcS956 ? 0 : TargetModeSetUp.passiveOnly, atqa: identity.atqa,
      sak: identity.sak,
      uid: identity.uid)
    return perform(.tgInitAsTarget(setUp.parameters))
  }

  private mutating func succeeded(
    _ response: Response, _ stamps: CommandStamps
  ) -> SessionMove {
    switch (phase, response) {
    case (.preparing, _): return becomeTarget()
    case (.waitingForReader, .activated(_, let command)):
      activated()
      return received(command, stamps)
    case (.listening, .data(_, _, let command)):
      rules.frameCame()
      return received(command, stamps)
    case (.answering(let frame), _):
      observeAnswer(frame, stamps)
      feed(.sent)
      return afterCard()
    default: return endSession()
    }
  }

  private mutating func failed(
    _ outcome: CommandOutcome, _ failure: CommandFailure
  ) -> SessionMove {
    switch phase {
    case .looking: return endSession()
    case .preparing, .waitingForReader: break
    default:
      switch rules.verdict(outcome, failure) {
      case .listen: return listen()
      case .restart: return endSession()
      case .look:
        phase = .looking
        return perform(.tgGetTargetStatus)
      case .fail: break
      }
    }
    self.failure = failure
    phase = .ended
    return .done
  }

  private mutating func activated() {
    sessions += 1
    framesInSession = 0
    rules.sessionBegan()
    feed(.fieldChanged(isOn: true))
    observe(.field(isOn: true), from: now, to: now, .zero)
    // What the chip has answered by itself, the card must have answered, too.
    isSwallowing = true
    for frame in identity.selection { feed(.received(frame)) }
    isSwallowing = false
    waiting = []
  }

  private mutating func endSession() -> SessionMove {
    rules.sessionEnded(wasEmpty: framesInSession <= 1)
    waiting = []
    owesApplication = false
    feed(.fieldChanged(isOn: false))
    waiting = []
    timers = EndpointTimers()
    observe(.field(isOn: false), from: now, to: now, .zero)
    guard rules.emptySessions > TargetModeRules.mostEmptySessions else { return becomeTarget() }
    phase = .pausing
    return .rest(until: now + TargetModeRules.pause)
  }

  // MARK: Frames

  private mutating func received(
    _ command: [UInt8], _ stamps: CommandStamps
  ) -> SessionMove {
    guard !command.isEmpty else { return listen() }
    framesInSession += 1
    let frame = RadioFrame.protected(command, .a, kilobitsPerSecond: 106)
    let air = AirTime.duration(of: frame, .outbound)
    let end = now + (.zero - AirEstimate.chipTime)
    observe(
      .frame(.outbound, frame), from: end + (.zero - air), to: end, AirEstimate.chipTime)
    feed(.received(frame))
    return afterCard()
  }

  /// Sends what the card has to say, waits for it, or listens if it has nothing to say.
  private mutating func afterCard() -> SessionMove {
    if phase == .ended { return .done }
    if let reply = waiting.first {
      // The chip and the link take longer than any frame delay of type A.
      if reply.earliest - now > ChipRadioOptions.shortestPause {
        phase = .thinking
        return .rest(until: reply.earliest)
      }
      waiting.removeFirst()
      phase = .answering(reply.frame)
      return perform(.tgResponseToInitiator(Array(reply.frame.content())))
    }
    // A card that owes an answer asks for more time by a timer; nobody is listened to till then.
    if let due = timers.earliest {
      phase = .thinking
      return .rest(until: due)
    }
    guard owesApplication else { return listen() }
    phase = .thinking
    return .done
  }

  private mutating func listen() -> SessionMove {
    phase = .listening
    return perform(.tgGetInitiatorCommand)
  }

  private mutating func feed(_ input: RadioInput) {
    var batch: [RadioOutput] = []
    swap(&batch, &outputs)
    card.step(input, at: now, into: &batch)
    for output in batch {
      switch output {
      case .send(let frame, let delay):
        owesApplication = false
        if !isSwallowing {
          waiting.append(Reply(frame: frame, earliest: now + max(delay, .zero)))
        }
      case .setTimer(let timer, let instant): timers.set(timer, at: instant)
      case .cancelTimer(let timer): timers.cancel(timer)
      case .application(let bytes):
        owesApplication = true
        applicationMessages.append(bytes)
      case .note(let note): observe(.note(note), from: now, to: now, .zero)
      case .field, .awaitAnswer, .finished: break
      }
    }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &outputs)
  }

  // MARK: Observations

  private mutating func observeAnswer(_ frame: RadioFrame, _ stamps: CommandStamps) {
    let air = AirTime.duration(of: frame, .inbound)
    let estimate = AirEstimate(stamps, command: air, answer: nil, delay: .zero)
    observe(
      .frame(.inbound, frame), from: estimate.commandStart, to: estimate.commandEnd,
      estimate.uncertainty)
  }

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

  /// What the card has handed to its application since the last call.
  public mutating func takeApplicationMessages() -> [[UInt8]] {
    defer { applicationMessages = [] }
    return applicationMessages
  }
}
