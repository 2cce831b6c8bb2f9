/// How a reader deals with silence and with blocks that do not fit.
///
/// ISO/IEC 14443-4 7.5 says what to send but not how often; the numbers are parameters.
public struct RecoveryPolicy: Hashable, Sendable {
  /// How many R(NAK) or R(ACK) in a row ask for one block again before the card is given up.
  ///
  /// Two, as in EMV Contactless Book D (retransmission count) and the NFC Forum Digital Protocol.
  public var attempts: Int
  /// How often S(DESELECT) is sent before the reader stops without an answer; 0 sends none.
  ///
  /// Two: ISO/IEC 14443-4 8.2 lets the reader repeat it once.
  public var deselectAttempts: Int
  /// The multipliers 60 to 63 that no card may send.
  public var illegalMultipliers: IllegalMultipliers
  /// The longest time for one command and its response, or `nil` where only silence counts.
  public var exchangeLimit: Nanoseconds?

  /// Two requests for the same block.
  public static let defaultAttempts = 2
  /// One repetition of S(DESELECT).
  public static let defaultDeselectAttempts = 2

  /// What to make of a multiplier of 60 to 63; 0 is a fault of the protocol in any case.
  public enum IllegalMultipliers: UInt8, Hashable, Sendable {
    /// Grant 59, as ISO/IEC 14443-4 7.3 advises for the values that are reserved.
    case useHighest
    /// Take the block for an invalid one.
    case refuse
  }

  /// Makes a policy; by default two attempts, then DESELECT.
  public init(
    attempts: Int = Self.defaultAttempts, deselectAttempts: Int = Self.defaultDeselectAttempts,
    illegalMultipliers: IllegalMultipliers = .useHighest, exchangeLimit: Nanoseconds? = nil
  ) {
    precondition(attempts >= 0 && deselectAttempts >= 0, "a number of tries is not negative")
    self.attempts = attempts
    self.deselectAttempts = deselectAttempts
    self.illegalMultipliers = illegalMultipliers
    self.exchangeLimit = exchangeLimit
  }

  /// Gives up at the first silence or fault and sends nothing more.
  public static let none = RecoveryPolicy(attempts: 0, deselectAttempts: 0)
}

/// Why a reader gave up a card in the block protocol.
public struct IsoDepFailure: Error, Hashable, Sendable {
  /// What went wrong the last time.
  public var reason: Reason
  /// The limit that was in force.
  public var limit: TimeLimit
  /// The time from the end of the block that got no answer, as first sent, to giving up.
  public var waited: Nanoseconds
  /// How many times the block was asked for again.
  public var attempts: Int
  /// How long after the limit an answer began, if one came before the session ended.
  public var lateAnswer: Nanoseconds?

  /// What can go wrong.
  public enum Reason: Hashable, Sendable {
    /// Nothing began within the limit.
    case silence
    /// A block came with a wrong CRC, or broken in another way.
    case damagedBlock
    /// A sound block came that does not fit the exchange; its first byte is told.
    case unexpectedBlock(UInt8)
    /// An I-block came whose block number is not the current one.
    case wrongBlockNumber(BlockNumber)
    /// A block came that is longer than FSD.
    case blockTooLong(Int)
    /// The card asked for an extension with a multiplier that no card may send.
    case illegalMultiplier(UInt8)
    /// The card asks for the same block again and again.
    case retransmissionRefused
    /// The answer has more bytes than any response APDU.
    case responseTooLong
    /// The whole exchange took longer than the caller allowed.
    case exchangeLimit
  }

  /// Makes a failure.
  public init(
    _ reason: Reason, limit: TimeLimit, waited: Nanoseconds, attempts: Int,
    lateAnswer: Nanoseconds? = nil
  ) {
    self.reason = reason
    self.limit = limit
    self.waited = waited
    self.attempts = attempts
    self.lateAnswer = lateAnswer
  }
}
