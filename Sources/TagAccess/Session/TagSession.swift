import NFCProtocols

/// A request to an active tag.
struct TagRequest: Hashable, Sendable {
  var step: TagAccessError.Step
  /// An APDU where the tag speaks ISO-DEP, else the content of a frame without CRC.
  var bytes: [UInt8]
  /// The limit of a request outside of ISO-DEP.
  var limit: TimeLimit?

  init(_ step: TagAccessError.Step, _ bytes: [UInt8], limit: TimeLimit? = nil) {
    self.step = step
    self.bytes = bytes
    self.limit = limit
  }
}

/// The reader's side of one session with one tag: field, polling, activation, requests, end.
///
/// `TagReader` and `APDUSession` tell it what to ask; it tells them what came of it.
struct TagSession: Sendable {
  enum Event: Hashable, Sendable {
    case activated
    case answered([UInt8])
    case failed(TagAccessError)
    case closed
  }

  /// The timer of guard times.
  static let pauseTimer = RadioTimer(2)

  private enum Phase: Hashable, Sendable {
    case unused
    /// The field is off to reset cards.
    case resetting
    /// The field is on and no command may be sent yet.
    case guarding
    case activating
    case active
    case requesting
    /// HLTA was sent.
    case halting
    /// S(DESELECT) was sent.
    case deselecting
    /// Something went wrong; nothing but `close` and `restart` is sensible.
    case failed
    case ended
  }

  let configuration: TagReaderConfiguration
  private(set) var tag: TagIdentity?
  private var phase = Phase.unused
  private var activation: TagActivation
  private var pollIndex = 0
  private var exchange: FrameExchange?
  private var blocks: IsoDepInitiator?
  private var request: TagRequest?
  private var earliest = VirtualInstant.start
  private var lastPoll: FrameRequest?
  private var scratch: [IsoDepInitiator.Output] = []

  init(_ configuration: TagReaderConfiguration) {
    self.configuration = configuration
    activation = TagActivation(configuration)
  }

  // MARK: Commands of the owner

  /// Switches the field on and looks for a tag.
  mutating func open(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    tag = nil
    blocks = nil
    exchange = nil
    pollIndex = 0
    phase = .guarding
    outputs.append(.field(isOn: true))
    outputs.append(.setTimer(Self.pauseTimer, at: now + configuration.limits.guardTime))
  }

  /// Switches the field off for a while and begins again.
  mutating func restart(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    outputs.append(.field(isOn: false))
    phase = .resetting
    outputs.append(.setTimer(Self.pauseTimer, at: now + configuration.limits.resetTime))
  }

  /// True if a request may be made.
  var isReady: Bool { phase == .active }

  /// Sends a request to the active tag.
  mutating func ask(
    _ request: TagRequest, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    precondition(phase == .active, "a request was made while another one was under way")
    guard let tag else { preconditionFailure("an active session has a tag") }
    self.request = request
    phase = .requesting
    if blocks != nil {
      // The guard time of the card runs from its ATS; the block protocol does not know of it.
      if now < earliest {
        outputs.append(.setTimer(Self.pauseTimer, at: earliest))
      } else {
        _ = pass(.transceive(request.bytes), at: now, into: &outputs)
      }
      return
    }
    let limit = request.limit ?? TimeLimit(.responseTime, configuration.limits.type2Read)
    var exchange = FrameExchange(
      FrameRequest(
        step: request.step, frame: .protected(request.bytes, tag.technology), limit: limit,
        attempts: configuration.readAttempts))
    exchange.send(at: now, earliest: earliest, into: &outputs)
    self.exchange = exchange
  }

  /// Ends the session as configured; `Event.closed` follows, perhaps at once.
  mutating func close(at now: VirtualInstant, into outputs: inout [RadioOutput]) -> Event? {
    guard phase == .active, configuration.ending == .deselect, let tag else {
      return end(into: &outputs)
    }
    if blocks != nil {
      phase = .deselecting
      return pass(.deselect, at: now, into: &outputs)
    }
    guard tag.technology == .a else { return end(into: &outputs) }
    phase = .halting
    var exchange = FrameExchange(
      FrameRequest(
        step: .close, frame: TypeACommand.halt.frame,
        limit: TimeLimit(.frameDelayTime, configuration.limits.halt), attempts: 1))
    exchange.send(at: now, earliest: earliest, into: &outputs)
    self.exchange = exchange
    return nil
  }

  private mutating func end(into outputs: inout [RadioOutput]) -> Event {
    outputs.append(.cancelTimer(FrameExchange.timer))
    outputs.append(.cancelTimer(Self.pauseTimer))
    if configuration.ending != .nothing { outputs.append(.field(isOn: false)) }
    phase = .ended
    return .closed
  }

  // MARK: Inputs

  /// Takes one input; gives what concerns the owner.
  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) -> Event? {
    if case .timer(Self.pauseTimer) = input { return pauseOver(at: now, into: &outputs) }
    switch phase {
    case .unused, .resetting, .guarding, .active, .failed, .ended:
      return nil
    case .activating, .halting:
      return stepExchange(input, at: now, into: &outputs)
    case .requesting, .deselecting:
      if blocks == nil { return stepExchange(input, at: now, into: &outputs) }
      switch input {
      case .sent: return pass(.sent, at: now, into: &outputs)
      case .receiving: return pass(.receiving, at: now, into: &outputs)
      case .received(let frame): return pass(.received(frame), at: now, into: &outputs)
      case .timer(FrameExchange.timer): return pass(.timerFired, at: now, into: &outputs)
      default: return nil
      }
    }
  }

  private mutating func pauseOver(
    at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) -> Event? {
    switch phase {
    case .resetting:
      open(at: now, into: &outputs)
      return nil
    case .guarding:
      phase = .activating
      let technologies = configuration.technologies
      let technology = technologies[pollIndex % technologies.count]
      begin(activation.poll(technology), at: now, into: &outputs)
      return nil
    case .requesting:
      guard let request, blocks != nil else { return nil }
      return pass(.transceive(request.bytes), at: now, into: &outputs)
    default:
      return nil
    }
  }

  private mutating func begin(
    _ request: FrameRequest, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    if case .poll = request.step { lastPoll = request }
    var exchange = FrameExchange(request)
    exchange.send(at: now, earliest: earliest, into: &outputs)
    self.exchange = exchange
  }

  private mutating func stepExchange(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) -> Event? {
    guard let outcome = exchange?.step(input, at: now, into: &outputs), let exchange else {
      return nil
    }
    switch outcome {
    case .silence(let waited):
      return silence(exchange, waited: waited, at: now, into: &outputs)
    case .answer(let frame):
      let technology = exchange.request.frame.technology ?? .a
      earliest = now + configuration.limits.pause(technology)
      if phase == .halting { return end(into: &outputs) }
      do {
        return phase == .activating
          ? try activationAnswered(frame, at: now, into: &outputs)
          : try requestAnswered(frame, exchange.request)
      } catch {
        if case .damagedAnswer = error.problem, exchange.mayRepeat {
          outputs.append(.note(.retransmission(attempt: exchange.sendings)))
          self.exchange?.send(at: now, earliest: earliest, into: &outputs)
          return nil
        }
        return fail(error)
      }
    }
  }

  private mutating func silence(
    _ exchange: FrameExchange, waited: Nanoseconds, at now: VirtualInstant,
    into outputs: inout [RadioOutput]
  ) -> Event? {
    if phase == .halting {
      // Silence is how a card says that it took HLTA.
      outputs.append(.note(.deselected))
      return end(into: &outputs)
    }
    if case .poll = exchange.request.step {
      pollIndex += 1
      guard pollIndex < configuration.technologies.count * configuration.pollingRounds else {
        return fail(exchange.request.error(.noTag))
      }
      phase = .guarding
      outputs.append(.setTimer(Self.pauseTimer, at: now + configuration.limits.guardTime))
      return nil
    }
    outputs.append(
      .note(.limitExceeded(exchange.request.limit, attempt: exchange.sendings)))
    return fail(
      exchange.request.error(
        .noAnswer(exchange.request.limit, waited: waited, attempts: exchange.sendings)))
  }

  private mutating func fail(_ error: TagAccessError) -> Event {
    phase = .failed
    exchange = nil
    blocks = nil
    request = nil
    return .failed(error)
  }

  private mutating func activationAnswered(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) throws(TagAccessError) -> Event? {
    switch try activation.answered(frame) {
    case .request(let next):
      begin(next, at: now, into: &outputs)
      return nil
    case .done(let quiet):
      let identity = activation.tag
      tag = identity
      exchange = nil
      phase = .active
      earliest = max(earliest, now + quiet)
      if let parameters = activation.isoDep {
        blocks = IsoDepInitiator(
          parameters, timings: activation.timings, recovery: configuration.recovery)
      }
      outputs.append(.note(.activated(identity.technology, identifier: identity.identifier)))
      return .activated
    }
  }

  private mutating func requestAnswered(
    _ frame: RadioFrame, _ request: FrameRequest
  ) throws(TagAccessError) -> Event {
    if let answer = FourBitAnswer(frame), !answer.isAcknowledge {
      throw request.error(.refusedByTag(answer.rawValue))
    }
    let content = Array(try request.content(of: frame))
    phase = .active
    exchange = nil
    return .answered(content)
  }

  // MARK: Blocks

  private mutating func pass(
    _ input: IsoDepInitiator.Input, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) -> Event? {
    scratch.removeAll(keepingCapacity: true)
    blocks?.step(input, at: now, into: &scratch)
    var event: Event?
    for output in scratch {
      switch output {
      case .send(let frame, let delay):
        outputs.append(.send(frame, after: max(delay, earliest - now)))
      case .setTimer(let instant): outputs.append(.setTimer(FrameExchange.timer, at: instant))
      case .cancelTimer: outputs.append(.cancelTimer(FrameExchange.timer))
      case .awaitAnswer(let limit): outputs.append(.awaitAnswer(limit))
      case .note(let note): outputs.append(.note(note))
      case .response(let bytes):
        phase = .active
        event = .answered(bytes)
      case .present:
        phase = .active
      case .deselected(let isConfirmed):
        if isConfirmed { outputs.append(.note(.deselected)) }
        event = end(into: &outputs)
      case .failed(let failure):
        let failed = request ?? TagRequest(.close, [])
        event =
          phase == .deselecting
          ? end(into: &outputs)
          : fail(TagAccessError(failed.step, command: failed.bytes, .blocks(failure)))
      }
    }
    return event
  }
}
