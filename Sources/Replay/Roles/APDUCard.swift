public import NFCProtocols
public import TagAccess

/// The card of a recording at the layer of APDUs: activation and blocks are played by
/// `CardEmulator` as the recorded card presented itself, APDUs are matched and answered as
/// recorded.
public struct APDUCard: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  /// The faults that make answers late, and what they have done.
  public var faults = FaultPlan.none
  private var emulator: CardEmulator
  private var current: Int?
  private var isAnswering = false
  /// When the answer to the command at work begins, until it does.
  public private(set) var answerDue: VirtualInstant?
  /// The recorded card fell silent at the last command: it asks for no more time either.
  private var isSilent = false
  private var isActive = false
  private var scratch: [RadioOutput] = []

  /// The recorded answer is due; the emulator uses small numbers.
  private static let answerTimer = RadioTimer(200)

  /// Makes the card of a script of the layer `apdu`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    isForgiving: Bool = false
  ) {
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
    matcher.isForgiving = isForgiving
    emulator = CardEmulator(nil, configuration: script.cardConfiguration)
  }

  /// Notes exchanges that the reader never asked for.
  public mutating func close(at now: VirtualInstant) { matcher.close(at: now) }

  /// The exchange of the command that is due, or of the answer that is under way; 0 in activation.
  public func exchangeNumber(of direction: Direction) -> Int {
    switch direction {
    case .outbound: !isActive ? 0 : isAnswering ? matcher.position : matcher.position + 1
    case .inbound: isActive ? current.map { $0 + 1 } ?? 0 : 0
    }
  }

  /// Limits of activation and DESELECT belong to no exchange of APDUs.
  public func exchangeNumber(of limit: TimeLimit) -> Int {
    limit.isBelowAPDUs ? 0 : exchangeNumber(of: .outbound)
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    if case .timer(Self.answerTimer) = input {
      return answer(at: now, into: &outputs)
    }
    switch input {
    case .fieldChanged:
      isActive = false
      isSilent = false
    // Who falls silent does not ask for more time for an answer that never comes.
    case .timer where isSilent: return
    case .received(let frame) where isSilent && Self.isReminder(frame): return
    default: break
    }
    pass(input, at: now, into: &outputs)
  }

  /// R(NAK): the reader asks whether the card is still there.
  private static func isReminder(_ frame: RadioFrame) -> Bool {
    guard let block = try? Block(frame.content(assuming: .a)) else { return false }
    if case .negativeAcknowledge = block.kind { return true }
    return false
  }

  private mutating func pass(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    emulator.step(input, at: now, into: &scratch)
    for output in scratch {
      switch output {
      case .application(let apdu):
        command(RadioFrame(apdu), at: now, into: &outputs)
      case .note(.activated):
        isActive = true
        outputs.append(output)
      case .note(.deselected):
        isActive = false
        outputs.append(output)
      default: outputs.append(output)
      }
    }
    scratch.removeAll(keepingCapacity: true)
  }

  private mutating func command(
    _ command: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard matcher.divergence == nil else { return }
    guard let index = matcher.take(command, at: now) else {
      if matcher.divergence != nil || matcher.hasReachedCut { outputs.append(.finished) }
      return
    }
    current = index
    isAnswering = true
    answerDue = nil
    isSilent = matcher.script.entries[index].answers.isEmpty
    guard let recorded = matcher.script.entries[index].answers.first else {
      // The recorded card fell silent here: so does this one.
      matcher.agree(index)
      return
    }
    var delay = recorded.delay
    if let fault = faults.delay(ofAnswerTo: index + 1) {
      outputs.append(.note(.delayed(by: fault)))
      delay += fault
    }
    answerDue = now + delay
    outputs.append(.setTimer(Self.answerTimer, at: now + delay))
  }

  private mutating func answer(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current, isAnswering else { return }
    isAnswering = false
    answerDue = nil
    matcher.agree(index)
    pass(
      .application(matcher.script.entries[index].answers[0].frame.bytes), at: now, into: &outputs)
  }
}

extension ReplayScript {
  /// How the recorded card presented itself, as far as it is known; the rest is that of a phone.
  public var cardConfiguration: CardEmulatorConfiguration {
    var configuration = CardEmulatorConfiguration()
    if let bytes = activation.uid, let uid = try? UID(bytes) { configuration.uids = [uid] }
    if let bytes = activation.atqa, let atqa = try? ATQA(bytes) { configuration.atqa = atqa }
    if let sak = activation.sak, SAK(rawValue: sak).supportsISODEP {
      configuration.sak = SAK(rawValue: sak)
    }
    if let bytes = activation.ats, let ats = try? ATS(bytes) { configuration.ats = ats }
    // A recorded card that was slower than its FWT had asked for more time; one that never was
    // did not ask, and a fault that makes it late must show.
    let waiting = configuration.ats.frameWaitingTime.duration
    let asks = entries.contains { ($0.answers.first?.delay ?? .zero) >= waiting }
    configuration.waiting = asks ? .standard : .off
    return configuration
  }
}
