/// The flags of SetParameters.
public struct ParameterFlags: OptionSet, Hashable, Sendable {
  /// The byte.
  public var rawValue: UInt8
  /// Makes flags from the byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bit 0: node addresses are used.
  public static let nodeAddress = ParameterFlags(rawValue: 0x01)
  /// Bit 1: DID and CID are used.
  public static let deviceIdentifier = ParameterFlags(rawValue: 0x02)
  /// Bit 2: as a target, the chip sends ATR_RES itself.
  public static let automaticATRResponse = ParameterFlags(rawValue: 0x04)
  /// Bit 4: as an initiator, the chip sends RATS itself.
  public static let automaticRATS = ParameterFlags(rawValue: 0x10)
  /// Bit 5: PN532 emulates an ISO/IEC 14443-4 card; PN533: NFC-Secure.
  public static let cardEmulation = ParameterFlags(rawValue: 0x20)
  /// Bit 6: PN532 sends neither preamble nor postamble.
  public static let noPreambleAndPostamble = ParameterFlags(rawValue: 0x40)

  /// What libnfc sets and what a chip is said to have after power-on.
  public static let usual: ParameterFlags = [.automaticATRResponse, .automaticRATS]
}

/// The speed of the serial link: the byte BR of SetSerialBaudRate.
public enum SerialBaudRate: UInt8, Hashable, Sendable, CaseIterable {
  /// 9600 baud.
  case baud9600
  /// 19,200 baud.
  case baud19200
  /// 38,400 baud.
  case baud38400
  /// 57,600 baud.
  case baud57600
  /// 115,200 baud, the speed after power-on.
  case baud115200
  /// 230,400 baud.
  case baud230400
  /// 460,800 baud.
  case baud460800
  /// 921,600 baud.
  case baud921600
  /// 1,288,000 baud.
  case baud1288000

  /// The speed in baud.
  public var bitsPerSecond: Int {
    switch self {
    case .baud9600: 9_600
    case .baud19200: 19_200
    case .baud38400: 38_400
    case .baud57600: 57_600
    case .baud115200: 115_200
    case .baud230400: 230_400
    case .baud460800: 460_800
    case .baud921600: 921_600
    case .baud1288000: 1_288_000
    }
  }
}
