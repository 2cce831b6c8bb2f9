/// A command of a host to a PN53x chip, with its parameters.
public enum Command: Hashable, Sendable {
  /// Diagnose: number of the test and its parameters.
  case diagnose(test: UInt8, parameters: [UInt8])
  /// GetFirmwareVersion.
  case getFirmwareVersion
  /// GetGeneralStatus.
  case getGeneralStatus
  /// ReadRegister.
  case readRegister([RegisterAddress])
  /// WriteRegister.
  case writeRegister([RegisterWrite])
  /// ReadGPIO.
  case readGPIO
  /// WriteGPIO; bit 7 of each byte means that it counts.
  case writeGPIO(p3: UInt8, p7: UInt8)
  /// SetSerialBaudRate.
  case setSerialBaudRate(SerialBaudRate)
  /// SetParameters.
  case setParameters(ParameterFlags)
  /// SAMConfiguration; the time limit is counted in 50 ms.
  case samConfiguration(mode: UInt8, timeout: UInt8?, interrupt: UInt8?)
  /// PowerDown; the meaning of the wake-up bits depends on the chip.
  case powerDown(wakeUpBy: UInt8, interrupt: UInt8?)
  /// AlparCommandForTDA (PN533), or ResetMode (RC-S956).
  case alparOrResetMode([UInt8])
  /// ControlLED (RC-S956).
  case controlLED([UInt8])
  /// RFConfiguration.
  case rfConfiguration(RFConfigurationItem)
  /// InQuartetByteExchange (PN533).
  case inQuartetByteExchange([UInt8])
  /// InDataExchange.
  case inDataExchange(TargetReference, [UInt8])
  /// InCommunicateThru.
  case inCommunicateThru([UInt8])
  /// InDeselect.
  case inDeselect(TargetReference)
  /// InJumpForPSL.
  case inJumpForPSL(JumpParameters)
  /// InActivateDeactivatePaypass (PN533).
  case inActivateDeactivatePaypass([UInt8])
  /// InListPassiveTarget.
  case inListPassiveTarget(maximum: UInt8, PassiveModulation, initiatorData: [UInt8])
  /// InPSL.
  case inPSL(TargetReference, toTarget: UInt8, toInitiator: UInt8)
  /// InATR.
  case inATR(ATRParameters)
  /// InRelease.
  case inRelease(TargetReference)
  /// InSelect.
  case inSelect(TargetReference)
  /// InJumpForDEP.
  case inJumpForDEP(JumpParameters)
  /// RFRegulationTest.
  case rfRegulationTest(txMode: UInt8)
  /// InAutoPoll; the period is counted in 150 ms, FF rounds are endless.
  case inAutoPoll(rounds: UInt8, period: UInt8, [AutoPollType])
  /// TgGetData.
  case tgGetData
  /// TgGetInitiatorCommand.
  case tgGetInitiatorCommand
  /// TgGetTargetStatus.
  case tgGetTargetStatus
  /// TgInitAsTarget.
  case tgInitAsTarget(TargetModeParameters)
  /// TgSetData.
  case tgSetData([UInt8])
  /// TgResponseToInitiator.
  case tgResponseToInitiator([UInt8])
  /// TgSetGeneralBytes.
  case tgSetGeneralBytes([UInt8])
  /// TgSetMetaData.
  case tgSetMetaData([UInt8])
  /// TgSetDataSecure (PN533).
  case tgSetDataSecure([UInt8])
  /// TgSetMetaDataSecure (PN533).
  case tgSetMetaDataSecure([UInt8])
  /// CommunicateThruEX (RC-S956).
  case communicateThruEX([UInt8])
  /// A code that no table knows, and its parameters.
  case unknown(CommandCode, [UInt8])

  /// The most types in InAutoPoll.
  public static let maximumAutoPollTypes = 15
  /// The most bytes of card data in one InDataExchange: 265 without `D4 40 Tg`.
  public static let maximumExchangeLength = 262
}

extension Command {
  /// The code of the command.
  public var code: CommandCode {
    switch self {
    case .diagnose: .diagnose
    case .getFirmwareVersion: .getFirmwareVersion
    case .getGeneralStatus: .getGeneralStatus
    case .readRegister: .readRegister
    case .writeRegister: .writeRegister
    case .readGPIO: .readGPIO
    case .writeGPIO: .writeGPIO
    case .setSerialBaudRate: .setSerialBaudRate
    case .setParameters: .setParameters
    case .samConfiguration: .samConfiguration
    case .powerDown: .powerDown
    case .alparOrResetMode: .alparCommandForTDA
    case .controlLED: .controlLED
    case .rfConfiguration: .rfConfiguration
    case .inQuartetByteExchange: .inQuartetByteExchange
    case .inDataExchange: .inDataExchange
    case .inCommunicateThru: .inCommunicateThru
    case .inDeselect: .inDeselect
    case .inJumpForPSL: .inJumpForPSL
    case .inActivateDeactivatePaypass: .inActivateDeactivatePaypass
    case .inListPassiveTarget: .inListPassiveTarget
    case .inPSL: .inPSL
    case .inATR: .inATR
    case .inRelease: .inRelease
    case .inSelect: .inSelect
    case .inJumpForDEP: .inJumpForDEP
    case .rfRegulationTest: .rfRegulationTest
    case .inAutoPoll: .inAutoPoll
    case .tgGetData: .tgGetData
    case .tgGetInitiatorCommand: .tgGetInitiatorCommand
    case .tgGetTargetStatus: .tgGetTargetStatus
    case .tgInitAsTarget: .tgInitAsTarget
    case .tgSetData: .tgSetData
    case .tgResponseToInitiator: .tgResponseToInitiator
    case .tgSetGeneralBytes: .tgSetGeneralBytes
    case .tgSetMetaData: .tgSetMetaData
    case .tgSetDataSecure: .tgSetDataSecure
    case .tgSetMetaDataSecure: .tgSetMetaDataSecure
    case .communicateThruEX: .communicateThruEX
    case .unknown(let code, _): code
    }
  }
}
