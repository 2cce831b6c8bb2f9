public import NFCProtocols

/// A PN53x chip as a state machine: what it answers a host, and what it does on the air meanwhile.
///
/// What is not known of the real chips is a parameter in `ChipModelConfiguration`; each quirk names
/// its note in `firmware-notes/pn53x`. Bytes from the host may be anything: the model never traps.
public struct ChipModel: ChipEndpoint, Sendable {
  /// Which chip it is.
  public let configuration: ChipModelConfiguration

  var registers = ChipRegisters()
  var flags = ParameterFlags.usual
  var radio = RadioSettings()
  var targets: [ChipTarget] = []
  var fieldIsOn = false
  /// When frames may begin: the guard time after field on, the pause after a card's frame.
  var earliestFrame = VirtualInstant.start
  /// True if type A cards were called since the field came on.
  var hasPolledTypeA = false

  // The link
  var decoder = HostFrameDecoder()
  var hostEvents: [HostFrameEvent] = []
  var lastResponse: [UInt8] = []
  var deafUntil = VirtualInstant.start

  // The command at work
  var running: RunningCommand?
  /// A response that waits for its time.
  var pendingResponse: [UInt8] = []
  var isResponsePending = false

  // The air
  var procedure: (any AirProcedure)?
  var air = AirState.quiet
  var blockWork: BlockWork?
  var isBlockStartPending = false

  /// The response is due.
  static let responseTimer = RadioTimer(0)
  /// The work on the air begins, or a pause is over.
  static let pauseTimer = RadioTimer(1)
  /// No answer has come.
  static let limitTimer = RadioTimer(2)

  /// Makes a chip without power.
  public init(_ configuration: ChipModelConfiguration) {
    self.configuration = configuration
    registers.reset()
  }

  /// Takes one input.
  public mutating func step(
    _ input: ChipInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch input {
    case .start:
      break
    case .host(let bytes):
      received(bytes, at: now, into: &outputs)
    case .radio(let input):
      heard(input, at: now, into: &outputs)
    case .timer(Self.responseTimer):
      guard isResponsePending else { return }
      isResponsePending = false
      running = nil
      emit(pendingResponse, into: &outputs)
    case .timer(Self.blockTimer):
      blockTimerFired(at: now, into: &outputs)
    case .timer(let timer):
      airTimer(timer, at: now, into: &outputs)
    }
  }

  // MARK: Frames from the host

  private mutating func received(
    _ bytes: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard now >= deafUntil else { return }
    var events: [HostFrameEvent] = []
    swap(&events, &hostEvents)
    decoder.decode(bytes, into: &events)
    for event in events {
      switch event {
      case .frame(.information(let body, let form)):
        take(
          body, isExtended: form == .extended, transferLength: bytes.count, at: now,
          into: &outputs)
      case .frame(.ack): abort(at: now, into: &outputs)
      case .frame(.nack): repeatResponse(into: &outputs)
      case .wakeUp:
        if configuration.deafAfterWakeUp > .zero {
          deafUntil = now + configuration.deafAfterWakeUp
        }
      // A frame whose checksums do not fit gets no answer at all.
      case .frame(.error), .corrupt: break
      }
    }
    events.removeAll(keepingCapacity: true)
    swap(&events, &hostEvents)
  }

  /// An ACK of the host ends the command at work; with none at work it means "arrived".
  // firmware-notes/pn53x/implicit-abort.md
  private mutating func abort(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard running != nil else { return }
    stop(at: now, into: &outputs)
    if configuration.deafAfterAbort > .zero {
      deafUntil = now + configuration.deafAfterAbort
    }
  }

  // firmware-notes/pn53x/nack-repeats-response.md
  private mutating func repeatResponse(into outputs: inout [ChipOutput]) {
    guard !lastResponse.isEmpty, configuration.chip != .rcS956 else { return }
    outputs.append(.host(lastResponse, after: configuration.latency.repetition))
  }

  private mutating func take(
    _ body: [UInt8], isExtended: Bool, transferLength: Int, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard body[0] == HostFrame.hostToChip, body.count <= configuration.chip.maximumBodyLength,
      !isExtended || configuration.chip.hasExtendedFrames
    else { return }
    let latency = configuration.latency
    var acknowledged = latency.acknowledgementTime(
      transferLength: transferLength, bodyLength: body.count, isExtended: isExtended)
    if running != nil {
      acknowledged += latency.interruption
      stop(at: now, into: &outputs)
    }
    outputs.append(.host(Self.acknowledgement, after: acknowledged))
    guard body.count >= 2 else {
      running = RunningCommand(code: 0, readyAt: now + acknowledged)
      return respond(error: true, at: now, into: &outputs)
    }
    let time = latency.responseTime(body[1], parameters: body[2...])
    running = RunningCommand(
      code: body[1], acknowledgedAt: now + acknowledged, readyAt: now + acknowledged + time)
    run(body, at: now, into: &outputs)
  }

  /// Ends the command at work without a response.
  mutating func stop(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    running = nil
    if isResponsePending {
      isResponsePending = false
      outputs.append(.cancelTimer(Self.responseTimer))
    }
    stopAir(into: &outputs)
    stopBlocks(into: &outputs)
  }

  // MARK: Frames to the host

  static let acknowledgement: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  static let errorFrame: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

  /// Answers the command at work with the error frame.
  mutating func respond(error: Bool, at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    respond(frame: Self.errorFrame, at: now, into: &outputs)
  }

  /// Answers the command at work with `D5`, its code + 1 and a content.
  mutating func respond(
    _ content: some Collection<UInt8>, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let running else { return }
    var body: [UInt8] = []
    body.reserveCapacity(2 + content.count)
    body.append(HostFrame.chipToHost)
    body.append(running.code &+ 1)
    body.append(contentsOf: content)
    let form: InformationForm =
      body.count > InformationForm.normalMaximumBodyLength ? .extended : .normal
    let frame = HostFrame.information(body, form).encoded(options: framing)
    respond(frame: frame, at: now, into: &outputs)
  }

  private mutating func respond(
    frame: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let command = running else { return }
    lastResponse = frame
    if command.readyAt <= now {
      running = nil
      return emit(frame, into: &outputs)
    }
    pendingResponse = frame
    isResponsePending = true
    outputs.append(.setTimer(Self.responseTimer, at: command.readyAt))
  }

  private mutating func emit(_ frame: [UInt8], into outputs: inout [ChipOutput]) {
    outputs.append(.host(frame, after: .zero))
    if configuration.endsWithEmptyTransfer, frame.count % configuration.latency.packetSize == 0 {
      outputs.append(.host([], after: .zero))
    }
  }

  private var framing: FramingOptions {
    configuration.chip == .pn532 && flags.contains(.noPreambleAndPostamble) ? .bare : .standard
  }
}

/// The command that the chip works on.
struct RunningCommand: Hashable, Sendable {
  var code: UInt8
  /// When its ACK leaves.
  var acknowledgedAt = VirtualInstant.start
  /// The earliest instant of its response; what happens on the air may take longer.
  var readyAt: VirtualInstant
}

/// What RFConfiguration sets.
struct RadioSettings: Hashable, Sendable {
  var automaticCollisionAvoidance = false
  /// Item 02.
  var attributeTimeout = RFTimeoutCode(rawValue: 0x0B)
  var retryTimeout = RFTimeoutCode(rawValue: 0x0A)
  /// Item 04.
  var communicationRetries: UInt8 = 0
  /// Item 05; FF is for ever.
  var attributeRetries: UInt8 = 0xFF
  var parameterRetries: UInt8 = 0x01
  var activationRetries: UInt8 = 0xFF
}

/// A target that the chip holds under a number.
struct ChipTarget: Sendable {
  var number: UInt8
  var activated: ActivatedTarget
  /// The block protocol with it, while it is selected.
  var blocks: IsoDepInitiator?
  /// Parts of a command that the host sends with MI.
  var command: [UInt8] = []
  /// Parts of a response that the host has not fetched yet.
  var response: [UInt8] = []
}
