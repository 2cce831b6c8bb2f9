public import NFCProtocols

/// The host's side of the dialogue with a PN53x: command, acknowledgement, answer, and every way
/// in which one of them can go wrong.
///
/// A state machine that never waits: whoever drives it sends what it asks for, keeps its one timer
/// and tells it what happened, input before timers of the same instant. Each command completes
/// exactly once, whatever the device does.
///
/// ```swift
/// var engine = HostEngine(.usb)
/// var outputs: [HostOutput] = []
/// engine.step(.perform(.getFirmwareVersion, .within(.milliseconds(100))), at: now, into: &outputs)
/// // outputs: .send([0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00]), .setTimer(…)
/// ```
public struct HostEngine: Sendable {
  /// The link and its times.
  public let configuration: HostEngineConfiguration
  /// The chip: as configured, and as it named itself once GetFirmwareVersion was answered.
  public internal(set) var chip: Chip
  /// True while a command or request is pending; another must wait.
  public var isBusy: Bool { pending != nil || confirmed != nil }
  /// True if frames have passed that overwrite the descriptors of a PN533 on USB.
  public internal(set) var mayHaveSpoiltDescriptors = false
  /// True if the link has ended.
  public var hasEnded: Bool { phase == .ended }

  enum Phase: Hashable, Sendable {
    case idle
    /// The transfer of the command is leaving.
    case sending
    /// The command has left; its acknowledgement is awaited.
    case acknowledging
    /// The chip works.
    case answering
    /// Nothing may be sent until the link is quiet.
    case clearing
    /// The acknowledgement of an answer is leaving, and the chip needs a pause after it.
    case confirming
    case ended
  }

  var phase = Phase.idle
  var pending: PendingRequest?
  /// An outcome that waits for its answer to be acknowledged.
  var confirmed: CommandOutcome?
  /// Transfers handed out and reported as sent, counted: their ends come in order.
  var transfersOut = 0
  var transfersSent = 0
  /// When the timer runs out; a timer input before that is none of ours.
  var deadline: VirtualInstant?
  var decoder = HostFrameDecoder()
  var found: [HostFrameEvent] = []
  /// The command that was given up last: its answer may come before the next acknowledgement.
  var abandoned: CommandCode?
  /// The body of the last answer, to know it again when a NACK brings it back.
  var lastAnswer: [UInt8] = []
  var mayBeAsleep: Bool
  var clearing = Clearing()
  var reader = ReaderLink()
  var notesLeft = 0

  /// The state of waiting for silence.
  struct Clearing: Hashable, Sendable {
    var began = VirtualInstant.start
    var lastInput = VirtualInstant.start
    var frames = 0
    /// The transfer whose end the pause counts from, 0 for none.
    var transfer = 0
    var quiet = Nanoseconds.zero
  }

  /// The notes that are kept of one command; a hostile device could cause any number.
  static let maximumNotes = 32

  /// Makes an engine for a link on which nothing has been sent yet.
  public init(_ configuration: HostEngineConfiguration) {
    self.configuration = configuration
    chip = configuration.chip
    mayBeAsleep = !configuration.wakeUp.isEmpty
  }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: HostInput, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    if phase == .ended { return afterTheEnd(input, at: now, into: &outputs) }
    switch input {
    case .perform(let command, let timing):
      perform(command, timing, at: now, into: &outputs)
    case .ask(let request):
      ask(request, at: now, into: &outputs)
    case .cancel:
      guard pending != nil else { return }
      giveUp(.link(.cancelled), at: now, into: &outputs)
    case .clearLink:
      precondition(!isBusy, "cancel the pending command before the link is cleared")
      guard !isReaderLink else { return }
      abort(nil, at: now, into: &outputs)
    case .sent:
      transferSent(at: now, into: &outputs)
    case .stalled:
      transferRefused(at: now, into: &outputs)
    case .received(let bytes):
      if isReaderLink {
        receivedMessage(bytes, at: now, into: &outputs)
      } else {
        receivedFrames(bytes, at: now, into: &outputs)
      }
    case .timer:
      guard let deadline else { return }
      guard now >= deadline else { return outputs.append(.setTimer(at: deadline)) }
      self.deadline = nil
      timerFired(at: now, into: &outputs)
    case .linkEnded:
      end(at: now, into: &outputs)
    }
  }

  var isReaderLink: Bool {
    if case .ccid = configuration.link { true } else { false }
  }

  // MARK: Commands

  private mutating func perform(
    _ command: Command, _ timing: CommandTiming, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    precondition(!isBusy, "a host engine performs one command at a time; wait or cancel first")
    notesLeft = Self.maximumNotes
    pending = PendingRequest(.command(command), timing, at: now)
    switch encoded(command) {
    case .success(let bytes):
      pending?.bytes = bytes
      if phase == .idle { transmit(at: now, into: &outputs) }
    case .failure(let failure):
      complete(.failure(failure), at: now, into: &outputs)
    }
  }

  /// The frame of a command, or the data of its CCID message.
  private func encoded(_ command: Command) -> Result<[UInt8], CommandFailure> {
    func failed(_ link: LinkFailure) -> Result<[UInt8], CommandFailure> {
      .failure(CommandFailure(command.code, in: .preparing, waited: .zero, .link(link)))
    }
    if case .unknown = command {
    } else {
      guard command.code.exists(on: chip) else { return failed(.notSupported(chip)) }
    }
    if case .inListPassiveTarget(_, let modulation, _) = command {
      guard chip.allows(modulation) else { return failed(.notSupported(chip)) }
    }
    do {
      let body = command.body(for: chip)
      let bytes =
        isReaderLink
        ? try ACR122Envelope.wrap(body) : try HostFrame.information(body, for: chip).encoded()
      return .success(bytes)
    } catch {
      return failed(.notEncodable(error))
    }
  }

  private mutating func ask(
    _ request: ReaderRequest, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    precondition(!isBusy, "a host engine performs one request at a time; wait or cancel first")
    notesLeft = Self.maximumNotes
    pending = PendingRequest(.reader(request), .patience(configuration.readerLimit), at: now)
    guard isReaderLink else {
      return complete(
        .failure(failure(.notSupported(chip), in: .preparing, at: now)), at: now, into: &outputs)
    }
    if case .pseudoAPDU(let bytes) = request { pending?.bytes = bytes }
    if phase == .idle { transmit(at: now, into: &outputs) }
  }

  /// Sends the pending command, for the first time or again.
  mutating func transmit(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard pending != nil else { return }
    pending?.sendings += 1
    pending?.stamps.sendings += 1
    if isReaderLink {
      sendMessage(at: now, into: &outputs)
    } else {
      var bytes = mayBeAsleep ? configuration.wakeUp : []
      bytes.append(contentsOf: pending?.bytes ?? [])
      mayBeAsleep = false
      pending?.stamps.commandLength = bytes.count
      send(bytes, into: &outputs)
    }
    pending?.transfer = transfersOut
    pending?.hasLeft = false
    phase = .sending
    setTimer(configuration.sendingLimit, from: now, into: &outputs)
  }

  mutating func send(_ bytes: [UInt8], into outputs: inout [HostOutput]) {
    transfersOut += 1
    outputs.append(.send(bytes))
  }

  mutating func setTimer(
    _ duration: Nanoseconds, from now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    deadline = now + duration
    outputs.append(.setTimer(at: now + duration))
  }

  mutating func stopTimer(into outputs: inout [HostOutput]) {
    guard deadline != nil else { return }
    deadline = nil
    outputs.append(.cancelTimer)
  }

  mutating func note(_ note: HostNote, into outputs: inout [HostOutput]) {
    guard notesLeft > 0 else { return }
    notesLeft -= 1
    outputs.append(.note(notesLeft == 0 ? .suppressed : note))
  }

  // MARK: Completion

  func failure(
    _ link: LinkFailure, in step: CommandFailure.Step, at now: VirtualInstant
  ) -> CommandFailure {
    failure(.link(link), in: step, at: now)
  }

  func failure(
    _ problem: CommandFailure.Problem, in step: CommandFailure.Step, at now: VirtualInstant
  ) -> CommandFailure {
    CommandFailure(
      pending?.code, in: step, waited: now - (pending?.stamps.requested ?? now), problem)
  }

  /// Ends the pending request; the phase is the caller's business.
  mutating func complete(
    _ result: Result<Response, CommandFailure>, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    guard let request = pending else { return }
    pending = nil
    guard case .command(let command) = request.content else {
      if case .failure(let failure) = result { outputs.append(.answered(.failure(failure))) }
      return
    }
    outputs.append(.completed(CommandOutcome(command, result, stamps: request.stamps)))
  }

  private mutating func end(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    stopTimer(into: &outputs)
    let step = currentStep
    phase = .ended
    if let confirmed {
      self.confirmed = nil
      outputs.append(.completed(confirmed))
    }
    complete(.failure(failure(.ended, in: step, at: now)), at: now, into: &outputs)
  }

  private mutating func afterTheEnd(
    _ input: HostInput, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    switch input {
    case .perform(let command, let timing):
      pending = PendingRequest(.command(command), timing, at: now)
    case .ask(let request):
      pending = PendingRequest(.reader(request), .unlimited, at: now)
    default:
      return
    }
    complete(.failure(failure(.ended, in: .preparing, at: now)), at: now, into: &outputs)
  }

  /// How far the pending command has come.
  var currentStep: CommandFailure.Step {
    switch phase {
    case .sending: .sending
    case .acknowledging: .acknowledging
    case .answering: .answering
    case .confirming: .reading
    case .idle, .clearing, .ended: .preparing
    }
  }
}
