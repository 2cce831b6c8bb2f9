/// What one frame on the air says, in the light of the frames before it.
///
/// A meaning holds no bytes: it names a kind, two numbers and a range of the frame's bytes, so that
/// making one costs no memory. Text and fields are written from it and the frame.
public struct RadioMeaning: Hashable, Sendable {
  /// What the frame is.
  public var kind: Kind
  /// The first number of the kind, as listed there.
  public var first: UInt16
  /// The second number of the kind, as listed there.
  public var second: UInt16
  /// Where the content of the kind begins: the information field, the data, the UID.
  public var contentStart: Int
  /// Where the content ends; the bytes behind it are a check value.
  public var contentEnd: Int
  /// The technology that the frame was read under.
  public var technology: Technology
  /// What is known of the check value.
  public var checkValue: CheckValue
  /// True if the frame repeats the one that its sender sent before.
  public var isRetransmission: Bool

  init(
    _ kind: Kind, _ first: UInt16 = 0, _ second: UInt16 = 0, content: Range<Int> = 0..<0,
    technology: Technology = .a
  ) {
    self.kind = kind
    self.first = first
    self.second = second
    contentStart = content.lowerBound
    contentEnd = content.upperBound
    self.technology = technology
    checkValue = .absent
    isRetransmission = false
  }

  /// The bytes of the content.
  public var content: Range<Int> { contentStart..<contentEnd }

  /// What is known of the CRC at the end of a frame.
  public enum CheckValue: UInt8, Hashable, Sendable {
    /// There is none, or it was not captured.
    case absent
    /// It fits.
    case good
    /// It does not fit.
    case bad
  }

  /// The kinds of frame.
  public enum Kind: UInt8, Hashable, Sendable {
    // Nothing that is known here.
    case unknown, empty, encrypted
    // ISO/IEC 14443-3 type A. first: cascade level; ATQA: its value; SAK: the byte.
    case reqA, wupA, atqA, anticollision, anticollisionAnswer, select, sak, haltA
    case magicWakeUp, enhancedPolling
    // ISO/IEC 14443-4 activation. RATS: FSD index, CID; PPS: PPS1.
    case rats, ats, pps, ppsAnswer
    // ISO/IEC 14443-4 blocks. first: block number or multiplier; I: second is 1 for chaining.
    case informationBlock, acknowledgeBlock, negativeAcknowledgeBlock, waitingTimeExtension
    case deselect, parametersBlock
    // Type 2 and MIFARE. first: page, block, counter, or the answer's four bits.
    case shortAnswer, read, fastRead, write, compatibleWrite, compatibleWriteData, getVersion
    case versionAnswer, readCounter, counterAnswer, incrementCounter, passwordAuthenticate
    case passwordAnswer, readSignature, signatureAnswer, sectorSelect, authenticateStart
    case authenticateContinue, authenticateDone, memoryData, checkTearing
    // MIFARE Classic. authenticate: block, 0 for key A and 1 for key B.
    case authenticate, nonce, readerAnswer, cardAnswer, decrement, increment, restore, transfer
    // ISO/IEC 14443-3 type B. REQB: AFI, parameter; slot marker: slot.
    case reqB, wupB, slotMarker, atqB, attrib, attribAnswer, haltB, haltBAnswer
    // FeliCa. first: command code; polling: system code, request code.
    case polling, pollingAnswer, feliCaCommand, feliCaAnswer
    // NFC-DEP. first: command code.
    case dep
    // ISO/IEC 15693. first: command code; second: flags.
    case inventory, inventoryAnswer, vicinityCommand, vicinityAnswer, vicinityError
  }
}
