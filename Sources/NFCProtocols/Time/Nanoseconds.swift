/// A length of time in whole nanoseconds.
///
/// All of Retap counts time in this unit; nothing is rounded to anything coarser when recorded.
/// The range is ±292 years; arithmetic that leaves it traps, since no trace holds such a time.
public struct Nanoseconds: Hashable, Comparable, Sendable {
  /// The number of nanoseconds.
  public var count: Int64

  /// Makes a length of time from a number of nanoseconds.
  public init(_ count: Int64) { self.count = count }

  /// No time at all.
  public static let zero = Nanoseconds(0)

  /// A length of time from whole microseconds.
  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000) }

  /// A length of time from whole milliseconds.
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000) }

  /// A length of time from whole seconds.
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000_000) }

  /// The length of `cycles` periods of the 13.56 MHz carrier, rounded to the nearest nanosecond.
  ///
  /// One cycle is 1e9 / 13_560_000 = 25_000 / 339 ns, about 73.746 ns.
  public static func carrierCycles(_ cycles: Int64) -> Nanoseconds {
    let scaled = cycles.multipliedFullWidth(by: 25_000)
    let (quotient, remainder) = Int64(339).dividingFullWidth(scaled)
    if remainder >= 170 { return Nanoseconds(quotient + 1) }
    if remainder <= -170 { return Nanoseconds(quotient - 1) }
    return Nanoseconds(quotient)
  }

  /// The earlier of two lengths comes first.
  public static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.count < right.count }

  /// The sum of two lengths.
  public static func + (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count + right.count)
  }

  /// The difference of two lengths.
  public static func - (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count - right.count)
  }

  /// A length taken `times` times.
  public static func * (left: Nanoseconds, times: Int64) -> Nanoseconds {
    Nanoseconds(left.count * times)
  }

  /// Adds a length in place.
  public static func += (left: inout Nanoseconds, right: Nanoseconds) { left = left + right }
}
