/// The parameters of InJumpForDEP and InJumpForPSL.
public struct JumpParameters: Hashable, Sendable {
  /// True for the active mode.
  public var isActive: Bool
  /// The speed: 0, 1, 2 for 106, 212, 424 kbit/s.
  public var speed: UInt8
  /// The UID (4 bytes, 106 kbit/s) or the polling request (5 bytes) for the passive mode.
  public var passiveData: [UInt8]?
  /// The NFCID3i, 10 bytes.
  public var nfcid3: [UInt8]?
  /// The general bytes of the ATR_REQ.
  public var generalBytes: [UInt8]?

  /// Makes parameters.
  public init(
    isActive: Bool, speed: UInt8, passiveData: [UInt8]? = nil, nfcid3: [UInt8]? = nil,
    generalBytes: [UInt8]? = nil
  ) {
    self.isActive = isActive
    self.speed = speed
    self.passiveData = passiveData
    self.nfcid3 = nfcid3
    self.generalBytes = generalBytes
  }

  /// The most general bytes in a request.
  public static let maximumGeneralBytes = 48

  init(_ reader: inout BodyReader) throws(PN53xError) {
    let start = reader.position
    let mode = try reader.byte(.parameters)
    guard mode <= 1 else {
      throw .unexpectedValue(offset: start, found: mode, expected: .parameters)
    }
    isActive = mode == 1
    speed = try reader.byte(.parameters)
    let next = try reader.byte(.parameters)
    guard next & 0xF8 == 0 else {
      throw .unexpectedValue(offset: start + 2, found: next, expected: .parameters)
    }
    if next & 1 != 0 { passiveData = try reader.bytes(speed == 0 ? 4 : 5, .targetData) }
    if next & 2 != 0 { nfcid3 = try reader.bytes(10, .parameters) }
    if next & 4 != 0 { generalBytes = reader.rest() }
  }

  func encode(into output: inout [UInt8]) {
    output.append(isActive ? 1 : 0)
    output.append(speed)
    output.append(
      (passiveData == nil ? 0 : 1) | (nfcid3 == nil ? 0 : 2) | (generalBytes == nil ? 0 : 4))
    output.append(contentsOf: passiveData ?? [])
    output.append(contentsOf: nfcid3 ?? [])
    output.append(contentsOf: generalBytes ?? [])
  }
}

/// The parameters of InATR.
public struct ATRParameters: Hashable, Sendable {
  /// The number of the target.
  public var target: TargetReference
  /// The NFCID3i, 10 bytes.
  public var nfcid3: [UInt8]?
  /// The general bytes of the ATR_REQ.
  public var generalBytes: [UInt8]?

  /// Makes parameters.
  public init(target: TargetReference, nfcid3: [UInt8]? = nil, generalBytes: [UInt8]? = nil) {
    self.target = target
    self.nfcid3 = nfcid3
    self.generalBytes = generalBytes
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    target = TargetReference(try reader.byte(.targetNumber))
    let place = reader.position
    let next = try reader.byte(.parameters)
    guard next & 0xFC == 0 else {
      throw .unexpectedValue(offset: place, found: next, expected: .parameters)
    }
    if next & 1 != 0 { nfcid3 = try reader.bytes(10, .parameters) }
    if next & 2 != 0 { generalBytes = reader.rest() }
  }

  func encode(into output: inout [UInt8]) {
    output.append(target.rawValue)
    output.append((nfcid3 == nil ? 0 : 1) | (generalBytes == nil ? 0 : 2))
    output.append(contentsOf: nfcid3 ?? [])
    output.append(contentsOf: generalBytes ?? [])
  }
}

/// What a DEP target said of itself in its ATR_RES.
public struct ATRResponse: Hashable, Sendable {
  /// The NFCID3t, 10 bytes.
  public var nfcid3: [UInt8]
  /// The device identifier.
  public var did: UInt8
  /// The send speeds.
  public var sendSpeeds: UInt8
  /// The receive speeds.
  public var receiveSpeeds: UInt8
  /// The timeout value TO.
  public var timeout: UInt8
  /// The optional parameters PPt.
  public var options: UInt8
  /// The general bytes.
  public var generalBytes: [UInt8]

  /// Makes a response.
  public init(
    nfcid3: [UInt8], did: UInt8, sendSpeeds: UInt8, receiveSpeeds: UInt8, timeout: UInt8,
    options: UInt8, generalBytes: [UInt8]
  ) {
    self.nfcid3 = nfcid3
    self.did = did
    self.sendSpeeds = sendSpeeds
    self.receiveSpeeds = receiveSpeeds
    self.timeout = timeout
    self.options = options
    self.generalBytes = generalBytes
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    nfcid3 = try reader.bytes(10, .targetData)
    did = try reader.byte(.targetData)
    sendSpeeds = try reader.byte(.targetData)
    receiveSpeeds = try reader.byte(.targetData)
    timeout = try reader.byte(.targetData)
    options = try reader.byte(.targetData)
    generalBytes = reader.rest()
  }

  func encode(into output: inout [UInt8]) {
    output.append(contentsOf: nfcid3)
    output.append(contentsOf: [did, sendSpeeds, receiveSpeeds, timeout, options])
    output.append(contentsOf: generalBytes)
  }
}
