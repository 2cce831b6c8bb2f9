/// The status byte of a response: an error number and two flags.
///
/// Masks: libnfc `PN53x_STATUS_MASK`; the numbers are those of UM0701-02 7.1 and Sony's list.
public struct StatusByte: RawRepresentable, Hashable, Sendable {
  /// The byte as it came.
  public var rawValue: UInt8
  /// Makes a status byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Success, nothing more.
  public static let success = StatusByte(rawValue: 0)

  /// Bit 7: a node address is in front of the data.
  public var hasNodeAddress: Bool { rawValue & 0x80 != 0 }
  /// Bit 6 (MI): the target has more data.
  public var hasMoreInformation: Bool { rawValue & 0x40 != 0 }
  /// Bits 5 to 0.
  public var status: ChipStatus { ChipStatus(rawValue: rawValue & 0x3F) }
}

/// What became of a command, as the chip numbers it.
public struct ChipStatus: RawRepresentable, Hashable, Sendable {
  /// The number, 00 to 3F.
  public var rawValue: UInt8
  /// Makes a status from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 00.
  public static let success = ChipStatus(rawValue: 0x00)
  /// 01: the target did not answer.
  public static let timeout = ChipStatus(rawValue: 0x01)
  /// 02: CRC error.
  public static let crcError = ChipStatus(rawValue: 0x02)
  /// 03: parity error.
  public static let parityError = ChipStatus(rawValue: 0x03)
  /// 0B: error of the radio protocol.
  public static let protocolError = ChipStatus(rawValue: 0x0B)
  /// 13: format of a frame of the target.
  public static let formatError = ChipStatus(rawValue: 0x13)
  /// 14: MIFARE authentication.
  public static let authenticationError = ChipStatus(rawValue: 0x14)
  /// 26: not allowed in this configuration.
  public static let notAllowed = ChipStatus(rawValue: 0x26)
  /// 27: not acceptable now, for example an unknown target number.
  public static let notAcceptable = ChipStatus(rawValue: 0x27)
  /// 29: released by the initiator.
  public static let releasedByInitiator = ChipStatus(rawValue: 0x29)

  /// Whom a status is about.
  public enum Category: UInt8, Hashable, Sendable {
    /// No error.
    case success
    /// The air or the target.
    case radio
    /// The chip itself.
    case chip
    /// The command.
    case argument
    /// MIFARE authentication.
    case authentication
    /// The link to the other side has ended in good order.
    case released
    /// A number that no list knows.
    case unknown
  }

  /// Whom the status is about.
  public var category: Category {
    switch rawValue {
    case 0x00: .success
    case 0x01...0x06, 0x0A, 0x0B, 0x0C, 0x12, 0x13, 0x17, 0x23, 0x25, 0x2A, 0x2C, 0x2E: .radio
    case 0x07, 0x09, 0x0D, 0x0E, 0x19, 0x2D, 0x32: .chip
    case 0x10, 0x18, 0x26, 0x27, 0x34, 0x35: .argument
    case 0x14: .authentication
    case 0x29, 0x2B, 0x2F, 0x31: .released
    default: .unknown
    }
  }

  /// What the status means, in a few words.
  public var name: StaticString {
    switch rawValue {
    case 0x00: "ok"
    case 0x01: "timeout, the target is silent"
    case 0x02: "CRC error"
    case 0x03: "parity error"
    case 0x04: "wrong bit count in anticollision"
    case 0x05: "MIFARE framing error"
    case 0x06: "abnormal bit collision"
    case 0x07: "buffer too small"
    case 0x09: "RF buffer overflow"
    case 0x0A: "peer's field not switched on in time"
    case 0x0B: "RF protocol error"
    case 0x0C: "more than 260 bytes chained (RC-S956)"
    case 0x0D: "too hot, drivers off"
    case 0x0E: "internal buffer overflow"
    case 0x10: "invalid parameter"
    case 0x12: "DEP: unknown command"
    case 0x13: "bad format from the other side"
    case 0x14: "MIFARE authentication error"
    case 0x17: "block number mismatch (RC-S956)"
    case 0x18: "NFC-Secure not supported"
    case 0x19: "I2C bus busy"
    default: upperName
    }
  }

  private var upperName: StaticString {
    switch rawValue {
    case 0x23: "wrong check byte of the UID (BCC)"
    case 0x25: "DEP: wrong state"
    case 0x26: "not allowed in this configuration"
    case 0x27: "not acceptable now"
    case 0x29: "released by the initiator"
    case 0x2A: "type B: another card"
    case 0x2B: "type B: the card is gone"
    case 0x2C: "NFCID3 mismatch"
    case 0x2D: "over-current"
    case 0x2E: "NAD missing"
    case 0x2F: "deselected by the initiator"
    case 0x31: "the initiator's field is off"
    case 0x32: "firmware buffer overflow (RC-S956)"
    case 0x34: "NACK without an information frame before (RC-S956)"
    case 0x35: "more data than the length says (RC-S956)"
    default: "unknown status"
    }
  }
}
