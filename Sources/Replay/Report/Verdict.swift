public import NFCProtocols

/// What a run came to.
public enum Verdict: Hashable, Sendable {
  /// Code and trace agree.
  case agreed
  /// Code and trace disagree, and where first.
  case diverged(Divergence)
  /// The code under test failed; what it said, in one line.
  case failed(String)
  /// The run reached one of its bounds.
  case exhausted(RunBudget.Bound)

  /// True if a command that ends with this verdict ends with exit code 0.
  public var isGood: Bool { self == .agreed }
}

/// Everything that a run came to; the same input gives an equal outcome.
public struct ReplayOutcome: Sendable {
  /// What it came to.
  public var verdict: Verdict
  /// The script that was played.
  public var script: ReplayScript
  /// The exchanges that agreed, by their index, in the order in which they did.
  public var agreed: [Int]
  /// The virtual time that passed.
  public var duration: Nanoseconds
  /// The log.
  public var log: RunLog
  /// The limits that answers had to keep.
  public var limitUses: [LimitUse]
  /// Fault rules that struck nothing.
  public var unusedFaults: [FaultRule]
  /// The policy that was in force.
  public var policy: MatchPolicy
  /// The masks that were in force.
  public var masks: MaskSet

  /// Makes an outcome.
  public init(
    verdict: Verdict, script: ReplayScript, agreed: [Int], duration: Nanoseconds, log: RunLog,
    limitUses: [LimitUse], unusedFaults: [FaultRule], policy: MatchPolicy, masks: MaskSet
  ) {
    self.verdict = verdict
    self.script = script
    self.agreed = agreed
    self.duration = duration
    self.log = log
    self.limitUses = limitUses
    self.unusedFaults = unusedFaults
    self.policy = policy
    self.masks = masks
  }

  /// The verdict in one line, without the name of the program.
  ///
  /// `agreed with 41 of 41 recorded exchanges, 0.388 s, run log 5f0c2a91…`, or
  /// `DIFFERENT at exchange 2`.
  public var line: String {
    let count = "\(agreed.count) of \(script.entries.count) recorded exchanges"
    let rest = "\(DurationText.seconds(duration)), run log \(log.hashText)"
    switch verdict {
    case .agreed: return "agreed with \(count), \(rest)"
    case .diverged(let divergence): return divergence.line
    case .failed(let reason): return "FAILED: \(reason) (agreed with \(count), \(rest))"
    case .exhausted(let bound):
      return
        "FAILED: the run reached its bound of \(bound.rawValue) (agreed with \(count), \(rest))"
    }
  }
}

extension Divergence {
  /// The divergence in one line.
  public var line: String {
    let place = "at exchange \(exchange)"
    switch kind {
    case .different: return "DIFFERENT \(place)"
    case .unexpected: return "UNEXPECTED \(place)"
    case .missing:
      let what = direction == .inbound ? "no answer" : "no command"
      let limit = limit.map { " within \(DurationText.rounded($0.duration))" } ?? ""
      let late = lateBy.map { "; it was \(DurationText.rounded($0)) too late" } ?? ""
      return "MISSING \(place): \(what)\(limit)\(late)"
    case .late:
      let delay = lateBy.map { DurationText.rounded($0) } ?? "?"
      return "LATE \(place): the answer came \(delay) after its limit"
    case .leftover:
      let what = leftoverCount == 1 ? "exchange was" : "exchanges were"
      return "LEFTOVER from exchange \(exchange) on: "
        + "\(leftoverCount) recorded \(what) never asked for"
    }
  }
}
