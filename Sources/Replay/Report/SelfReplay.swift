import Exploration
import NFCProtocols

/// What a replay may be told.
public struct ReplayOptions: Sendable {
  /// What is looser than strict.
  public var policy: MatchPolicy
  /// The fields that may differ.
  public var masks: MaskSet
  /// The faults.
  public var faults: [FaultRule]
  /// The bounds of the run.
  public var budget: RunBudget
  /// False if only the hash of the log is wanted.
  public var keepsLogText: Bool

  /// Makes options.
  public init(
    policy: MatchPolicy = .strict, masks: MaskSet = .none, faults: [FaultRule] = [],
    budget: RunBudget = .standard, keepsLogText: Bool = true
  ) {
    self.policy = policy
    self.masks = masks
    self.faults = faults
    self.budget = budget
    self.keepsLogText = keepsLogText
  }
}

extension ReplayScript {
  /// Plays the recorded reader (or host) against the recorded card (or chip).
  ///
  /// Without faults the two agree; with faults the verdict is what comes of the recorded reader.
  public func playAgainstItself(_ options: ReplayOptions = ReplayOptions()) -> ReplayOutcome {
    switch layer {
    case .radio:
      play(
        FrameTerminal(self, policy: options.policy, masks: options.masks),
        FrameCard(self, policy: options.policy, masks: options.masks), .air, options,
        readerMatcher: { $0.matcher }, cardMatcher: { $0.matcher })
    case .chip:
      play(
        ReplayedHost(self, policy: options.policy, masks: options.masks),
        ReplayedChip(self, policy: options.policy, masks: options.masks), .link, options,
        readerMatcher: { $0.matcher }, cardMatcher: { $0.matcher })
    case .apdu:
      play(
        APDUTerminal(self, policy: options.policy, masks: options.masks),
        APDUCard(self, policy: options.policy, masks: options.masks), .air, options,
        readerMatcher: { $0.matcher }, cardMatcher: { $0.matcher })
    }
  }

  private func play<Reader: ReplayEndpoint, Card: ReplayEndpoint>(
    _ reader: Reader, _ card: Card, _ medium: RunMedium, _ options: ReplayOptions,
    readerMatcher: (Reader) -> ScriptMatcher, cardMatcher: (Card) -> ScriptMatcher
  ) -> ReplayOutcome {
    var run = RadioRun(
      reader: reader, card: card, decisions: CalmDecisions(), medium: medium,
      faults: FaultPlan(options.faults, commandNames: commandNames), budget: options.budget,
      keepsLogText: options.keepsLogText)
    var stop = run.run()
    while case .application = stop { stop = run.run() }
    run.closeLimits()
    let matcher = readerMatcher(run.reader)
    var verdict = Verdict.agreed
    if case .budgetExhausted(let bound) = stop {
      verdict = .exhausted(bound)
    } else if let divergence = matcher.divergence {
      verdict = .diverged(divergence)
    } else if let divergence = cardMatcher(run.card).divergence {
      verdict = .diverged(divergence)
    } else if matcher.agreed.count < entries.count {
      verdict = .failed("the run stopped with nothing left to happen")
    }
    return ReplayOutcome(
      verdict: verdict, script: self, agreed: matcher.agreed,
      duration: run.now.sinceStart, log: run.log, limitUses: run.limitUses,
      unusedFaults: run.faults.unusedRules, policy: options.policy, masks: options.masks)
  }
}
