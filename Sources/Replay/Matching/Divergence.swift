public import NFCProtocols

/// The first point where code and trace disagree.
public struct Divergence: Hashable, Sendable {
  /// What kind of disagreement it is.
  public var kind: Kind
  /// The number of the exchange, from 1.
  public var exchange: Int
  /// Which message disagrees: the command (`outbound`) or the answer (`inbound`).
  public var direction: Direction
  /// What was recorded there, if anything.
  public var expected: RadioFrame?
  /// What came instead, if anything.
  public var actual: RadioFrame?
  /// When it was noticed.
  public var instant: VirtualInstant
  /// The limit that was broken, for `late` and `missing`.
  public var limit: TimeLimit?
  /// By how much, for `late`, and for `missing` where an answer was still to come.
  public var lateBy: Nanoseconds?
  /// How long the reader waited before it gave up, for `missing` with repetitions by the protocol.
  public var waited: Nanoseconds?
  /// How often the reader asked again before it gave up, for `missing`.
  public var repetitions = 0
  /// The number of recorded exchanges that nobody asked for, for `leftover`.
  public var leftoverCount: Int

  /// Makes a divergence.
  public init(
    _ kind: Kind, exchange: Int, direction: Direction, expected: RadioFrame?, actual: RadioFrame?,
    at instant: VirtualInstant, limit: TimeLimit? = nil, lateBy: Nanoseconds? = nil,
    leftoverCount: Int = 0
  ) {
    self.kind = kind
    self.exchange = exchange
    self.direction = direction
    self.expected = expected
    self.actual = actual
    self.instant = instant
    self.limit = limit
    self.lateBy = lateBy
    self.leftoverCount = leftoverCount
  }

  /// The kinds of disagreement.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The trace has a message here and none came.
    case missing
    /// A message came where the trace has none.
    case unexpected
    /// A message came whose bytes are not the recorded ones.
    case different
    /// The recorded answer came after its limit.
    case late
    /// Recorded exchanges were never asked for.
    case leftover
  }

  /// The divergence with the time of an answer that came when nobody waited for it any more.
  func completed(by uses: [LimitUse]) -> Divergence {
    guard kind == .missing, direction == .inbound, lateBy == nil,
      let use = uses.last(where: { $0.exchange == exchange }), let margin = use.margin,
      margin < .zero
    else { return self }
    var divergence = self
    divergence.lateBy = .zero - margin
    if divergence.limit == nil { divergence.limit = use.limit }
    return divergence
  }

  /// The index of the first byte in which expected and actual differ.
  public var firstDifference: Int? {
    guard let expected, let actual else { return nil }
    let shared = min(expected.bytes.count, actual.bytes.count)
    return (0..<shared).first { expected.bytes[$0] != actual.bytes[$0] } ?? shared
  }
}
