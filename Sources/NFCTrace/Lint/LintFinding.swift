public import NFCProtocols

/// One place where a trace goes against a standard.
public struct LintFinding: Hashable, Sendable {
  /// The number of the event in the trace, from 1.
  public var eventNumber: Int
  /// When the event began, or `nil` if its source has no times.
  public var time: Nanoseconds?
  /// The rule that the event breaks.
  public var rule: LintRule
  /// What is wrong, as one line without a full stop.
  public var message: String
  /// The standard and the clause behind the rule, for example `14443-3, 6.2.1.1`.
  public var source: String

  /// Makes a finding.
  public init(
    eventNumber: Int, time: Nanoseconds?, rule: LintRule, message: String, source: String
  ) {
    self.eventNumber = eventNumber
    self.time = time
    self.rule = rule
    self.message = message
    self.source = source
  }

  /// The finding as one line for people: event, message, source.
  public var line: String { "\(eventNumber): \(message)    [\(source)]" }
}

/// The rules of the protocol lint, under the names that its output uses.
public enum LintRule: String, Hashable, Sendable, CaseIterable {
  /// The CRC of a frame does not fit.
  case crc
  /// The check byte of a UID part does not fit.
  case bcc
  /// A parity bit does not fit its byte.
  case parity
  /// A block number does not follow the rules of toggling.
  case blockNumber = "block-number"
  /// An S(WTX) asks for or grants what it may not.
  case waitingTimeMultiplier = "wtx-multiplier"
  /// A frame comes before the least delay, or not at the one instant that is allowed.
  case frameDelay = "frame-delay"
  /// An answer comes after the frame waiting time.
  case waitingTime = "waiting-time"
  /// An answer to RATS, PPS or S(DESELECT) comes too late.
  case activationTime = "activation-time"
  /// The reader sends before the card's guard time is over.
  case startUpGuard = "start-up-guard"
  /// Two requests follow each other too fast.
  case requestGuard = "request-guard"
  /// The lengths inside a command APDU lie, or an answer is longer than Le allows.
  case apduLength = "apdu-length"
  /// The length checksum of a host frame does not fit.
  case lengthChecksum = "lcs"
  /// The data checksum of a host frame does not fit.
  case dataChecksum = "dcs"
  /// Bytes between host and chip are no host frame.
  case hostFrame = "host-frame"
  /// The event begins before the one in front of it.
  case timeOrder = "time-order"
}

/// Times in messages: three significant places and a unit, by whole-number arithmetic.
enum LintText {
  static func duration(_ nanoseconds: Int64) -> String {
    let magnitude = nanoseconds.magnitude
    switch magnitude {
    case 0..<1_000: return "\(magnitude) ns"
    case 1_000..<1_000_000: return tenths(magnitude / 100) + " µs"
    case 1_000_000..<1_000_000_000: return tenths(magnitude / 100_000) + " ms"
    default: return tenths(magnitude / 100_000_000) + " s"
    }
  }

  private static func tenths(_ count: UInt64) -> String { "\(count / 10).\(count % 10)" }
}
