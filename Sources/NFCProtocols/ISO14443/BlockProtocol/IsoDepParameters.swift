/// What both sides of an ISO-DEP session agreed on in activation.
public struct IsoDepParameters: Hashable, Sendable {
  /// Type A or type B; decides the CRC of all blocks.
  public var technology: Technology
  /// The bit rate of both directions as nominal kbit/s.
  public var kilobitsPerSecond: UInt16
  /// FSC: the longest frame that the card takes, in bytes with prologue and CRC.
  public var cardFrameSize: Int
  /// FSD: the longest frame that the reader takes, in bytes with prologue and CRC.
  public var deviceFrameSize: Int
  /// The CID that blocks carry, 0...14, or `nil` where blocks carry none.
  public var cid: UInt8?
  /// The NAD in the first I-block of a chain, or `nil` where blocks carry none.
  public var nad: UInt8?

  /// The smallest frame size of ISO/IEC 14443-4 Table 1 (FSDI 0), in bytes.
  public static let smallestFrameSize = 16
  /// The frame size of a card whose ATS has no format byte (FSCI 2), in bytes.
  public static let defaultFrameSize = 32
  /// The largest frame size that most readers offer (FSDI 8), in bytes.
  public static let commonFrameSize = 256
  /// The highest CID that a reader may assign, ISO/IEC 14443-4 5.1 (15 is RFU).
  public static let highestCID: UInt8 = 14

  /// Makes the parameters; by default those of a type A card whose ATS is empty.
  public init(
    technology: Technology = .a, kilobitsPerSecond: UInt16 = 106,
    cardFrameSize: Int = Self.defaultFrameSize, deviceFrameSize: Int = Self.commonFrameSize,
    cid: UInt8? = nil, nad: UInt8? = nil
  ) {
    precondition(
      technology == .a || technology == .b, "ISO-DEP runs over type A and type B only")
    precondition(
      cardFrameSize >= Self.smallestFrameSize && deviceFrameSize >= Self.smallestFrameSize,
      "no frame size of ISO/IEC 14443-4 is below 16 bytes")
    precondition(
      (cid ?? 0) <= Self.highestCID, "a CID is at most 14")
    self.technology = technology
    self.kilobitsPerSecond = kilobitsPerSecond
    self.cardFrameSize = cardFrameSize
    self.deviceFrameSize = deviceFrameSize
    self.cid = cid
    self.nad = nad
  }
}

/// The times that govern an ISO-DEP session.
public struct IsoDepTimings: Hashable, Sendable {
  /// FWT: the time within which the card begins its answer.
  public var frameWaitingTime: FrameWaitingTime
  /// ΔFWT: how much longer than FWT the reader listens before it acts.
  ///
  /// Zero by default, so that every answer after the card's own limit shows. Real readers wait
  /// longer, many by `ProtocolTiming.waitingTimeMargin`.
  public var waitingTimeMargin: Nanoseconds
  /// The time that the card has to answer S(DESELECT): 65536/fc, ISO/IEC 14443-4 8.1.
  public var deselectWaitingTime: Nanoseconds
  /// The pause of the reader after a frame of the card: 1172/fc, ISO/IEC 14443-3 6.2.1.2.
  public var deviceFrameDelay: Nanoseconds
  /// The shortest delay of the card in periods of the carrier, before it is put on the grid of
  /// type A: 1172/fc, ISO/IEC 14443-3 6.2.1.1.
  public var cardFrameDelayCycles: Int64

  /// Makes the times for a card with the given frame waiting time.
  public init(
    _ frameWaitingTime: FrameWaitingTime = .standard, waitingTimeMargin: Nanoseconds = .zero
  ) {
    self.frameWaitingTime = frameWaitingTime
    self.waitingTimeMargin = waitingTimeMargin
    deselectWaitingTime = ProtocolTiming.activation
    deviceFrameDelay = ProtocolTiming.cardToReaderMinimum
    cardFrameDelayCycles = ProtocolTiming.readerToCardMinimumCycles
  }

  /// The limit for the answer to an ordinary block, ΔFWT included.
  var ordinaryLimit: TimeLimit {
    TimeLimit(.frameWaitingTime, frameWaitingTime.duration + waitingTimeMargin)
  }
}
