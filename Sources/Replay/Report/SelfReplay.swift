import Exploration
public import NFCProtocols

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
  /// How often a reader side asks for one block again before it gives the card up.
  public var retries = RecoveryPolicy.defaultAttempts
  /// ΔFWT: what a reader side adds to every frame waiting time.
  public var waitingTimeMargin = Nanoseconds.zero
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
    case .radio, .apdu:
      var run = RadioRun(
        reader: RecordedTerminal(self, options), card: RecordedCard(self, options),
        decisions: CalmDecisions(), medium: .air, faults: plan(options), budget: options.budget,
        keepsLogText: options.keepsLogText)
      run.card.faults = run.faults
      let stop = Self.finish(&run)
      if let struck = run.card.faults { run.faults.addStrikes(of: struck) }
      return outcome(
        run, options, stop, reader: run.reader.matcher, card: run.card.matcher)
    case .chip:
      var run = RadioRun(
        reader: ReplayedHost(self, policy: options.policy, masks: options.masks),
        card: ReplayedChip(
          self, policy: options.effectivePolicy, masks: options.masks,
          isForgiving: !options.faults.isEmpty),
        decisions: CalmDecisions(), medium: .link, faults: plan(options),
        budget: options.budget, keepsLogText: options.keepsLogText)
      let stop = Self.finish(&run)
      return outcome(
        run, options, stop, reader: run.reader.matcher, card: run.card.matcher)
    }
  }

  private static func finish<Reader, Card>(
    _ run: inout RadioRun<Reader, Card, CalmDecisions>
  ) -> RunStop {
    var stop = run.run()
    while case .application = stop { stop = run.run() }
    run.closeLimits()
    return stop
  }

  private func outcome<Reader, Card>(
    _ run: RadioRun<Reader, Card, CalmDecisions>, _ options: ReplayOptions, _ stop: RunStop,
    reader: ScriptMatcher, card: ScriptMatcher
  ) -> ReplayOutcome {
    var verdict = Verdict.agreed
    if case .budgetExhausted(let bound) = stop {
      verdict = .exhausted(bound)
    } else if let divergence = reader.divergence ?? card.divergence {
      verdict = .diverged(divergence.completed(by: run.limitUses))
    } else if reader.agreed.count < entries.count {
      verdict = .failed("the run stopped with nothing left to happen")
    }
    return ReplayOutcome(
      verdict: verdict, script: self, agreed: reader.agreed,
      duration: run.now.sinceStart, log: run.log, limitUses: run.limitUses,
      unusedFaults: run.faults.unusedRules, policy: options.policy, masks: options.masks)
  }
}
