/// One target as InListPassiveTarget and InAutoPoll describe it.
public struct PassiveTarget: Hashable, Sendable {
  /// The number under which later commands name the target.
  public var number: UInt8
  /// What the target said of itself.
  public var data: PassiveTargetData

  /// Makes a target.
  public init(number: UInt8, data: PassiveTargetData) {
    self.number = number
    self.data = data
  }
}

/// What a target said of itself, by technology.
public enum PassiveTargetData: Hashable, Sendable {
  /// ISO/IEC 14443 type A.
  case typeA(TypeATarget)
  /// FeliCa.
  case feliCa(FeliCaTarget)
  /// ISO/IEC 14443 type B.
  case typeB(TypeBTarget)
  /// Innovision Jewel (Topaz).
  case jewel(JewelTarget)
}

/// A type A target: SENS_RES, SEL_RES, NFCID1 and perhaps the ATS.
public struct TypeATarget: Hashable, Sendable {
  /// The SENS_RES (ATQA) as a number, `0x0044` for the bytes 44 00 on the air.
  public var sensRes: UInt16
  /// The SEL_RES (SAK).
  public var selRes: UInt8
  /// The NFCID1 as the chip gives it; a PN531 leaves the cascade tags (88) in it.
  public var nfcid1: [UInt8]
  /// The ATS with its length byte, if the chip has sent RATS.
  public var ats: [UInt8]?

  /// Makes a target.
  public init(sensRes: UInt16, selRes: UInt8, nfcid1: [UInt8], ats: [UInt8]? = nil) {
    self.sensRes = sensRes
    self.selRes = selRes
    self.nfcid1 = nfcid1
    self.ats = ats
  }

  /// SEL_RES bit 6: the target follows ISO/IEC 14443-4.
  public var isISODEP: Bool { selRes & 0x20 != 0 }

  /// The UID without cascade tags.
  public var uid: [UInt8] {
    switch nfcid1.count {
    case 8 where nfcid1[0] == 0x88: Array(nfcid1[1...])
    case 12 where nfcid1[0] == 0x88 && nfcid1[4] == 0x88: Array(nfcid1[1..<4] + nfcid1[5...])
    default: nfcid1
    }
  }

  init(_ reader: inout BodyReader, on chip: Chip) throws(PN53xError) {
    let first = UInt16(try reader.byte(.targetData))
    let second = UInt16(try reader.byte(.targetData))
    // The PN531 gives the two bytes as they are on the air, the low one first.
    sensRes = chip == .pn531 ? second << 8 | first : first << 8 | second
    selRes = try reader.byte(.targetData)
    let length = try reader.byte(.length)
    nfcid1 = try reader.bytes(Int(length), .targetData)
  }

  func encode(on chip: Chip, into output: inout [UInt8]) {
    let high = UInt8(sensRes >> 8)
    let low = UInt8(sensRes & 0xFF)
    output.append(chip == .pn531 ? low : high)
    output.append(chip == .pn531 ? high : low)
    output.append(selRes)
    output.append(UInt8(truncatingIfNeeded: nfcid1.count))
    output.append(contentsOf: nfcid1)
    output.append(contentsOf: ats ?? [])
  }
}

/// A FeliCa target: its polling response.
public struct FeliCaTarget: Hashable, Sendable {
  /// The response code, 01.
  public var responseCode: UInt8
  /// The NFCID2 (IDm), 8 bytes.
  public var nfcid2: [UInt8]
  /// The PAD (PMm), 8 bytes.
  public var pad: [UInt8]
  /// The system code, if the request asked for it.
  public var systemCode: UInt16?

  /// Makes a target.
  public init(nfcid2: [UInt8], pad: [UInt8], systemCode: UInt16? = nil, responseCode: UInt8 = 1) {
    self.nfcid2 = nfcid2
    self.pad = pad
    self.systemCode = systemCode
    self.responseCode = responseCode
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    let place = reader.position
    let length = try reader.byte(.length)
    guard length == 0x12 || length == 0x14 else {
      throw .unexpectedValue(offset: place, found: length, expected: .length)
    }
    responseCode = try reader.byte(.targetData)
    nfcid2 = try reader.bytes(8, .targetData)
    pad = try reader.bytes(8, .targetData)
    if length == 0x14 {
      let high = UInt16(try reader.byte(.targetData))
      systemCode = high << 8 | UInt16(try reader.byte(.targetData))
    }
  }

  func encode(into output: inout [UInt8]) {
    output.append(systemCode == nil ? 0x12 : 0x14)
    output.append(responseCode)
    output.append(contentsOf: nfcid2)
    output.append(contentsOf: pad)
    if let systemCode {
      output.append(UInt8(systemCode >> 8))
      output.append(UInt8(systemCode & 0xFF))
    }
  }
}

/// A type B target: ATQB and the answer to ATTRIB.
public struct TypeBTarget: Hashable, Sendable {
  /// The ATQB, 12 bytes from 50 on.
  public var atqb: [UInt8]
  /// The answer to ATTRIB.
  public var attribResponse: [UInt8]

  /// Makes a target.
  public init(atqb: [UInt8], attribResponse: [UInt8]) {
    self.atqb = atqb
    self.attribResponse = attribResponse
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    atqb = try reader.bytes(12, .targetData)
    let length = try reader.byte(.length)
    attribResponse = try reader.bytes(Int(length), .targetData)
  }

  func encode(into output: inout [UInt8]) {
    output.append(contentsOf: atqb)
    output.append(UInt8(truncatingIfNeeded: attribResponse.count))
    output.append(contentsOf: attribResponse)
  }
}

/// A Jewel target: SENS_RES and four bytes of its identifier.
public struct JewelTarget: Hashable, Sendable {
  /// The SENS_RES, 2 bytes as the chip gives them.
  public var sensRes: [UInt8]
  /// The identifier, 4 bytes.
  public var identifier: [UInt8]

  /// Makes a target.
  public init(sensRes: [UInt8], identifier: [UInt8]) {
    self.sensRes = sensRes
    self.identifier = identifier
  }
}
