/// A fixed dialogue with a reader: what is said when it is opened or closed.
///
/// Whoever drives an engine asks for moves, feeds the inputs to the engine and reports the
/// completion of the last one.
public struct LinkPlan: Sendable {
  /// What to do next.
  public enum Move: Hashable, Sendable {
    /// Give these to the engine, in order; the last one will complete.
    case inputs([HostInput])
    /// Everything was said.
    case done
    /// The reader cannot be used.
    case failed(CommandFailure)
  }

  /// The version that the chip has told.
  public private(set) var firmware: FirmwareVersion?
  /// Why the reader cannot be used, if the plan failed.
  public internal(set) var failure: CommandFailure?
  /// What the chip is set to now.
  public private(set) var settings = ChipSettings()

  private var steps: [Step]
  private var current: Step?
  /// The settings that follow once the chip has named itself.
  private let options: Options?
  private let link: HostEngineConfiguration.Link

  private struct Step: Sendable {
    var inputs: [HostInput]
    /// False if the reader is of use also where this fails.
    var isNeeded = true

    static func command(_ command: Command, isNeeded: Bool = true) -> Step {
      Step(
        inputs: [.perform(command, ChipSettings().timing(of: command))], isNeeded: isNeeded)
    }
  }

  /// What a reader is set to when it is opened.
  public struct Options: Hashable, Sendable {
    /// The flags of SetParameters; without automatic RATS the chip leaves ISO-DEP to the host.
    public var flags = ParameterFlags.usual
    /// How often the chip looks for a passive target again; libnfc: 2, and FF never ends.
    public var activationRetries: UInt8 = 2
    /// The limit of raw exchanges until one is set for a card: 51.2 ms, the chip's own.
    public var exchangeLimit = RFTimeoutCode(rawValue: 0x0A)

    /// Makes the usual options.
    public init() {}
  }

  // MARK: Opening

  /// The dialogue that finds out what a reader is and brings it into a known state.
  ///
  /// An earlier program may have left a command running, and the first answer after the USB
  /// configuration was set may be lost (firmware-notes/pn53x/data-toggle.md): the link is cleared
  /// and a first GetFirmwareVersion is thrown away.
  public static func opening(
    _ link: HostEngineConfiguration.Link, options: Options = Options()
  ) -> LinkPlan {
    var steps: [Step] = []
    if case .ccid = link {
      // The reader's own polling would interfere; not every firmware knows the parameter.
      steps.append(Step(inputs: [.ask(.powerOn)], isNeeded: false))
      steps.append(
        Step(inputs: [.ask(.pseudoAPDU([0xFF, 0x00, 0x51, 0x00, 0x00]))], isNeeded: false))
    }
    var first = Step.command(.getFirmwareVersion, isNeeded: false)
    if steps.isEmpty { first.inputs.insert(.clearLink, at: 0) }
    steps.append(first)
    steps.append(.command(.getFirmwareVersion))
    return LinkPlan(steps: steps, options: options, link: link)
  }

  private static func settingUp(
    _ chip: Chip, _ options: Options, _ link: HostEngineConfiguration.Link
  ) -> [Step] {
    var commands: [Command] = []
    if chip == .rcS956 { commands.append(.alparOrResetMode([0x01])) }
    var isBehindCCID = false
    if case .ccid = link { isBehindCCID = true }
    if !isBehindCCID {
      // The security module takes no part, and a PN532 leaves its low-power state.
      if chip == .pn531 {
        commands.append(.samConfiguration(mode: 1, timeout: 0, interrupt: nil))
      } else if chip == .pn532 {
        commands.append(.samConfiguration(mode: 1, timeout: 0, interrupt: 0))
      }
    }
    commands.append(.setParameters(options.flags))
    commands.append(
      .rfConfiguration(.field(isOn: false, automaticCollisionAvoidance: false)))
    let attributeLimit = RFTimeoutCode(rawValue: 0x0B)
    commands.append(
      .rfConfiguration(
        .timings(
          chip == .rcS956 ? attributeLimit.rawValue : 0, atrResponse: attributeLimit,
          retry: options.exchangeLimit)))
    commands.append(.rfConfiguration(.maximumRetriesCommunication(0)))
    commands.append(
      .rfConfiguration(
        .maximumRetries(atr: 0, psl: 1, passiveActivation: options.activationRetries)))
    return commands.map { .command($0) }
  }

  // MARK: Closing

  /// The dialogue that leaves a reader as the next program wants it; its failures do not matter.
  ///
  /// - Parameter repair: The descriptors of a PN533 if long frames have passed; see
  ///   `HostEngine.mayHaveSpoiltDescriptors`.
  public static func closing(
    _ link: HostEngineConfiguration.Link, chip: Chip, repair: DescriptorImage? = nil
  ) -> LinkPlan {
    var steps: [Step] = []
    if chip == .rcS956 {
      // It refuses to release what it does not hold (quirk of RC-S360 in libnfc).
      steps.append(.command(.getGeneralStatus, isNeeded: false))
    } else {
      steps.append(.command(.inRelease(TargetReference(0)), isNeeded: false))
    }
    steps.append(
      .command(
        .rfConfiguration(.field(isOn: false, automaticCollisionAvoidance: false)),
        isNeeded: false))
    if let repair { steps.append(.command(repair.repair, isNeeded: false)) }
    if case .ccid = link {} else { steps[0].inputs.insert(.clearLink, at: 0) }
    return LinkPlan(steps: steps, options: nil, link: link)
  }

  private init(steps: [Step], options: Options?, link: HostEngineConfiguration.Link) {
    self.steps = steps
    self.options = options
    self.link = link
  }

  // MARK: Progress

  /// The first move.
  public mutating func begin() -> Move { next() }

  /// The move after a command has completed.
  public mutating func completed(_ outcome: CommandOutcome) -> Move {
    switch outcome.result {
    case .failure(let failure): return failed(failure)
    case .success(let response):
      settings.done(outcome.command)
      if case .firmwareVersion(let version) = response, current?.isNeeded == true {
        firmware = version
        let chip = version.chip ?? .pn533
        if let options { steps += Self.settingUp(chip, options, link) }
      }
      if case .generalStatus(let status) = response, !status.targets.isEmpty, options == nil {
        let held = TargetReference(1, leadingByte: 1)
        steps.insert(.command(.inDeselect(held), isNeeded: false), at: 0)
        steps.insert(.command(.inRelease(held), isNeeded: false), at: 1)
      }
      return next()
    }
  }

  /// The move after a request to the reader's own firmware has completed.
  public mutating func answered(_ answer: Result<[UInt8], CommandFailure>) -> Move {
    if case .failure(let failure) = answer { return failed(failure) }
    return next()
  }

  private mutating func failed(_ failure: CommandFailure) -> Move {
    let isFatal = failure.link == .ended || failure.link == .cancelled
    guard !isFatal, current?.isNeeded == false else { return .failed(failure) }
    return next()
  }

  private mutating func next() -> Move {
    guard !steps.isEmpty else { return .done }
    let step = steps.removeFirst()
    current = step
    return .inputs(step.inputs)
  }
}
