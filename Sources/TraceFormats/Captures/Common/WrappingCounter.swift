/// Makes one long count of a counter that starts again at zero when it is full.
///
/// A value far below the one before it means that the counter was full; a value a little below it
/// is a record that began earlier, as sources that listen to both sides write them.
struct WrappingCounter {
  /// Values of the counter: 0 ..< `modulus`.
  let modulus: Int64
  /// How far back, across the point where the counter starts again, a record may reach.
  let reach: Int64
  private var turns: Int64 = 0
  private var last: Int64?

  /// Makes a counter with `modulus` values.
  init(modulus: Int64, reach: Int64) {
    precondition(modulus > 1 && reach < modulus / 2, "a record reaches back less than half a turn")
    self.modulus = modulus
    self.reach = reach
  }

  /// The long count for the next value in the order of the source.
  mutating func extend(_ value: Int64) -> Int64 {
    precondition((0..<modulus).contains(value), "a counter stays below its modulus")
    defer { last = value }
    guard let last else { return value }
    if value < last, last - value > modulus / 2 {
      turns += 1
    } else if value > last, turns > 0, value - last > modulus - reach {
      turns -= 1
    }
    return turns * modulus + value
  }
}
