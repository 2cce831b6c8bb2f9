public import NFCProtocols

/// A time limit as RFConfiguration items 02 and 82 code it: n = 0 none, else 100 µs · 2^(n-1).
public struct RFTimeoutCode: RawRepresentable, Hashable, Sendable {
  /// The code, 00 to 10 (hexadecimal) for the times that exist.
  public var rawValue: UInt8
  /// Makes a code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The highest code with a time (3.2768 s).
  public static let maximum = RFTimeoutCode(rawValue: 0x10)

  /// The nominal time, or `nil` for "no limit" (code 0) and for codes that do not exist.
  public var duration: Nanoseconds? {
    guard rawValue >= 1, rawValue <= RFTimeoutCode.maximum.rawValue else { return nil }
    return .microseconds(100 << Int64(rawValue - 1))
  }

  /// The first code whose time is not shorter than asked, as nfcpy picks it; at most the longest.
  public init(notShorterThan time: Nanoseconds) {
    var code = RFTimeoutCode(rawValue: 1)
    while code.rawValue < RFTimeoutCode.maximum.rawValue, (code.duration ?? .zero) < time {
      code.rawValue += 1
    }
    self = code
  }

  /// The last code whose time is not longer than asked, as libnfc picks it; at least the shortest.
  public init(notLongerThan time: Nanoseconds) {
    var code = RFTimeoutCode.maximum
    while code.rawValue > 1, time < (code.duration ?? .zero) { code.rawValue -= 1 }
    self = code
  }
}
