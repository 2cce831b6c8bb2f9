public import NFCProtocols

/// How a reader looks for tags and how patient it is.
public struct TagReaderConfiguration: Hashable, Sendable {
  /// The technologies to poll for, in this order.
  public var technologies: [Technology] = [.a, .b, .f, .v]
  /// How often the whole list is polled before the reader reports that there is no tag.
  public var pollingRounds = 1
  /// True to poll with WUPA and WUPB, which halted cards answer too.
  public var wakesHaltedCards = false
  /// The application family that type B cards must belong to; 0 is all.
  public var applicationFamily: UInt8 = 0
  /// The FSDI that the reader states in RATS and ATTRIB; 8 is 256 bytes.
  public var frameSizeIndex: UInt8 = 8
  /// The CID to use where the card takes one, or `nil` for blocks without CID.
  public var cid: UInt8?
  /// The bit rates to ask for by PPS, or `nil` for none.
  public var divisors: PPS.Divisors?
  /// The rules of the block protocol for silence and faults.
  public var recovery = RecoveryPolicy()
  /// ΔFWT: what the reader adds to every frame waiting time.
  public var waitingTimeMargin = Nanoseconds.zero
  /// How often a command of activation is sent before the tag counts as lost.
  public var activationAttempts = 1
  /// How often a read command of Type 2, 3 and 5 tags is sent before the tag counts as lost.
  public var readAttempts = 2
  /// How often the whole session is tried, each time after a field reset.
  public var sessionAttempts = 1
  /// The longest READ BINARY, in bytes; the card's own limit MLe holds as well.
  public var maximumReadLength = 255
  /// How a session ends.
  public var ending = Ending.deselect
  /// The limits that no card states for itself.
  public var limits = ReaderLimits()

  /// How a session ends.
  public enum Ending: UInt8, Hashable, Sendable {
    /// S(DESELECT) or HLTA, then field off.
    case deselect
    /// Field off and nothing else.
    case fieldOff
    /// Nothing: the field stays on.
    case nothing
  }

  /// Makes a configuration for all technologies.
  public init() {}

  /// Makes a configuration for the technologies of a list, polled in its order.
  public init(_ technologies: [Technology]) {
    precondition(!technologies.isEmpty, "a reader polls for at least one technology")
    self.technologies = technologies
  }
}

/// Times of a reader that do not come from a card.
public struct ReaderLimits: Hashable, Sendable {
  /// Unmodulated field before the first command of a technology: 5.1 ms, NFC Forum Activity [M].
  public var guardTime = Nanoseconds.microseconds(5_100)
  /// Field off to reset cards: 5.1 ms, NFC Forum Digital [M].
  public var resetTime = Nanoseconds.microseconds(5_100)
  /// How long to listen for an answer of the fixed delay of type A (1236/fc).
  ///
  /// The request guard time, 7000/fc: an earlier REQA would not be allowed either.
  public var typeAFixedDelay = ProtocolTiming.requestGuard
  /// RATS, PPS: 65536/fc, ISO/IEC 14443-4 5.7.
  public var activation = ProtocolTiming.activation
  /// REQB to ATQB: 7680/fc, ISO/IEC 14443-3 7.
  public var typeBRequest = Nanoseconds.carrierCycles(7_680)
  /// How long to listen for an answer of ISO/IEC 15693, which begins at t1 (4352/fc).
  public var vicinityAnswer = ProtocolTiming.requestGuard
  /// READ of Type 2 tags: 5 ms, NTAG21x data sheet 10.
  public var type2Read = Nanoseconds.milliseconds(5)
  /// HLTA: an answer within 1 ms would be a refusal, ISO/IEC 14443-3 6.4.3.
  public var halt = Nanoseconds.milliseconds(1)
  /// The pause of the reader after a frame of a type A card: 1172/fc.
  public var pauseA = ProtocolTiming.cardToReaderMinimum
  /// The pause after a frame of a type B card: TR2 of 10 etu and 32/fs, 14443-3 7.10.3.
  public var pauseB = Nanoseconds.carrierCycles(1_792)
  /// The pause after a frame of a FeliCa card: 6780/fc (500 µs) [?].
  public var pauseF = Nanoseconds.carrierCycles(6_780)
  /// The pause after a frame of an ISO/IEC 15693 card: t2, 4192/fc.
  public var pauseV = Nanoseconds.carrierCycles(VicinityTiming.requestMinimumCycles)

  /// Makes the limits of the standards.
  public init() {}

  func pause(_ technology: Technology) -> Nanoseconds {
    switch technology {
    case .a: pauseA
    case .b: pauseB
    case .f: pauseF
    case .v: pauseV
    }
  }
}
