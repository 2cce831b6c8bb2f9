public import NFCProtocols

/// The bounds of one run; a run that reaches one ends with `RunStop.budgetExhausted`.
public struct RunBudget: Hashable, Sendable {
  /// Events that may be handled.
  public var steps: Int
  /// Virtual time that may pass.
  public var virtualTime: Nanoseconds
  /// Lines that the run log may have.
  public var logLines: Int
  /// How often more time may be granted by S(WTX) while nothing else is said.
  ///
  /// An hour of an FWT of 38.7 ms (FWI 7), what most phones have, is 93,000 extensions.
  public var extensions = 100_000

  /// Ten million events (about 2.5 million exchanges), one day, ten million lines.
  ///
  /// The longest recording known to us has 6,434 packets; a day is longer than any sitting.
  public static let standard = RunBudget(
    steps: 10_000_000, virtualTime: .seconds(86_400), logLines: 10_000_000)

  /// Makes a budget.
  public init(steps: Int, virtualTime: Nanoseconds, logLines: Int) {
    self.steps = steps
    self.virtualTime = virtualTime
    self.logLines = logLines
  }

  /// The kinds of bound.
  public enum Bound: String, Hashable, Sendable {
    /// The number of events.
    case steps
    /// The virtual time.
    case virtualTime = "virtual time"
    /// The length of the run log.
    case logLines = "log lines"
    /// The number of waiting time extensions without an answer.
    case extensions = "waiting time extensions"
  }
}

/// Why a run came back to whoever drives it.
public enum RunStop: Hashable, Sendable {
  /// An endpoint hands bytes to the application behind it and goes on only with its answer.
  case application(RunSide, [UInt8])
  /// An endpoint has nothing more to do.
  case finished(RunSide)
  /// Nothing is going to happen any more.
  case idle
  /// A bound of the run has been reached.
  case budgetExhausted(RunBudget.Bound)
}

/// The two sides of a run.
public enum RunSide: UInt8, Hashable, Sendable {
  /// The side that speaks first: a reader, or a host on a link.
  case reader
  /// The side that answers: a card, or a chip on a link.
  case card

  /// The other side.
  public var opposite: RunSide { self == .reader ? .card : .reader }
  /// The direction of what this side sends.
  public var sends: Direction { self == .reader ? .outbound : .inbound }
}
