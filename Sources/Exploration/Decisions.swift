/// The only source of variety in a run: every choice that is not arithmetic is asked for here.
public protocol Decisions {
  /// Picks one of `count` possibilities, 0 ..< count; 0 is always the calm choice.
  ///
  /// - Parameters:
  ///   - label: What is being chosen, the same text each time this place asks.
  ///   - count: How many possibilities there are, at least 1.
  mutating func choose(_ label: StaticString, count: Int) -> Int
}

/// Always the calm choice: oldest event, no fault, shortest delay.
public struct CalmDecisions: Decisions, Sendable {
  /// Makes the calm source.
  public init() {}

  /// Picks possibility 0.
  public mutating func choose(_ label: StaticString, count: Int) -> Int {
    precondition(count > 0, "a choice needs at least one possibility")
    return 0
  }
}
