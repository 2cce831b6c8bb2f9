public import NFCProtocols

/// Which chip a model is, and everything that differs between readers or is not known for sure.
public struct ChipModelConfiguration: Hashable, Sendable {
  /// The chip.
  public var chip: Chip
  /// What GetFirmwareVersion gives.
  public var firmware: FirmwareVersion
  /// How long the chip takes.
  public var latency: ChipLatency
  /// The 256 bytes from A000 on, or `nil` for a board without EEPROM (PN533).
  public var eeprom: [UInt8]?
  /// The status of reading an EEPROM that is not there; a guess of the prototype.
  public var missingEEPROMStatus: UInt8 = 0x10
  /// How long the chip hears nothing after an abort (PN532 in power-down, libnfc issue 167).
  public var deafAfterAbort = Nanoseconds.zero
  /// How long the chip hears nothing after a wake-up.
  public var deafAfterWakeUp = Nanoseconds.zero
  /// The unmodulated field before the first frame: 5 ms, ISO/IEC 14443-3.
  public var fieldGuard = ProtocolTiming.fieldGuard
  /// The time of one try of a poll that finds nothing, by modulation.
  public var pollingTimes = PollingTimes()
  /// How long an answer to REQA, WUPA, REQB, anticollision and SELECT is waited for.
  public var requestLimit = ProtocolTiming.requestGuard
  /// The frame size index that the chip offers in RATS and ATTRIB: 5, 64 bytes.
  public var frameSizeIndex: UInt8 = 5
  /// What the chip does about silence and faults in ISO-DEP.
  public var recovery = RecoveryPolicy(attempts: 2, deselectAttempts: 0)
  /// What the chip adds to the frame waiting time of a card: ΔFWT.
  public var waitingTimeMargin = ProtocolTiming.waitingTimeMargin
  /// The status of a MIFARE command that the card refused by NAK.
  public var negativeAcknowledgeStatus: UInt8 = 0x13
  /// What TgGetData and TgSetData say once the initiator's field is gone: 29 (logs of PN532), 31
  /// (Sony's list).
  public var fieldLossStatus: UInt8
  /// What TgGetInitiatorCommand and TgResponseToInitiator say then: 02 on an SCL3711.
  public var fieldLossFrameStatus: UInt8
  /// How long a search for a DEP target in passive mode goes on in vain: 552 ms on an SCL3711.
  public var vainPassiveSearch = Nanoseconds.milliseconds(552)
  /// The ports P3, P7 and I0I1 as ReadGPIO gives them after power-on; not known for any board.
  public var ports = Ports()
  /// What a PN533 describes itself by on USB; `nil` for other links.
  public var descriptors: DescriptorImage?
  /// True if an empty transfer follows every frame whose length is a multiple of the packet size.
  public var endsWithEmptyTransfer = false
  /// True if the field goes off and on after a poll without a target, which resets cards.
  public var resetsFieldAfterMiss = false

  /// How long one try of a poll takes when nothing is there.
  public struct PollingTimes: Hashable, Sendable {
    /// Type A at 106 kbit/s, and Jewel: not measured, 3 tries in 50 to 100 ms.
    public var typeA = Nanoseconds.milliseconds(25)
    /// Type B.
    public var typeB = Nanoseconds.milliseconds(25)
    /// FeliCa at 212 kbit/s: 98 ms for two tries on an SCL3711 (nfcpy issue 15).
    public var feliCa212 = Nanoseconds.milliseconds(49)
    /// FeliCa at 424 kbit/s: 47 ms for two tries on an SCL3711 (nfcpy issue 15).
    public var feliCa424 = Nanoseconds.microseconds(23_500)

    /// Makes the known times.
    public init() {}
  }

  /// The ports after power-on.
  public struct Ports: Hashable, Sendable {
    /// P35 to P30.
    public var p3: UInt8 = 0x3F
    /// P72 and P71.
    public var p7: UInt8 = 0x07
    /// The pins that choose the link.
    public var i0i1: UInt8 = 0x01

    /// Makes ports of which all outputs are 1.
    public init() {}
  }

  /// Makes a configuration.
  public init(chip: Chip, firmware: FirmwareVersion, latency: ChipLatency = .measured) {
    precondition(chip != .rcS380, "an RC-S380 speaks another command set and has no model")
    self.chip = chip
    self.firmware = firmware
    self.latency = latency
    fieldLossStatus = chip == .rcS956 ? 0x31 : 0x29
    fieldLossFrameStatus = chip == .rcS956 ? 0x31 : 0x02
  }

  /// A PN533 with firmware 2.7 on a board without EEPROM.
  public static func pn533(latency: ChipLatency = .measured) -> ChipModelConfiguration {
    var configuration = ChipModelConfiguration(
      chip: .pn533,
      firmware: FirmwareVersion(integratedCircuit: 0x33, version: 2, revision: 7, support: 7),
      latency: latency)
    configuration.descriptors = .pn533
    return configuration
  }

  /// An SCL3711: a PN533 with an EEPROM of settings and names.
  ///
  /// - Parameter serial: The text in the last bytes of the EEPROM, at most 14 characters.
  public static func scl3711(
    latency: ChipLatency = .measured, serial: String = "00000000000000"
  ) -> ChipModelConfiguration {
    var configuration = pn533(latency: latency)
    configuration.eeprom = BoardMemory.scl3711(serial: serial)
    configuration.descriptors = .scl3711
    return configuration
  }

  /// A PN532 with firmware 1.6.
  public static func pn532(latency: ChipLatency = .measured) -> ChipModelConfiguration {
    ChipModelConfiguration(
      chip: .pn532,
      firmware: FirmwareVersion(integratedCircuit: 0x32, version: 1, revision: 6, support: 7),
      latency: latency)
  }

  /// A PN531 with firmware 4.2.
  public static func pn531(latency: ChipLatency = .measured) -> ChipModelConfiguration {
    ChipModelConfiguration(
      chip: .pn531, firmware: FirmwareVersion(version: 4, revision: 2), latency: latency)
  }

  /// An RC-S956 with firmware 1.30.
  public static func rcS956(latency: ChipLatency = .measured) -> ChipModelConfiguration {
    ChipModelConfiguration(
      chip: .rcS956,
      firmware: FirmwareVersion(integratedCircuit: 0x33, version: 1, revision: 0x30, support: 7),
      latency: latency)
  }
}
