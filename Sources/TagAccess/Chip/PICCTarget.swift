public import NFCProtocols
public import PN53x

/// Lets an emulated card be a card through the PICC mode of a PN532: the chip runs ISO-DEP.
///
/// The chip answers RATS with an ATS of its own and asks for more time by itself; APDUs come by
/// TgGetData and go by TgSetData. It goes on for session after session until it is cancelled, and
/// what phones do between their sessions is no error (scenario S16). The answer to a command whose
/// session is lost is dropped; it never becomes that of the next session's first command (S17).
public struct PICCTarget<Card: EmulatedCard>: SessionAgenda, Sendable {
  /// The application.
  public private(set) var card: Card
  /// Why the chip could not go on.
  public private(set) var failure: CommandFailure?
  /// How many times a reader has activated the card.
  public private(set) var sessions = 0
  /// How many answers were dropped because their session was over.
  public private(set) var droppedAnswers = 0
  /// The APDUs since the last `takeObservations`, if they are kept.
  public private(set) var observations: [AirObservation] = []

  private let setUp: TargetModeSetUp
  private let sessionLimit: Int
  private let keepsObservations: Bool
  private let partLength: Int
  private var settings: ChipSettings
  private var rules = TargetModeRules()
  private var phase = Phase.preparing
  private var command: [UInt8] = []
  private var commandsInSession = 0
  private var rest: ArraySlice<UInt8> = []

  private enum Phase: Hashable, Sendable {
    case preparing
    case waitingForReader
    case listening
    case thinking
    case answering
    case looking
    case pausing
    case ended
  }

  /// The longest command that is joined from parts.
  private static var maximumCommandLength: Int { IsoDepTarget.maximumCommandBytes }

  /// Makes an adapter for a PN532 that is open.
  ///
  /// - Parameter sessionLimit: After how many sessions to stop.
  public init(
    _ card: Card, settings: ChipSettings = ChipSettings(), setUp: TargetModeSetUp? = nil,
    sessionLimit: Int = .max, keepsObservations: Bool = false
  ) {
    self.card = card
    self.settings = settings
    self.sessionLimit = sessionLimit
    self.keepsObservations = keepsObservations
    self.setUp = setUp ?? TargetModeSetUp(mode: TargetModeSetUp.cardOnly)
    // D4 8E stand in front of the data; the chip's own limit is that of InDataExchange.
    partLength = Command.maximumExchangeLength
  }

  // MARK: The agenda

  /// Switches the chip to card emulation.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    let flags = settings.flags.union([.cardEmulation, .automaticRATS])
    guard flags != settings.flags else { return becomeTarget() }
    return perform(.setParameters(flags))
  }

  /// Goes on after a command of the chip.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    switch outcome.result {
    case .success(let response):
      settings.done(outcome.command)
      return succeeded(response, outcome.stamps, at: now)
    case .failure(let failure): return failed(outcome, failure, at: now)
    }
  }

  /// Goes on when the application is ready, or a pause is over.
  public mutating func woken(at now: VirtualInstant) -> SessionMove {
    phase == .pausing ? becomeTarget() : sendPart()
  }

  private func perform(_ command: Command) -> SessionMove {
    .perform(command, settings.timing(of: command))
  }

  private mutating func becomeTarget() -> SessionMove {
    guard sessions < sessionLimit else {
      phase = .ended
      return .done
    }
    phase = .waitingForReader
    return perform(.tgInitAsTarget(setUp.parameters))
  }

  private mutating func succeeded(
    _ response: Response, _ stamps: CommandStamps, at now: VirtualInstant
  ) -> SessionMove {
    switch (phase, response) {
    case (.preparing, _): return becomeTarget()
    case (.waitingForReader, .activated):
      sessions += 1
      commandsInSession = 0
      command = []
      rules.sessionBegan()
      card.activated()
      return listen()
    case (.listening, .data(_, let status, let data)):
      rules.frameCame()
      command += data
      guard command.count <= Self.maximumCommandLength else { return endSession(at: now) }
      return status.hasMoreInformation ? listen() : respond(stamps, at: now)
    case (.answering, _):
      return rest.isEmpty ? listen() : sendPart()
    default: return endSession(at: now)
    }
  }

  private mutating func failed(
    _ outcome: CommandOutcome, _ failure: CommandFailure, at now: VirtualInstant
  ) -> SessionMove {
    switch phase {
    case .looking: return endSession(at: now)
    case .preparing, .waitingForReader: break
    default:
      switch rules.verdict(outcome, failure) {
      case .listen: return listen()
      case .restart:
        if phase == .answering { droppedAnswers += 1 }
        return endSession(at: now)
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

  private mutating func listen() -> SessionMove {
    phase = .listening
    return perform(.tgGetData)
  }

  private mutating func respond(_ stamps: CommandStamps, at now: VirtualInstant) -> SessionMove {
    commandsInSession += 1
    observe(.apdu(.outbound, command), stamps, at: now)
    let answer = card.respond(to: command)
    command = []
    observe(.apdu(.inbound, answer.bytes), stamps, at: now + answer.processing)
    rest = answer.bytes[...]
    guard answer.processing > .zero else { return sendPart() }
    phase = .thinking
    return .rest(until: now + answer.processing)
  }

  private mutating func sendPart() -> SessionMove {
    phase = .answering
    let part = Array(rest.prefix(partLength))
    rest = rest.dropFirst(part.count)
    return perform(rest.isEmpty ? .tgSetData(part) : .tgSetMetaData(part))
  }

  private mutating func endSession(at now: VirtualInstant) -> SessionMove {
    rules.sessionEnded(wasEmpty: commandsInSession == 0)
    command = []
    rest = []
    card.fieldLost()
    guard rules.emptySessions > TargetModeRules.mostEmptySessions else { return becomeTarget() }
    phase = .pausing
    return .rest(until: now + TargetModeRules.pause)
  }

  // MARK: Observations

  private mutating func observe(
    _ content: AirObservation.Content, _ stamps: CommandStamps, at now: VirtualInstant
  ) {
    guard keepsObservations, observations.count < ChipRadioOptions.maximumObservations else {
      return
    }
    // The chip keeps the frames to itself: an APDU may have come at any time since it was asked.
    observations.append(
      AirObservation(
        start: now, end: now, uncertainty: now - stamps.requested, content))
  }

  /// What was exchanged since the last call.
  public mutating func takeObservations() -> [AirObservation] {
    defer { observations = [] }
    return observations
  }
}
