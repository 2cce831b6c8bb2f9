public import HostIO
public import NFCProtocols
public import PN53x

/// A reader in use: commands go to its chip one at a time; each ends with an answer or a reason.
///
/// One thread uses a session; it waits in `perform` and `run`. What passes over the link can be
/// recorded as it happens.
public struct ReaderSession<Link: HostLink & ~Copyable>: ~Copyable {
  private var link: Link
  private var core: SessionCore
  private let configuration: HostEngineConfiguration
  /// The descriptors that are put back in the end if long frames have overwritten them.
  private let descriptors: DescriptorImage?
  /// The firmware that the chip has told, once `open` or GetFirmwareVersion is done.
  public private(set) var firmware: FirmwareVersion?

  /// Makes a session over a link that nobody else uses; nothing is sent yet.
  public init(
    _ link: consuming Link, _ configuration: HostEngineConfiguration,
    descriptors: DescriptorImage? = nil, recorder: (any SessionRecorder)? = nil
  ) {
    self.link = link
    self.configuration = configuration
    self.descriptors = descriptors
    core = SessionCore(engine: HostEngine(configuration), recorder: recorder)
  }

  /// The chip: as the list of readers has it, then as it names itself.
  public var chip: Chip { core.engine.chip }
  /// What the chip has been set to in this session.
  public var settings: ChipSettings { core.settings }
  /// The time on the clock of the link.
  public var now: Nanoseconds { link.now }

  /// What is told everything that passes; `nil` records nothing.
  public var recorder: (any SessionRecorder)? {
    get { core.recorder }
    set { core.recorder = newValue }
  }

  // MARK: Opening and closing

  /// Ends what an earlier program left, asks for the firmware, and brings the chip into a known
  /// state.
  public mutating func open(
    _ options: LinkPlan.Options = LinkPlan.Options()
  ) throws(ReaderSessionError) {
    try follow(.opening(configuration.link, options: options))
  }

  /// Ends what an earlier program left and asks for the firmware; changes nothing.
  public mutating func identify() throws(ReaderSessionError) -> FirmwareVersion {
    if case .ccid = configuration.link {} else { try clear() }
    // The first answer may be lost (firmware-notes/pn53x/data-toggle.md).
    _ = try outcome(of: .getFirmwareVersion)
    guard case .firmwareVersion(let version) = try perform(.getFirmwareVersion) else {
      preconditionFailure("the engine reads the answer to GetFirmwareVersion as one")
    }
    firmware = version
    return version
  }

  /// Leaves the reader as the next program wants it; the link goes with the session.
  ///
  /// - Returns: What kept it from being left so, if anything did.
  @discardableResult
  public consuming func close() -> ReaderSessionError? {
    guard !core.engine.hasEnded else { return .link(.gone) }
    let repair = core.engine.mayHaveSpoiltDescriptors ? descriptors : nil
    do throws(ReaderSessionError) {
      try follow(.closing(configuration.link, chip: chip, repair: repair))
      return nil
    } catch {
      return error
    }
  }

  private mutating func clear() throws(ReaderSessionError) {
    var agenda = SingleCommand(inputs: [.clearLink, firmwareQuestion])
    try run(&agenda)
  }

  private var firmwareQuestion: HostInput {
    .perform(.getFirmwareVersion, settings.timing(of: .getFirmwareVersion))
  }

  private mutating func follow(_ plan: LinkPlan) throws(ReaderSessionError) {
    var plan = plan
    try run(&plan)
    if let version = plan.firmware { firmware = version }
    if let failure = plan.failure { throw .command(failure) }
  }

  // MARK: Commands

  /// Performs a command and waits for its answer.
  ///
  /// - Parameter timing: How long to wait; by default what the command and the settings of the
  ///   chip allow.
  /// - Throws: `command` with the reason, also for an answer whose status is bad; `link` when the
  ///   link has ended; `interrupted`.
  public mutating func perform(
    _ command: Command, _ timing: CommandTiming? = nil
  ) throws(ReaderSessionError) -> Response {
    switch try outcome(of: command, timing).result {
    case .success(let response): return response
    case .failure(let failure): throw .command(failure)
    }
  }

  /// Performs a command and waits for its end, good or bad.
  public mutating func outcome(
    of command: Command, _ timing: CommandTiming? = nil
  ) throws(ReaderSessionError) -> CommandOutcome {
    let timing = timing ?? settings.timing(of: command)
    var agenda = SingleCommand(inputs: [.perform(command, timing)])
    try run(&agenda)
    guard let outcome = agenda.outcome else {
      preconditionFailure("a command that was performed completes")
    }
    return outcome
  }

  /// Does what an agenda wants until it is done.
  ///
  /// The agenda is asked from inside the link's event handling, so that one command follows the
  /// other without a way back; this is what makes a long series cheap.
  public mutating func run<Agenda: SessionAgenda>(
    _ agenda: inout Agenda
  ) throws(ReaderSessionError) {
    var outgoing: [[UInt8]] = []
    let first = core.begin(&agenda, at: link.now, into: &outgoing)
    do throws(HostLinkError) {
      for bytes in outgoing { try link.send(bytes) }
      guard case .wait(let deadline) = first else { return }
      try link.run(until: deadline) { event, outgoing in
        core.handle(event, &agenda, into: &outgoing)
      }
    } catch {
      core.end(&agenda, at: link.now)
      throw .link(error)
    }
    if core.isInterrupted { throw .interrupted }
  }
}

/// One command, or a few inputs of which the last completes.
private struct SingleCommand: SessionAgenda {
  let inputs: [HostInput]
  var outcome: CommandOutcome?

  init(inputs: [HostInput]) { self.inputs = inputs }

  mutating func begin(at now: VirtualInstant) -> SessionMove { .inputs(inputs) }

  mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove {
    self.outcome = outcome
    return .done
  }
}
