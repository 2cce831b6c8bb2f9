import NFCProtocols

extension SimulatedReader {
  /// The comparison with a recording, where the chip or what is in the field is a recorded one.
  public var matcher: ScriptMatcher? {
    if let chip = chip as? RecordedChip { return chip.base.matcher }
    if let card = inField as? RecordedCard { return card.matcher }
    return (inField as? RecordedTerminal)?.matcher
  }

  /// What a run against a recording came to, as far as it has gone.
  ///
  /// - Parameter failure: What went wrong with the program in front of the reader, in one line.
  /// - Returns: `nil` if nothing here is recorded.
  public func outcome(_ options: ReplayOptions, failure: String? = nil) -> ReplayOutcome? {
    guard let matcher = closedMatcher else { return nil }
    let verdict: Verdict
    if let divergence = matcher.divergence {
      verdict = .diverged(divergence)
    } else if let exhausted {
      verdict = .exhausted(exhausted)
    } else if let failure {
      verdict = .failed(failure)
    } else if inField is RecordedTerminal, matcher.agreed.count < matcher.script.entries.count {
      verdict = .failed("the program stopped half-way")
    } else {
      verdict = .agreed
    }
    return ReplayOutcome(
      verdict: verdict, script: matcher.script, agreed: matcher.agreed, duration: now.sinceStart,
      log: log, limitUses: [], unusedFaults: [], policy: options.policy, masks: options.masks)
  }

  /// The comparison once exchanges that nobody asked for have been noted.
  private var closedMatcher: ScriptMatcher? {
    if var chip = chip as? RecordedChip {
      chip.close(at: now)
      return chip.base.matcher
    }
    if var card = inField as? RecordedCard {
      card.close(at: now)
      return card.matcher
    }
    return (inField as? RecordedTerminal)?.matcher
  }
}
