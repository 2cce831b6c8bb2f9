/// The Type 2 products whose memory map is known here.
///
/// Page numbers are those of the data sheets MF0ICU1, MF0ICU2, MF0ULx1, NTAG203, NTAG210_212,
/// NTAG213_215_216, NT3H1101_1201 and NT3H2111_2211.
public enum Type2Product: String, Hashable, Sendable, CaseIterable {
  /// MF0ICU1, 16 pages.
  case ultralight = "MIFARE Ultralight"
  /// MF0ICU2, 48 pages; its 3DES authentication is not modelled.
  case ultralightC = "MIFARE Ultralight C"
  /// MF0UL11, 20 pages.
  case ultralightEV1Small = "MIFARE Ultralight EV1 MF0UL11"
  /// MF0UL21, 41 pages.
  case ultralightEV1Large = "MIFARE Ultralight EV1 MF0UL21"
  /// NTAG203, 42 pages.
  case ntag203 = "NTAG203"
  /// NTAG210, 20 pages.
  case ntag210 = "NTAG210"
  /// NTAG212, 41 pages.
  case ntag212 = "NTAG212"
  /// NTAG213, 45 pages.
  case ntag213 = "NTAG213"
  /// NTAG215, 135 pages.
  case ntag215 = "NTAG215"
  /// NTAG216, 231 pages.
  case ntag216 = "NTAG216"
  /// NT3H1101, 231 pages in sector 0.
  case ntagI2C1K = "NTAG I2C 1K"
  /// NT3H1201; only sector 0 is modelled.
  case ntagI2C2K = "NTAG I2C 2K"
  /// NT3H2111, 236 pages in sector 0.
  case ntagI2CPlus1K = "NTAG I2C Plus 1K"
  /// NT3H2211; only sector 0 is modelled.
  case ntagI2CPlus2K = "NTAG I2C Plus 2K"
  /// MIFARE Ultralight AES, 60 pages; its AES authentication is not modelled.
  case ultralightAES = "MIFARE Ultralight AES"
  /// Any other Type 2 card: READ and WRITE only.
  case other = "Type 2 card"

  /// The number of pages that the product has, or `nil` where it is not fixed.
  public var pageCount: Int? {
    switch self {
    case .ultralight: 16
    case .ultralightC: 48
    case .ultralightEV1Small, .ntag210: 20
    case .ultralightEV1Large, .ntag212: 41
    case .ntag203: 42
    case .ntag213: 45
    case .ntag215: 135
    case .ntag216: 231
    case .ntagI2C1K: 231
    case .ntagI2CPlus1K: 236
    case .ultralightAES: 60
    case .ntagI2C2K, .ntagI2CPlus2K, .other: nil
    }
  }

  /// The answer to GET_VERSION, for products that have the command.
  public var version: [UInt8]? {
    switch self {
    case .ultralightEV1Small: [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03]
    case .ultralightEV1Large: [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0E, 0x03]
    case .ultralightAES: [0x00, 0x04, 0x03, 0x01, 0x04, 0x00, 0x0F, 0x03]
    case .ntag210: [0x00, 0x04, 0x04, 0x01, 0x01, 0x00, 0x0B, 0x03]
    case .ntag212: [0x00, 0x04, 0x04, 0x01, 0x01, 0x00, 0x0E, 0x03]
    case .ntag213: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03]
    case .ntag215: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03]
    case .ntag216: [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03]
    case .ntagI2C1K: [0x00, 0x04, 0x04, 0x05, 0x02, 0x01, 0x13, 0x03]
    case .ntagI2C2K: [0x00, 0x04, 0x04, 0x05, 0x02, 0x01, 0x15, 0x03]
    case .ntagI2CPlus1K: [0x00, 0x04, 0x04, 0x05, 0x02, 0x02, 0x13, 0x03]
    case .ntagI2CPlus2K: [0x00, 0x04, 0x04, 0x05, 0x02, 0x02, 0x15, 0x03]
    case .ultralight, .ultralightC, .ntag203, .other: nil
    }
  }

  /// The product that answers GET_VERSION like that; sub types and minor versions do not count.
  public init?(version: [UInt8]) {
    guard version.count == 8 else { return nil }
    // Type, major version and size tell products apart; the sub type only where it is 05 (I2C),
    // whose minor version tells Plus from the first generation.
    let known = Self.allCases.first { product in
      guard let own = product.version else { return false }
      guard own[2] == version[2], own[4] == version[4], own[6] == version[6] else { return false }
      return (own[3] == 5) == (version[3] == 5) && (own[3] != 5 || own[5] == version[5])
    }
    guard let known else { return nil }
    self = known
  }

  /// The first of the four configuration pages (CFG0, CFG1, PWD, PACK), where there are such.
  public var configurationPage: Int? {
    switch self {
    case .ultralightEV1Small, .ntag210: 16
    case .ultralightEV1Large, .ntag212: 37
    case .ntag213: 41
    case .ntag215: 131
    case .ntag216: 227
    default: nil
    }
  }

  /// The number of one-way counters: three of EV1, one of NTAG213 to 216, read as number 2.
  var counterNumbers: ClosedRange<Int>? {
    switch self {
    case .ultralightEV1Small, .ultralightEV1Large: 0...2
    case .ntag213, .ntag215, .ntag216: 2...2
    default: nil
    }
  }

  /// True if FAST_READ, GET_VERSION and READ_SIG are there.
  var hasExtendedCommands: Bool { version != nil }
}
