/// The code of a command; the response has the next higher code.
///
/// Codes and names: UM0701-02 and UM0801-03 as libnfc and nfcpy use them.
public struct CommandCode: RawRepresentable, Hashable, Sendable {
  /// The code of the command, even for all known ones.
  public var rawValue: UInt8

  /// Makes a code from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The code of the response.
  public var response: UInt8 { rawValue &+ 1 }

  /// Self test of the chip and its link.
  public static let diagnose = CommandCode(rawValue: 0x00)
  /// Chip, version and features.
  public static let getFirmwareVersion = CommandCode(rawValue: 0x02)
  /// Last error, field and targets.
  public static let getGeneralStatus = CommandCode(rawValue: 0x04)
  /// Read registers of the contactless interface unit and of the controller.
  public static let readRegister = CommandCode(rawValue: 0x06)
  /// Write registers.
  public static let writeRegister = CommandCode(rawValue: 0x08)
  /// Read the ports.
  public static let readGPIO = CommandCode(rawValue: 0x0C)
  /// Write the ports.
  public static let writeGPIO = CommandCode(rawValue: 0x0E)
  /// Change the speed of the serial link.
  public static let setSerialBaudRate = CommandCode(rawValue: 0x10)
  /// Set the flags of the automatic procedures.
  public static let setParameters = CommandCode(rawValue: 0x12)
  /// Set how a security module takes part.
  public static let samConfiguration = CommandCode(rawValue: 0x14)
  /// Sleep until woken.
  public static let powerDown = CommandCode(rawValue: 0x16)
  /// PN533: ALPAR frame for a contact coupler; RC-S956: ResetMode.
  public static let alparCommandForTDA = CommandCode(rawValue: 0x18)
  /// RC-S956: the light.
  public static let controlLED = CommandCode(rawValue: 0x1C)
  /// Field, time limits, numbers of tries, analogue settings.
  public static let rfConfiguration = CommandCode(rawValue: 0x32)
  /// PN533: exchanges of four bits.
  public static let inQuartetByteExchange = CommandCode(rawValue: 0x38)
  /// Exchange with a target under the protocol it was activated for.
  public static let inDataExchange = CommandCode(rawValue: 0x40)
  /// Exchange of a raw frame.
  public static let inCommunicateThru = CommandCode(rawValue: 0x42)
  /// Deselect a target.
  public static let inDeselect = CommandCode(rawValue: 0x44)
  /// Activate a DEP target and select its parameters.
  public static let inJumpForPSL = CommandCode(rawValue: 0x46)
  /// PN533: the payment mode.
  public static let inActivateDeactivatePaypass = CommandCode(rawValue: 0x48)
  /// Find and activate passive targets.
  public static let inListPassiveTarget = CommandCode(rawValue: 0x4A)
  /// Change the speed towards a target.
  public static let inPSL = CommandCode(rawValue: 0x4E)
  /// Attribute request to a DEP target.
  public static let inATR = CommandCode(rawValue: 0x50)
  /// Release a target.
  public static let inRelease = CommandCode(rawValue: 0x52)
  /// Select a target again.
  public static let inSelect = CommandCode(rawValue: 0x54)
  /// Activate a DEP target.
  public static let inJumpForDEP = CommandCode(rawValue: 0x56)
  /// Send without end, for measurements.
  public static let rfRegulationTest = CommandCode(rawValue: 0x58)
  /// PN532: poll for targets of several kinds.
  public static let inAutoPoll = CommandCode(rawValue: 0x60)
  /// Target: the next data from the initiator.
  public static let tgGetData = CommandCode(rawValue: 0x86)
  /// Target: the next raw frame from the initiator.
  public static let tgGetInitiatorCommand = CommandCode(rawValue: 0x88)
  /// Target: state and speeds.
  public static let tgGetTargetStatus = CommandCode(rawValue: 0x8A)
  /// Become a target.
  public static let tgInitAsTarget = CommandCode(rawValue: 0x8C)
  /// Target: answer with data.
  public static let tgSetData = CommandCode(rawValue: 0x8E)
  /// Target: answer with a raw frame.
  public static let tgResponseToInitiator = CommandCode(rawValue: 0x90)
  /// Target: general bytes of the ATR_RES.
  public static let tgSetGeneralBytes = CommandCode(rawValue: 0x92)
  /// Target: answer with data of which more follows.
  public static let tgSetMetaData = CommandCode(rawValue: 0x94)
  /// PN533: as TgSetData, secured.
  public static let tgSetDataSecure = CommandCode(rawValue: 0x96)
  /// PN533: as TgSetMetaData, secured.
  public static let tgSetMetaDataSecure = CommandCode(rawValue: 0x98)
  /// RC-S956: exchange of a raw frame.
  public static let communicateThruEX = CommandCode(rawValue: 0xA0)
}

extension CommandCode {
  /// The name as in the manuals, or `nil` if the code is unknown.
  public var name: StaticString? { name(on: .pn532) }

  /// The name as in the manual of a chip, or `nil` if the code is unknown.
  public func name(on chip: Chip) -> StaticString? {
    switch rawValue {
    case 0x00: "Diagnose"
    case 0x02: "GetFirmwareVersion"
    case 0x04: "GetGeneralStatus"
    case 0x06: "ReadRegister"
    case 0x08: "WriteRegister"
    case 0x0C: "ReadGPIO"
    case 0x0E: "WriteGPIO"
    case 0x10: "SetSerialBaudRate"
    case 0x12: "SetParameters"
    case 0x14: "SAMConfiguration"
    case 0x16: "PowerDown"
    case 0x18: chip == .rcS956 ? "ResetMode" : "AlparCommandForTDA"
    case 0x1C: "ControlLED"
    case 0x32: "RFConfiguration"
    case 0x38: "InQuartetByteExchange"
    case 0x40: "InDataExchange"
    case 0x42: "InCommunicateThru"
    case 0x44: "InDeselect"
    case 0x46: "InJumpForPSL"
    case 0x48: "InActivateDeactivatePaypass"
    case 0x4A: "InListPassiveTarget"
    case 0x4E: "InPSL"
    case 0x50: "InATR"
    case 0x52: "InRelease"
    case 0x54: "InSelect"
    case 0x56: "InJumpForDEP"
    case 0x58: "RFRegulationTest"
    case 0x60: "InAutoPoll"
    default: targetModeName
    }
  }

  private var targetModeName: StaticString? {
    switch rawValue {
    case 0x86: "TgGetData"
    case 0x88: "TgGetInitiatorCommand"
    case 0x8A: "TgGetTargetStatus"
    case 0x8C: "TgInitAsTarget"
    case 0x8E: "TgSetData"
    case 0x90: "TgResponseToInitiator"
    case 0x92: "TgSetGeneralBytes"
    case 0x94: "TgSetMetaData"
    case 0x96: "TgSetDataSecure"
    case 0x98: "TgSetMetaDataSecure"
    case 0xA0: "CommunicateThruEX"
    default: nil
    }
  }

  /// True if the response begins with a status byte, whatever the parameters.
  ///
  /// Not here: Diagnose of test 6, and registers, which depend on the chip.
  public var hasStatus: Bool {
    switch rawValue {
    case 0x16, 0x38, 0x40, 0x42, 0x44, 0x46, 0x48, 0x4E, 0x50, 0x52, 0x54, 0x56, 0x86, 0x88, 0x8E,
      0x90, 0x92, 0x94, 0x96, 0x98:
      true
    default: false
    }
  }

  /// True if the chip has the command, by the tables of libnfc and nfcpy.
  public func exists(on chip: Chip) -> Bool {
    switch rawValue {
    case 0x14: chip == .pn531 || chip == .pn532
    case 0x16: chip == .pn531 || chip == .pn532 || chip == .rcS956
    case 0x18: chip == .pn533 || chip == .rcS956
    case 0x1C, 0xA0: chip == .rcS956
    case 0x38, 0x48, 0x96, 0x98: chip == .pn533
    case 0x0E: chip != .rcS380 && chip != .rcS956
    case 0x60: chip == .pn532
    default: chip != .rcS380 && name != nil
    }
  }
}
