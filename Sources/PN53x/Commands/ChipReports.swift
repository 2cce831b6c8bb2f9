/// The answer to GetFirmwareVersion.
public struct FirmwareVersion: Hashable, Sendable {
  /// The IC byte, 32 for PN532 and 33 for PN533 and RC-S956; a PN531 has none.
  public var integratedCircuit: UInt8?
  /// The version.
  public var version: UInt8
  /// The revision.
  public var revision: UInt8
  /// The features: bit 0 type A, bit 1 type B, bit 2 ISO/IEC 18092; a PN531 has none.
  public var support: UInt8?

  /// Makes a version; without IC and features it is that of a PN531.
  public init(
    integratedCircuit: UInt8? = nil, version: UInt8, revision: UInt8, support: UInt8? = nil
  ) {
    self.integratedCircuit = integratedCircuit
    self.version = version
    self.revision = revision
    self.support = support
  }

  /// The chip that answers so, by the rules of libnfc; `nil` for an IC that is not known.
  public var chip: Chip? {
    switch integratedCircuit {
    case nil: .pn531
    case 0x32: .pn532
    case 0x33: version == 1 ? .rcS956 : .pn533
    default: nil
    }
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    if reader.remaining == 2 {
      version = try reader.byte(.parameters)
      revision = try reader.byte(.parameters)
    } else {
      integratedCircuit = try reader.byte(.parameters)
      version = try reader.byte(.parameters)
      revision = try reader.byte(.parameters)
      support = try reader.byte(.parameters)
    }
  }

  func encode(into output: inout [UInt8]) {
    if let integratedCircuit { output.append(integratedCircuit) }
    output.append(version)
    output.append(revision)
    if let support { output.append(support) }
  }
}

/// The answer to GetGeneralStatus.
public struct GeneralStatus: Hashable, Sendable {
  /// The last error.
  public var lastError: UInt8
  /// 1 if an external field was seen.
  public var field: UInt8
  /// The targets that the chip holds.
  public var targets: [Entry]
  /// The status of the security module (PN532).
  public var securityModule: UInt8?

  /// One target that the chip holds.
  public struct Entry: Hashable, Sendable {
    /// Its number.
    public var number: UInt8
    /// The speed from the target, 0 to 3 for 106 to 848 kbit/s.
    public var receiveSpeed: UInt8
    /// The speed to the target.
    public var sendSpeed: UInt8
    /// 00 type A, B or MIFARE, 01 active DEP, 02 Jewel, 10 FeliCa.
    public var type: UInt8

    /// Makes an entry.
    public init(number: UInt8, receiveSpeed: UInt8, sendSpeed: UInt8, type: UInt8) {
      self.number = number
      self.receiveSpeed = receiveSpeed
      self.sendSpeed = sendSpeed
      self.type = type
    }
  }

  /// Makes a status.
  public init(lastError: UInt8, field: UInt8, targets: [Entry], securityModule: UInt8? = nil) {
    self.lastError = lastError
    self.field = field
    self.targets = targets
    self.securityModule = securityModule
  }

  init(_ reader: inout BodyReader) throws(PN53xError) {
    lastError = try reader.byte(.status)
    field = try reader.byte(.parameters)
    let count = try reader.byte(.targetCount)
    targets = []
    for _ in 0..<count {
      targets.append(
        Entry(
          number: try reader.byte(.targetNumber), receiveSpeed: try reader.byte(.targetData),
          sendSpeed: try reader.byte(.targetData), type: try reader.byte(.targetData)))
    }
    securityModule = reader.optionalByte()
  }

  func encode(into output: inout [UInt8]) {
    output.append(contentsOf: [lastError, field, UInt8(truncatingIfNeeded: targets.count)])
    for target in targets {
      output.append(contentsOf: [
        target.number, target.receiveSpeed, target.sendSpeed, target.type,
      ])
    }
    if let securityModule { output.append(securityModule) }
  }
}
