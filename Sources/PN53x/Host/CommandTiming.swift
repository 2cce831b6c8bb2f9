public import NFCProtocols

/// How long the answer to a command is waited for, counted from its acknowledgement.
public enum CommandTiming: Hashable, Sendable {
  /// The chip answers by itself within this time: silence means that the answer was lost.
  case within(Nanoseconds)
  /// The chip may take longer, but the caller will not wait longer: then the command is aborted.
  case patience(Nanoseconds)
  /// The command may wait for ever, for example for a reader to come; it can be cancelled.
  case unlimited

  /// The time, or `nil` for none.
  public var limit: Nanoseconds? {
    switch self {
    case .within(let limit), .patience(let limit): limit
    case .unlimited: nil
    }
  }
}
