public import NFCProtocols
public import PN53x

/// Finds a tag and reads its NDEF message with the protocols of the chip: InListPassiveTarget and
/// InDataExchange.
///
/// Blocks, repetitions and waiting time extensions stay hidden in the chip; `ChipRadio` with a
/// `TagReader` is the way to see them. Both give the same result for the same tag.
public struct ChipTagReader: SessionAgenda, Sendable {
  /// What was read or why nothing was, once the agenda is done.
  public private(set) var result: Result<TagReadResult, TagAccessError>?
  /// The APDUs and commands exchanged so far, if they are kept.
  public private(set) var observations: [AirObservation] = []
  /// True to keep what was exchanged, for a recorder.
  public var keepsObservations = false

  private let configuration: TagReaderConfiguration
  private var reader: ChipReader
  private var modulations: [PassiveModulation]
  private var pollIndex = 0
  private var sessionsLeft: Int
  private var phase = Phase.selecting
  private var selection: TargetSelection?
  private var exchange: DataExchange?
  private var target: SelectedTarget?
  private var reading: (any TagReading)?
  private var request: TagRequest?
  private var asked = VirtualInstant.start
  private var outcome: Result<TagReadResult, TagAccessError>?

  private enum Phase: Hashable, Sendable {
    case selecting
    case exchanging
    /// The target is released before the next try, or for good.
    case releasing
    case switchingOff
    /// The field is off, so that cards and phones begin anew.
    case resetting
  }

  /// Makes a reader for the technologies of a configuration; ISO/IEC 15693 is left out.
  ///
  /// Frame sizes, bit rates and repetitions of blocks are the chip's business.
  public init(
    _ configuration: TagReaderConfiguration = TagReaderConfiguration([.a, .b, .f]),
    on reader: ChipReader
  ) {
    self.configuration = configuration
    self.reader = reader
    sessionsLeft = configuration.sessionAttempts - 1
    modulations = configuration.technologies.flatMap { (technology) -> [PassiveModulation] in
      switch technology {
      case .a: [.typeA106]
      case .b: [.typeB106]
      case .f: [.feliCa212, .feliCa424]
      case .v: []
      }
    }
    modulations.removeAll { !reader.chip.allows($0) }
  }

  // MARK: The agenda

  /// The first command.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    selectNext(isFirst: true, at: now)
  }

  /// The next command, if there is one.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    if case .success = outcome.result { reader.settings.done(outcome.command) }
    switch phase {
    case .selecting:
      guard let move = selection?.completed(outcome, at: now) else { return .done }
      return move == .done ? selected(at: now) : move
    case .exchanging:
      guard let move = exchange?.completed(outcome) else { return .done }
      return follow(move, at: now)
    case .releasing:
      return released(outcome, at: now)
    case .switchingOff:
      guard result == nil, self.outcome == nil else { return finish() }
      phase = .resetting
      return .rest(until: now + configuration.limits.resetTime)
    case .resetting:
      return .done
    }
  }

  /// Goes on after the field was off for a while.
  public mutating func woken(at now: VirtualInstant) -> SessionMove {
    pollIndex = 0
    return selectNext(isFirst: true, at: now)
  }

  // MARK: Selecting

  private mutating func selectNext(isFirst: Bool, at now: VirtualInstant) -> SessionMove {
    let rounds = modulations.count * configuration.pollingRounds
    guard pollIndex < rounds else {
      let last = configuration.technologies.last ?? .a
      return end(.failure(TagAccessError(.poll(last), command: [], .noTag)))
    }
    var selection = TargetSelection(
      modulations[pollIndex % modulations.count], chip: reader.chip, settings: reader.settings)
    selection.releasesFirst = isFirst
    phase = .selecting
    pollIndex += 1
    let move = selection.begin(at: now)
    self.selection = selection
    return move
  }

  private mutating func selected(at now: VirtualInstant) -> SessionMove {
    switch selection?.result {
    case .success(let target):
      self.target = target
      guard target.tag.tagType != .type4 || target.hasISODEP else {
        return end(
          .failure(
            TagAccessError(
              .rats, command: [], .unsupported("the chip has not sent RATS; set automatic RATS"))))
      }
      guard var reading = TagReader.reading(target.tag, configuration) else {
        return conclude(message: nil)
      }
      let first = reading.begin()
      self.reading = reading
      return ask(first, at: now)
    case .failure(let error) where error.problem == .noTag:
      return selectNext(isFirst: false, at: now)
    case .failure(let error): return end(.failure(error))
    case nil: return .done
    }
  }

  // MARK: Reading

  private mutating func ask(_ request: TagRequest, at now: VirtualInstant) -> SessionMove {
    guard let target else { return .done }
    self.request = request
    asked = now
    phase = .exchanging
    var exchange = DataExchange(
      request.bytes, to: target.number, waitingTime: target.waitingTime,
      settings: reader.settings, maximumBodyLength: reader.maximumBodyLength)
    let move = exchange.begin()
    self.exchange = exchange
    return follow(move, at: now)
  }

  private mutating func follow(_ move: DataExchange.Move, at now: VirtualInstant) -> SessionMove {
    switch move {
    case .perform(let command, let timing): return .perform(command, timing)
    case .done(let answer):
      observe(answer, at: now)
      return answered(answer, at: now)
    case .failed(let failure): return failed(.chip(failure), at: now)
    case .tooLong: return failed(.unsupported("the response has no end"), at: now)
    }
  }

  private mutating func answered(_ answer: [UInt8], at now: VirtualInstant) -> SessionMove {
    do {
      switch try reading?.answered(answer) {
      case .request(let request): return ask(request, at: now)
      case .done(let message): return conclude(message: message)
      case nil: return .done
      }
    } catch {
      return end(.failure(error))
    }
  }

  private mutating func failed(
    _ problem: TagAccessError.Problem, at now: VirtualInstant
  ) -> SessionMove {
    let error = TagAccessError(
      request?.step ?? .exchange, command: request?.bytes ?? [], problem)
    guard case .chip(let failure) = problem, failure.link == nil else {
      return end(.failure(error))
    }
    // A FeliCa card without the NDEF system stays silent when it is polled for.
    if failure.radio == .silence, error.step == .readCapability, let tag = target?.tag,
      tag.technology == .f, tag.systemCode != FeliCaCommand.ndefSystem,
      error.command.dropFirst().first == 0x00
    {
      return conclude(message: nil)
    }
    guard sessionsLeft > 0 else { return end(.failure(error)) }
    sessionsLeft -= 1
    return release()
  }

  private mutating func conclude(message: [UInt8]?) -> SessionMove {
    guard let target else { return .done }
    return end(TagReadResult.read(message, of: target.tag))
  }

  // MARK: The end

  private mutating func end(_ outcome: Result<TagReadResult, TagAccessError>) -> SessionMove {
    self.outcome = outcome
    if case .failure(let error) = outcome, case .chip(let failure) = error.problem,
      failure.link == .ended || failure.link == .cancelled
    {
      return finish()
    }
    return configuration.ending == .nothing ? finish() : release()
  }

  private mutating func release() -> SessionMove {
    guard let number = target?.number, configuration.ending == .deselect || outcome == nil
    else { return switchOff() }
    phase = .releasing
    target = nil
    let command = Command.inRelease(
      TargetReference(number, leadingByte: reader.chip == .rcS956 ? 1 : nil))
    return .perform(command, reader.settings.timing(of: command))
  }

  private mutating func released(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    if case .failure(let failure) = outcome.result, failure.link != nil {
      if self.outcome == nil {
        self.outcome = .failure(TagAccessError(.close, command: [], .chip(failure)))
      }
      return finish()
    }
    return switchOff()
  }

  private mutating func switchOff() -> SessionMove {
    phase = .switchingOff
    let command = Command.rfConfiguration(
      .field(isOn: false, automaticCollisionAvoidance: false))
    return .perform(command, reader.settings.timing(of: command))
  }

  private mutating func finish() -> SessionMove {
    result = outcome
    return .done
  }

  // MARK: Observations

  private mutating func observe(_ answer: [UInt8], at now: VirtualInstant) {
    guard keepsObservations, let request, target?.hasISODEP == true,
      observations.count < ChipRadioOptions.maximumObservations
    else { return }
    let spread = now - asked
    observations.append(
      AirObservation(
        start: asked, end: asked, uncertainty: spread, .apdu(.outbound, request.bytes)))
    observations.append(
      AirObservation(start: now, end: now, uncertainty: spread, .apdu(.inbound, answer)))
  }

  /// What was exchanged since the last call.
  public mutating func takeObservations() -> [AirObservation] {
    defer { observations = [] }
    return observations
  }
}
