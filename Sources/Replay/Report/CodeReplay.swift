public import Exploration
public import NFCProtocols

/// A run of tag-reading code against the card of a recording.
public typealias ReaderRun<Code: RadioEndpoint> =
  RadioRun<CodeUnderTest<Code>, RecordedCard, CalmDecisions>

/// A run of card emulation code against the terminal of a recording.
public typealias EmulationRun<Code: RadioEndpoint> =
  RadioRun<RecordedTerminal, CodeUnderTest<Code>, CalmDecisions>

/// A run of a PN53x driver against the chip of a recording.
public typealias DriverRun = RadioRun<CodeUnderTest<DriverLink>, ReplayedChip, CalmDecisions>

extension ReplayScript {
  /// Sets tag-reading code in front of the recorded card.
  public func run<Code: RadioEndpoint>(
    reader: Code, _ options: ReplayOptions = ReplayOptions()
  ) -> ReaderRun<Code> {
    var run = RadioRun(
      reader: CodeUnderTest(reader), card: RecordedCard(self, options),
      decisions: CalmDecisions(), medium: .air, faults: plan(options), budget: options.budget,
      keepsLogText: options.keepsLogText)
    run.card.faults = run.faults
    return run
  }

  /// Sets card emulation code in front of the recorded terminal.
  public func run<Code: RadioEndpoint>(
    card: Code, _ options: ReplayOptions = ReplayOptions()
  ) -> EmulationRun<Code> {
    RadioRun(
      reader: RecordedTerminal(self, options), card: CodeUnderTest(card),
      decisions: CalmDecisions(), medium: .air, faults: plan(options), budget: options.budget,
      keepsLogText: options.keepsLogText)
  }

  /// Sets a driver in front of the recorded chip.
  public func runDriver(_ options: ReplayOptions = ReplayOptions()) -> DriverRun {
    RadioRun(
      reader: CodeUnderTest(DriverLink()),
      card: ReplayedChip(
        self, policy: options.effectivePolicy, masks: options.masks,
        isForgiving: !options.faults.isEmpty),
      decisions: CalmDecisions(), medium: .link, faults: plan(options), budget: options.budget,
      keepsLogText: options.keepsLogText)
  }

  /// What a run of a driver came to.
  public func outcome(
    of run: inout DriverRun, _ options: ReplayOptions, stop: RunStop, failure: String?
  ) -> ReplayOutcome {
    if failure == nil { run.card.close(at: run.now) }
    return outcome(
      run.card.matcher, run.log, run.limitUses, run.faults, run.now, options, stop, failure)
  }

  private func outcome(
    _ matcher: ScriptMatcher, _ log: RunLog, _ uses: [LimitUse], _ faults: FaultPlan,
    _ now: VirtualInstant, _ options: ReplayOptions, _ stop: RunStop, _ failure: String?
  ) -> ReplayOutcome {
    ReplayOutcome(
      verdict: Self.verdict(matcher, uses, stop: stop, failure: failure), script: self,
      agreed: matcher.agreed, duration: now.sinceStart, log: log, limitUses: uses,
      unusedFaults: faults.unusedRules, policy: options.policy, masks: options.masks)
  }

  /// The faults; with APDUs in between it is the answer that is late and not its frames.
  func plan(_ options: ReplayOptions) -> FaultPlan {
    guard !options.faults.isEmpty else { return .none }
    var plan = FaultPlan(options.faults, commandNames: commandNames)
    plan.leavesDelaysToAnswers = layer == .apdu
    return plan
  }

  /// What a run of tag-reading code came to.
  ///
  /// - Parameters:
  ///   - stop: How the run came back last.
  ///   - failure: What went wrong with the code under test, if anything, in one line.
  public func outcome<Code: RadioEndpoint>(
    of run: inout ReaderRun<Code>, _ options: ReplayOptions, stop: RunStop, failure: String?
  ) -> ReplayOutcome {
    run.closeLimits()
    if let struck = run.card.faults { run.faults.addStrikes(of: struck) }
    if failure == nil { run.card.close(at: run.now) }
    return outcome(
      run.card.matcher, run.log, run.limitUses, run.faults, run.now, options, stop, failure)
  }

  /// What a run of card emulation code came to.
  public func outcome<Code: RadioEndpoint>(
    of run: inout EmulationRun<Code>, _ options: ReplayOptions, stop: RunStop, failure: String?
  ) -> ReplayOutcome {
    run.closeLimits()
    let matcher = run.reader.matcher
    let halfWay = matcher.agreed.count < entries.count ? "the run stopped half-way" : nil
    return outcome(
      matcher, run.log, run.limitUses, run.faults, run.now, options, stop, failure ?? halfWay)
  }

  /// A disagreement comes before a failure: it is the likely cause of one.
  private static func verdict(
    _ matcher: ScriptMatcher, _ uses: [LimitUse], stop: RunStop, failure: String?
  ) -> Verdict {
    if let divergence = matcher.divergence {
      return .diverged(divergence.completed(by: uses))
    }
    if case .budgetExhausted(let bound) = stop { return .exhausted(bound) }
    if let failure { return .failed(failure + lateness(uses)) }
    return .agreed
  }

  /// By how much the answer was late that the code did not wait for.
  private static func lateness(_ uses: [LimitUse]) -> String {
    guard let use = uses.last(where: { $0.exchange > 0 }), let margin = use.margin,
      margin < .zero
    else { return "" }
    let delay = DurationText.rounded(.zero - margin)
    return "; the answer to exchange \(use.exchange) was \(delay) too late"
  }

  /// The script up to an exchange, for `--until`.
  public func prefix(_ count: Int) -> ReplayScript {
    guard count < entries.count else { return self }
    var script = self
    script.messageBeforeCut = recordedMessage
    script.isCut = true
    script.entries = Array(entries.prefix(count))
    return script
  }
}
