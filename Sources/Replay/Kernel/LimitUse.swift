public import NFCProtocols

/// How much of a time limit an answer used, or by how much it broke it.
public struct LimitUse: Hashable, Sendable {
  /// The exchange of the script, from 1; 0 for activation and DESELECT below matching.
  public var exchange: Int
  /// The limit that held.
  public var limit: TimeLimit
  /// From the end of the command to the start of the answer; `nil` if none came before the run
  /// ended or the next command went out.
  public var used: Nanoseconds?

  /// Makes a record.
  public init(exchange: Int, limit: TimeLimit, used: Nanoseconds?) {
    self.exchange = exchange
    self.limit = limit
    self.used = used
  }

  /// What was left of the limit; negative for an answer that was late.
  public var margin: Nanoseconds? { used.map { limit.duration - $0 } }

  /// True if the answer began after the limit.
  public var isLate: Bool { (margin ?? .zero) < .zero }

  /// The used part of the limit in percent, rounded up; `nil` without an answer or a limit.
  public var usedPercent: Int? {
    guard let used, limit.duration > .zero else { return nil }
    return Int((used.count * 100 + limit.duration.count - 1) / limit.duration.count)
  }
}

extension TimeLimit {
  /// True for the fixed answer times of a technology: an answer begins exactly then, and being near
  /// to such a time says nothing.
  var isExactTime: Bool { kind == .frameDelayTime }
}

extension Sequence<LimitUse> {
  /// The uses that took more than `percent` of their limit: what `--max-used` fails on.
  ///
  /// Fixed frame delays are exact times of the standard and do not count.
  public func exceeding(percent: Int) -> [LimitUse] {
    filter { !$0.limit.isExactTime && ($0.usedPercent ?? 0) > percent }
  }
}
