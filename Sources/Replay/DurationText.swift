public import NFCProtocols

/// Lengths of time as text: `6.2ms`, `400us`, `1s`, `90ns`; exact both ways.
public enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("µs", 1_000), ("ns", 1),
  ]

  /// The length that a text names, or `nil` if it is none or holds parts of a nanosecond.
  public static func parse(_ text: some StringProtocol) -> Nanoseconds? {
    let unsigned = text.hasPrefix("+") ? text.dropFirst() : text[...]
    let number = unsigned.prefix { ("0"..."9").contains($0) || $0 == "." }
    let unitName = unsigned.dropFirst(number.count)
    guard let unit = units.first(where: { $0.name == unitName }), !number.isEmpty else {
      return nil
    }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(parts[0]) else { return nil }
    var (total, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
    if overflow { return nil }
    if parts.count == 2 {
      var scale = unit.nanoseconds
      for digit in parts[1].utf8 {
        guard scale % 10 == 0 || digit == 0x30 else { return nil }
        scale /= 10
        total += Int64(digit - 0x30) * scale
      }
      if parts[1].isEmpty { return nil }
    }
    return Nanoseconds(total)
  }

  /// The shortest exact text: the largest unit in which the value is at least 1.
  public static func exact(_ duration: Nanoseconds) -> String {
    let magnitude = duration.count.magnitude
    let unit =
      magnitude >= 1_000_000_000
      ? units[0] : magnitude >= 1_000_000 ? units[1] : magnitude >= 1_000 ? units[2] : units[4]
    let scale = UInt64(unit.nanoseconds)
    var text = duration.count < 0 ? "-" : ""
    text += String(magnitude / scale)
    var rest = magnitude % scale
    if rest > 0 {
      text += "."
      var place = scale / 10
      while rest > 0 {
        text += String(rest / place)
        rest %= place
        place /= 10
      }
    }
    return text + unit.name
  }

  /// Rounded as tables show it: `1.00 s`, `38.7 ms`, `516 µs`, `4.7 µs`, `90 ns`.
  public static func rounded(_ duration: Nanoseconds) -> String {
    let magnitude = duration.count.magnitude
    let sign = duration.count < 0 ? "-" : ""
    if magnitude < 1_000 { return "\(sign)\(magnitude) ns" }
    let tenthsOfMicroseconds = (magnitude + 50) / 100
    if tenthsOfMicroseconds < 100 {
      return "\(sign)\(tenthsOfMicroseconds / 10).\(tenthsOfMicroseconds % 10) µs"
    }
    let microseconds = (magnitude + 500) / 1_000
    if microseconds < 1_000 { return "\(sign)\(microseconds) µs" }
    let tenths = (magnitude + 50_000) / 100_000
    if tenths >= 10_000 {
      let hundredths = (magnitude + 5_000_000) / 10_000_000
      let fraction = hundredths % 100
      return "\(sign)\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
    return "\(sign)\(tenths / 10).\(tenths % 10) ms"
  }

  /// Seconds with three decimals, as verdicts show them: `0.388 s`.
  public static func seconds(_ duration: Nanoseconds) -> String {
    let thousandths = (duration.count.magnitude + 500_000) / 1_000_000
    let fraction = String(thousandths % 1_000)
    return (duration.count < 0 ? "-" : "") + "\(thousandths / 1_000)."
      + String(repeating: "0", count: 3 - fraction.count) + fraction + " s"
  }
}
