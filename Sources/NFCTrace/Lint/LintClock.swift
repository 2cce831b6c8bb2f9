import NFCProtocols

/// How exactly the times of a trace are known.
///
/// The resolution is that of the source's tick, or what the times so far show: a trace whose times
/// are all whole milliseconds says nothing of microseconds, whatever its unit.
struct LintClock {
  private var tick: Int64?
  private var observed: Int64 = 1_000_000
  /// How far off the ends of frames are besides.
  private let detection: Int64

  /// Recordings of the field's samples find the edges of a frame only so well: short frames in
  /// public ones are 2 to 3 µs longer than on the air.
  static let sampledDetection: Int64 = 1_500

  /// The length of one tick of a source, in whole nanoseconds rounded up.
  init(tickUnit: String?) {
    tick = tickUnit.flatMap(Self.nanoseconds)
    let isSampled = tickUnit?.hasPrefix("1/") == true && tickUnit != "1/13.56 MHz"
    detection = isSampled ? Self.sampledDetection : 0
  }

  /// How far off one time may be.
  var resolution: Int64 { max(tick ?? 1, observed) + detection }

  mutating func observe(_ event: TraceEvent) {
    guard !event.isTimeUnknown, observed > 1 else { return }
    for time in [event.start, event.end ?? event.start] {
      while observed > 1, time.count % observed != 0 { observed /= 1_000 }
    }
    if observed < 1 { observed = 1 }
  }

  /// The length of units such as `1/13.56 MHz`, `1/10 MHz`, `us`, `0.1 us` and `8 us`.
  static func nanoseconds(of unit: String) -> Int64? {
    let words = unit.split(separator: " ").map(String.init)
    guard let name = words.last else { return nil }
    var count = "1"
    if words.count == 2 { count = words[0] } else if words.count != 1 { return nil }
    if count.hasPrefix("1/") {
      guard let scaled = micros(String(count.dropFirst(2))), scaled > 0 else { return nil }
      switch name {
      case "MHz": return (1_000_000_000 + scaled - 1) / scaled
      case "kHz": return (1_000_000_000_000 + scaled - 1) / scaled
      case "Hz": return (1_000_000_000_000_000 + scaled - 1) / scaled
      default: return nil
      }
    }
    guard let scaled = micros(count) else { return nil }
    switch name {
    case "ns": return max(1, scaled / 1_000_000)
    case "us", "µs": return max(1, scaled / 1_000)
    case "ms": return scaled
    case "s": return scaled < 1_000_000_000 ? scaled * 1_000 : nil
    default: return nil
    }
  }

  /// A decimal number in millionths.
  private static func micros(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let whole = Int64(first), whole >= 0, whole < 1_000_000_000
    else { return nil }
    guard parts.count == 2 else { return whole * 1_000_000 }
    let digits = parts[1].prefix(6)
    guard var fraction = Int64(digits.isEmpty ? "0" : digits), fraction >= 0 else { return nil }
    for _ in digits.count..<6 { fraction *= 10 }
    return whole * 1_000_000 + fraction
  }
}

/// A frame on the air with what the rules need to know of it.
struct LintFrame {
  /// The number of the event, from 1.
  var event: Int
  /// The start in nanoseconds, or `nil` where the source has no times.
  var start: Int64?
  /// The end in nanoseconds, or `nil` where it can neither be read nor computed.
  var end: Int64?
  /// How far off `start` and `end` may be.
  var tolerance: Int64
  var direction: Direction
  var frame: RadioFrame
  var technology: Technology

  init(
    _ number: Int, _ event: TraceEvent, _ direction: Direction, _ frame: RadioFrame,
    _ technology: Technology, resolution: Int64
  ) {
    self.event = number
    self.direction = direction
    self.frame = frame
    self.technology = technology
    tolerance = resolution + min(max(event.uncertainty?.count ?? 0, 0), Self.longestGap)
    guard !event.isTimeUnknown else { return }
    start = event.start.count
    end = event.end?.count
    var known = frame
    known.technology = technology
    // What type B sources call the length of a frame is often too short; and 14443-A at 106 kbit/s
    // can be computed to the tick where it was not recorded.
    if technology == .b || end == nil {
      let length = AirTime.duration(of: known, direction).count
      let (computed, overflow) = event.start.count.addingReportingOverflow(length)
      if !overflow { end = max(end ?? computed, computed) }
    }
  }

  /// The time from the end of `earlier` to the start of this frame.
  func gap(after earlier: LintFrame) -> Int64? {
    guard let start, let end = earlier.end else { return nil }
    return Self.distance(from: end, to: start)
  }

  /// The time between two instants, or `nil` beyond `longestGap`.
  static func distance(from earlier: Int64, to later: Int64) -> Int64? {
    let (gap, overflow) = later.subtractingReportingOverflow(earlier)
    return overflow || gap.magnitude > UInt64(longestGap) ? nil : gap
  }

  /// Gaps over 11 days have nothing to do with a protocol of NFC.
  static let longestGap: Int64 = 1_000_000_000_000_000

  /// A finding at this frame.
  func finding(_ rule: LintRule, _ message: String, _ source: String) -> LintFinding {
    LintFinding(
      eventNumber: event, time: start.map { Nanoseconds($0) }, rule: rule, message: message,
      source: source)
  }
}
