import NFCProtocols
import NFCTrace

/// Turns the numbers of a Proxmark3 list into times since its first record.
///
/// The device counts in 32 bits, so numbers wrap after 316.7 s of carrier cycles, and a record
/// that began before the first one shows as a number just below the wrap.
struct ListTicker {
  /// How long a tick is.
  enum TickLength {
    /// One period of the 13.56 MHz carrier.
    case carrierCycle
    /// 8 µs, as Hitag lists count.
    case etu8us
  }

  /// The time of one record.
  struct Time {
    var start: Nanoseconds
    var end: Nanoseconds?
    var ticks: SourceTicks
    var isUnknown: Bool
  }

  /// The device's counter goes back to zero after this many ticks.
  private static let tickModulus: Int64 = 1 << 32
  /// The same in tenths of a microsecond: 2^32 / 1.356.
  private static let tenthMicrosecondModulus: Int64 = 3_167_379_938
  /// How far before its predecessor a record may begin and still be taken for one that does, and
  /// not for one 316 s later: 1/256 of the counter, 1.2 s.
  private static let backwardShare: Int64 = 256
  /// A duration that did not fit its 16 bits (Proxmark3 firmware).
  private static let saturatedDuration: Int64 = 65_535

  /// Times beyond this many units stay there; below it no arithmetic here overflows.
  private static let maximumCount: Int64 = 1 << 56

  /// How long a tick is; lists in microseconds do not care.
  var tickLength = TickLength.carrierCycle
  /// True for tenths of a microsecond, false for ticks, `nil` before the first record.
  var isMicroseconds: Bool?

  private var origin: Int64?
  private var previousStart: Int64 = 0
  private var previousEnd: Int64 = 0

  /// The unit of the numbers in words.
  var unitName: String {
    if isMicroseconds == true { return "0.1 us" }
    return tickLength == .carrierCycle ? "1/13.56 MHz" : "8 us"
  }

  /// The time of the record whose first two columns are these.
  mutating func time(_ first: Int64, _ second: Int64, isRelative: Bool) -> Time {
    // A record without any time has two zeros (contact cards, simulation of type B).
    guard first != 0 || second != 0 else {
      return Time(
        start: nanoseconds(previousStart - (origin ?? previousStart)), end: nil,
        ticks: SourceTicks(start: 0, length: 0), isUnknown: true)
    }
    let start: Int64
    let length: Int64
    if isRelative {
      // The gap in front of the first record counts from nothing.
      start = origin == nil ? 0 : previousEnd + unwrapped(first)
      length = second
    } else {
      start = origin == nil ? first : previousStart + unwrapped(first - previousStart)
      length = second >= first ? second - first : second - first + modulus
    }
    let origin = self.origin ?? start
    self.origin = origin
    previousStart = Self.bounded(start)
    previousEnd = Self.bounded(start + length)
    let isLengthKnown = length > 0 && (isMicroseconds == true || length != Self.saturatedDuration)
    return Time(
      start: nanoseconds(previousStart - origin),
      end: isLengthKnown ? nanoseconds(previousEnd - origin) : nil,
      ticks: SourceTicks(start: start, length: length), isUnknown: false)
  }

  private static func bounded(_ count: Int64) -> Int64 {
    min(max(count, -maximumCount), maximumCount)
  }

  private var modulus: Int64 {
    isMicroseconds == true ? Self.tenthMicrosecondModulus : Self.tickModulus
  }

  /// A difference of two numbers of a counter that wraps, as a difference of times.
  private func unwrapped(_ difference: Int64) -> Int64 {
    let remainder = difference % modulus
    let forward = remainder < 0 ? remainder + modulus : remainder
    if forward > modulus - modulus / Self.backwardShare { return forward - modulus }
    // Numbers that go back by less than half the counter are records that do: some firmware
    // starts again at zero for every exchange (Hitag).
    if difference < 0, difference > -modulus / 2 { return difference }
    return forward
  }

  private func nanoseconds(_ count: Int64) -> Nanoseconds {
    if isMicroseconds == true { return Nanoseconds(count * 100) }
    switch tickLength {
    case .carrierCycle: return .carrierCycles(count)
    case .etu8us: return .microseconds(count * 8)
    }
  }
}
