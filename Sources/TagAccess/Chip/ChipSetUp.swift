public import NFCProtocols
import PN53x

/// How an endpoint is adapted to a chip.
public struct ChipRadioOptions: Hashable, Sendable {
  /// True if the chip adds and checks the CRC of type A frames; then a card's four-bit answers
  /// look like damaged ones.
  public var chipChecksTypeA = false
  /// True to keep what was on the air, for a recorder.
  public var keepsObservations = false
  /// How long to listen after a frame of which the endpoint does not say it: 20 ms.
  public var defaultLimit = Nanoseconds.milliseconds(20)

  /// How long the field stays off where an earlier reader has left it on: 5.1 ms, NFC Forum [M].
  public var resetTime = Nanoseconds.microseconds(5_100)

  /// Pauses up to this pass while a command travels to the chip: 0.57 ms at least on an SCL3711.
  static let shortestPause = Nanoseconds.microseconds(500)
  /// What a limit that the host keeps itself is longer: two frames over air and link.
  static let patienceMargin = Nanoseconds.milliseconds(100)
  /// The most observations that wait to be taken.
  public static let maximumObservations = 1 << 20

  /// Makes the usual options.
  public init() {}
}

/// What sets limits on a chip.
struct ChipSetUp: Hashable, Sendable {
  let chip: Chip

  /// The first code that is not shorter than a limit, or 00 (none) for limits beyond all codes;
  /// these the host keeps itself.
  static func code(for limit: Nanoseconds) -> RFTimeoutCode {
    let code = RFTimeoutCode(notShorterThan: limit)
    guard let duration = code.duration, duration >= limit else {
      return RFTimeoutCode(rawValue: 0)
    }
    return code
  }

  /// RFConfiguration item 02 with another limit of exchanges, all else as it is.
  func limit(_ code: RFTimeoutCode, _ settings: ChipSettings) -> Command {
    // The first byte is the limit of PSL on an RC-S956 and nothing elsewhere.
    let first = chip == .rcS956 ? settings.attributeLimit.rawValue : 0
    return .rfConfiguration(
      .timings(first, atrResponse: settings.attributeLimit, retry: code))
  }
}

/// The registers as they were written last.
struct RegisterShadow: Hashable, Sendable {
  private var values: [RegisterWrite] = []

  /// The writes that are left when those that change nothing are taken out.
  func changes(to writes: [RegisterWrite]) -> [RegisterWrite] {
    writes.filter { !values.contains($0) }
  }

  mutating func written(_ writes: [RegisterWrite]) {
    for write in writes {
      if let index = values.firstIndex(where: { $0.address == write.address }) {
        values[index] = write
      } else {
        values.append(write)
      }
    }
  }
}

/// The timers of an endpoint, in the order in which they run out.
struct EndpointTimers: Sendable {
  private var timers: [(timer: RadioTimer, at: VirtualInstant)] = []

  var earliest: VirtualInstant? { timers.first?.at }

  mutating func set(_ timer: RadioTimer, at instant: VirtualInstant) {
    cancel(timer)
    let place = timers.firstIndex { $0.at > instant } ?? timers.count
    timers.insert((timer, instant), at: place)
  }

  mutating func cancel(_ timer: RadioTimer) {
    if let index = timers.firstIndex(where: { $0.timer == timer }) { timers.remove(at: index) }
  }

  mutating func takeEarliest() -> RadioTimer? {
    timers.isEmpty ? nil : timers.removeFirst().timer
  }
}
