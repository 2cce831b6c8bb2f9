/// The parameters of TgInitAsTarget: what the chip is to be.
public struct TargetModeParameters: Hashable, Sendable {
  /// Bit 0 passive only, bit 1 DEP only, bit 2 (PN532) ISO/IEC 14443-4 card only.
  public var mode: UInt8
  /// The SENS_RES as a number; on the link its low byte comes first.
  public var sensRes: UInt16
  /// Bytes 1 to 3 of the NFCID1; byte 0 is always 08.
  public var nfcid1: [UInt8]
  /// The SEL_RES.
  public var selRes: UInt8
  /// NFCID2, PAD and system code of the FeliCa side, 18 bytes.
  public var feliCa: [UInt8]
  /// The NFCID3t, 10 bytes.
  public var nfcid3: [UInt8]
  /// The general bytes of the ATR_RES.
  public var generalBytes: [UInt8]
  /// The historical bytes of the ATS; PN531 and RC-S956 have none.
  public var historicalBytes: [UInt8]

  /// Makes parameters.
  public init(
    mode: UInt8, sensRes: UInt16, nfcid1: [UInt8], selRes: UInt8, feliCa: [UInt8],
    nfcid3: [UInt8], generalBytes: [UInt8] = [], historicalBytes: [UInt8] = []
  ) {
    precondition(nfcid1.count == 3, "TgInitAsTarget takes three bytes of the NFCID1")
    precondition(feliCa.count == 18, "the FeliCa parameters are 18 bytes")
    precondition(nfcid3.count == 10, "the NFCID3t is 10 bytes")
    self.mode = mode
    self.sensRes = sensRes
    self.nfcid1 = nfcid1
    self.selRes = selRes
    self.feliCa = feliCa
    self.nfcid3 = nfcid3
    self.generalBytes = generalBytes
    self.historicalBytes = historicalBytes
  }

  /// The most general bytes in TgInitAsTarget and TgSetGeneralBytes.
  public static let maximumGeneralBytes = 47

  private static func hasLengths(_ chip: Chip) -> Bool { chip == .pn532 || chip == .pn533 }

  init(_ reader: inout BodyReader, on chip: Chip) throws(PN53xError) {
    mode = try reader.byte(.parameters)
    let low = UInt16(try reader.byte(.parameters))
    sensRes = UInt16(try reader.byte(.parameters)) << 8 | low
    nfcid1 = try reader.bytes(3, .parameters)
    selRes = try reader.byte(.parameters)
    feliCa = try reader.bytes(18, .parameters)
    nfcid3 = try reader.bytes(10, .parameters)
    guard TargetModeParameters.hasLengths(chip) else {
      generalBytes = reader.rest()
      historicalBytes = []
      return
    }
    let generalLength = try reader.byte(.length)
    generalBytes = try reader.bytes(Int(generalLength), .generalBytes)
    let historicalLength = try reader.byte(.length)
    historicalBytes = try reader.bytes(Int(historicalLength), .parameters)
    try reader.end()
  }

  func encode(on chip: Chip, into output: inout [UInt8]) {
    output.append(mode)
    output.append(UInt8(sensRes & 0xFF))
    output.append(UInt8(sensRes >> 8))
    output.append(contentsOf: nfcid1)
    output.append(selRes)
    output.append(contentsOf: feliCa)
    output.append(contentsOf: nfcid3)
    guard TargetModeParameters.hasLengths(chip) else {
      output.append(contentsOf: generalBytes)
      return
    }
    output.append(UInt8(truncatingIfNeeded: generalBytes.count))
    output.append(contentsOf: generalBytes)
    output.append(UInt8(truncatingIfNeeded: historicalBytes.count))
    output.append(contentsOf: historicalBytes)
  }
}

/// How a chip was activated as a target: the byte Mode of the response to TgInitAsTarget.
public struct ActivatedMode: RawRepresentable, Hashable, Sendable {
  /// The byte.
  public var rawValue: UInt8
  /// Makes a mode from its byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The speed in kbit/s, or `nil` for a value that is not defined.
  public var kilobitsPerSecond: UInt16? {
    switch rawValue >> 4 & 7 {
    case 0: 106
    case 1: 212
    case 2: 424
    default: nil
    }
  }
  /// Bit 3: as an ISO/IEC 14443-4 card.
  public var isCard: Bool { rawValue & 0x08 != 0 }
  /// Bit 2: as a DEP target.
  public var isDEP: Bool { rawValue & 0x04 != 0 }
  /// Bits 1 and 0: 0 MIFARE, 1 active, 2 FeliCa.
  public var framing: UInt8 { rawValue & 0x03 }
}
