/// The address of a register in the memory of the chip's controller.
public struct RegisterAddress: RawRepresentable, Hashable, Sendable {
  /// The address.
  public var rawValue: UInt16
  /// Makes an address.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Speed, CRC and framing of the transmitter.
  public static let txMode = RegisterAddress(rawValue: 0x6302)
  /// Speed, CRC and framing of the receiver.
  public static let rxMode = RegisterAddress(rawValue: 0x6303)
  /// The antenna drivers.
  public static let txControl = RegisterAddress(rawValue: 0x6304)
  /// Modulation depth and automatic field.
  public static let txAuto = RegisterAddress(rawValue: 0x6305)
  /// Parity and other settings of the receiver.
  public static let manualRCV = RegisterAddress(rawValue: 0x630D)
  /// The interrupt flags of the receiver.
  public static let commIrq = RegisterAddress(rawValue: 0x6334)
  /// The Crypto1 flag.
  public static let status2 = RegisterAddress(rawValue: 0x6338)
  /// The data queue of 64 bytes.
  public static let fifoData = RegisterAddress(rawValue: 0x6339)
  /// How full the data queue is.
  public static let fifoLevel = RegisterAddress(rawValue: 0x633A)
  /// Initiator flag and the bits of the last byte received.
  public static let control = RegisterAddress(rawValue: 0x633C)
  /// Start of transmission and the bits of the last byte to send.
  public static let bitFraming = RegisterAddress(rawValue: 0x633D)

  /// The first address of the EEPROM of a PN533.
  public static let eepromStart: UInt16 = 0xA000
  /// The last address of the EEPROM of a PN533.
  public static let eepromEnd: UInt16 = 0xA0FF

  /// The name of the register (UM0701-02 table of the CIU, libnfc), or `nil` if it has none here.
  public var name: StaticString? {
    switch rawValue {
    case 0x6106: "Control_switch_rng"
    case 0x6301...0x633F: RegisterAddress.contactlessName(UInt8(rawValue & 0x3F))
    case 0xFFB0: "P3"
    case 0xFFF7: "P7"
    case 0xFFFC: "P3CFGA"
    case 0xFFFD: "P3CFGB"
    case RegisterAddress.eepromStart...RegisterAddress.eepromEnd: "EEPROM"
    default: nil
    }
  }

  private static func contactlessName(_ low: UInt8) -> StaticString? {
    switch low {
    case 0x01: "Mode"
    case 0x02: "TxMode"
    case 0x03: "RxMode"
    case 0x04: "TxControl"
    case 0x05: "TxAuto"
    case 0x06: "TxSel"
    case 0x07: "RxSel"
    case 0x08: "RxThreshold"
    case 0x09: "Demod"
    case 0x0A: "FelNFC1"
    case 0x0B: "FelNFC2"
    case 0x0C: "MifNFC"
    case 0x0D: "ManualRCV"
    case 0x0E: "TypeB"
    case 0x11: "CRCResultMSB"
    case 0x12: "CRCResultLSB"
    case 0x13: "GsNOff"
    case 0x14: "ModWidth"
    case 0x15: "TxBitPhase"
    case 0x16: "RFCfg"
    case 0x17: "GsNOn"
    case 0x18: "CWGsP"
    case 0x19: "ModGsP"
    case 0x1A: "TMode"
    case 0x1B: "TPrescaler"
    case 0x1C: "TReloadVal_hi"
    case 0x1D: "TReloadVal_lo"
    case 0x1E: "TCounterVal_hi"
    case 0x1F: "TCounterVal_lo"
    default: upperContactlessName(low)
    }
  }

  private static func upperContactlessName(_ low: UInt8) -> StaticString? {
    switch low {
    case 0x31: "Command"
    case 0x32: "CommIEn"
    case 0x33: "DivIEn"
    case 0x34: "CommIrq"
    case 0x35: "DivIrq"
    case 0x36: "Error"
    case 0x37: "Status1"
    case 0x38: "Status2"
    case 0x39: "FIFOData"
    case 0x3A: "FIFOLevel"
    case 0x3B: "WaterLevel"
    case 0x3C: "Control"
    case 0x3D: "BitFraming"
    case 0x3E: "Coll"
    default: nil
    }
  }
}

/// A register and the value to put into it.
public struct RegisterWrite: Hashable, Sendable {
  /// Where.
  public var address: RegisterAddress
  /// What.
  public var value: UInt8
  /// Makes a write.
  public init(_ address: RegisterAddress, _ value: UInt8) {
    self.address = address
    self.value = value
  }
}
