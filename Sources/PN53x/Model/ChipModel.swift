public import NFCProtocols

/// A PN53x chip as a state machine: what it answers a host, and what it does on the air meanwhile.
///
/// What is not known of the real chips is a parameter in `ChipModelConfiguration`; each quirk names
/// its note in `firmware-notes/pn53x`. Bytes from the host may be anything: the model never traps.
///
/// Not modelled: DEP by the chip itself (there is no DEP peer), node addresses, NFC-Secure.
public struct ChipModel: ChipEndpoint, Sendable {
  /// Which chip it is.
  public let configuration: ChipModelConfiguration
  /// The speed of a serial link; a new one counts from the ACK of the host on.
  public internal(set) var serialBaudRate = SerialBaudRate.baud115200
  /// True after PowerDown, until something wakes the chip.
  public internal(set) var isAsleep = false
  /// The memory that holds the USB descriptors of a PN533.
  public internal(set) var descriptors: DescriptorMemory

  // The controller
  var registers = ChipRegisters()
  var flags = ParameterFlags.usual
  var radio = RadioSettings()
  var analogue: AnalogueSettings
  var lastError: UInt8 = 0
  var nextBaudRate: SerialBaudRate?
  /// When PowerDown takes effect.
  var sleepsAt: VirtualInstant?

  // Initiator and target
  var targets: [ChipTarget] = []
  var targetMode: TargetModeState?
  var fieldIsOn = false
  /// True while the field of another reader is there.
  var seesExternalField = false
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
  /// The target and the speed that InPSL asks for.
  var speedAsked: (target: UInt8, speed: UInt8)?
  /// True while InDataExchange opens a sector of a MIFARE Classic.
  var isAuthenticating = false
  /// What the first byte of the data queue is: of the frame last sent or received.
  var queueByte: UInt8 = 0

  /// The response is due.
  static let responseTimer = RadioTimer(0)
  /// The work on the air begins, or a pause is over.
  static let pauseTimer = RadioTimer(1)
  /// No answer has come.
  static let limitTimer = RadioTimer(2)
  /// The block protocol with a card.
  static let blockTimer = RadioTimer(3)
  /// The block protocol as a card.
  static let cardTimer = RadioTimer(4)

  /// Makes a chip without power.
  public init(_ configuration: ChipModelConfiguration) {
    self.configuration = configuration
    analogue = AnalogueSettings(of: configuration.chip)
    descriptors = DescriptorMemory(configuration.descriptors)
    registers.reset()
    registers[.p3] = configuration.ports.p3
    registers[.p7] = configuration.ports.p7
  }

  /// Takes one input.
  public mutating func step(
    _ input: ChipInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch input {
    case .start: break
    case .host(let bytes): received(bytes, at: now, into: &outputs)
    case .radio(let input): heard(input, at: now, into: &outputs)
    case .timer(Self.responseTimer):
      guard isResponsePending else { return }
      isResponsePending = false
      running = nil
      emit(pendingResponse, into: &outputs)
    case .timer(Self.blockTimer): blockTimerFired(at: now, into: &outputs)
    case .timer(Self.cardTimer): stepCard(.timerFired, at: now, into: &outputs)
    case .timer(let timer): airTimer(timer, at: now, into: &outputs)
    }
  }

  /// Ends the command at work without a response.
  mutating func stop(into outputs: inout [ChipOutput]) {
    let code = running?.code
    running = nil
    if isResponsePending {
      isResponsePending = false
      outputs.append(.cancelTimer(Self.responseTimer))
    }
    stopAir(into: &outputs)
    stopBlocks(into: &outputs)
    if code == CommandCode.tgInitAsTarget.rawValue, targetMode?.isWaiting == true {
      leaveTargetMode(into: &outputs)
    }
  }
}

/// The command that the chip works on.
struct RunningCommand: Hashable, Sendable {
  var code: UInt8
  /// When its ACK leaves.
  var acknowledgedAt: VirtualInstant
  /// The earliest instant of its response; what happens on the air may take longer.
  var readyAt: VirtualInstant
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
