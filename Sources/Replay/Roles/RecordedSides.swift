public import NFCProtocols

/// The card side of a recording at the layer of its script: frames or APDUs.
public struct RecordedCard: ReplayEndpoint, Sendable {
  private var frames: FrameCard?
  private var apdus: APDUCard?

  /// Makes the card of a script of the layer `radio` or `apdu`.
  public init(_ script: ReplayScript, _ options: ReplayOptions) {
    let isForgiving = !options.faults.isEmpty
    switch script.layer {
    case .radio:
      frames = FrameCard(
        script, policy: options.effectivePolicy, masks: options.masks, isForgiving: isForgiving)
    case .apdu:
      apdus = APDUCard(
        script, policy: options.effectivePolicy, masks: options.masks, isForgiving: isForgiving)
    case .chip: preconditionFailure("a chip is no card: its script is played by ReplayedChip")
    }
  }

  /// The comparison so far.
  public var matcher: ScriptMatcher {
    guard let matcher = frames?.matcher ?? apdus?.matcher else {
      preconditionFailure("a recorded card has a script")
    }
    return matcher
  }

  /// The faults that make answers late, where this card makes them itself.
  public var faults: FaultPlan? {
    get { apdus?.faults }
    set { if let newValue { apdus?.faults = newValue } }
  }

  /// When the answer to the command at work begins, where this card holds it back itself.
  public var answerDue: VirtualInstant? { apdus?.answerDue }

  /// Notes exchanges that the reader never asked for.
  public mutating func close(at now: VirtualInstant) {
    frames?.close(at: now)
    apdus?.close(at: now)
  }

  /// The exchange of the command that is due, or of the answer that is under way.
  public func exchangeNumber(of direction: Direction) -> Int {
    frames?.exchangeNumber(of: direction) ?? apdus?.exchangeNumber(of: direction) ?? 0
  }

  /// The exchange that a limit set now belongs to.
  public func exchangeNumber(of limit: TimeLimit) -> Int {
    frames?.exchangeNumber(of: limit) ?? apdus?.exchangeNumber(of: limit) ?? 0
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    frames?.step(input, at: now, into: &outputs)
    apdus?.step(input, at: now, into: &outputs)
  }
}

/// The reader side of a recording at the layer of its script: frames or APDUs.
public struct RecordedTerminal: ReplayEndpoint, Sendable {
  private var frames: FrameTerminal?
  private var apdus: APDUTerminal?

  /// Makes the terminal of a script of the layer `radio` or `apdu`.
  public init(_ script: ReplayScript, _ options: ReplayOptions) {
    switch script.layer {
    case .radio:
      frames = FrameTerminal(
        script, policy: options.terminalPolicy, masks: options.masks,
        waitingTimeMargin: options.waitingTimeMargin)
    case .apdu:
      apdus = APDUTerminal(
        script, policy: options.terminalPolicy, masks: options.masks, retries: options.retries,
        waitingTimeMargin: options.waitingTimeMargin)
    case .chip: preconditionFailure("a host is no terminal: its script is played by ReplayedHost")
    }
  }

  /// The comparison so far.
  public var matcher: ScriptMatcher {
    guard let matcher = frames?.matcher ?? apdus?.matcher else {
      preconditionFailure("a recorded terminal has a script")
    }
    return matcher
  }

  /// The exchange under way.
  public func exchangeNumber(of direction: Direction) -> Int {
    frames?.exchangeNumber(of: direction) ?? apdus?.exchangeNumber(of: direction) ?? 0
  }

  /// The exchange that a limit set now belongs to.
  public func exchangeNumber(of limit: TimeLimit) -> Int {
    frames?.exchangeNumber(of: limit) ?? apdus?.exchangeNumber(of: limit) ?? 0
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    frames?.step(input, at: now, into: &outputs)
    apdus?.step(input, at: now, into: &outputs)
  }
}

extension ReplayOptions {
  /// An answer that comes after its limit because a frame was lost on its way is no fault of the
  /// code under test.
  var terminalPolicy: MatchPolicy {
    let losesFrames = faults.contains { rule in
      if case .late = rule.effect { return false }
      return true
    }
    return losesFrames ? policy.union(.allowLate) : policy
  }

  /// With faults, code that repeats a command gets its answer again, and may stop early.
  var effectivePolicy: MatchPolicy {
    faults.isEmpty ? policy : policy.union([.repeats, .allowLeftover])
  }
}
