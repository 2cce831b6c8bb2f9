extension Command {
  /// Reads a command from the body of a frame: `D4`, code, parameters.
  ///
  /// Every body that is read gives the same bytes again for the same chip.
  /// - Throws: `PN53xError` with the offset in `body`.
  public init(body: [UInt8], for chip: Chip) throws(PN53xError) {
    var reader = BodyReader(body)
    let identifier = try reader.byte(.frameIdentifier)
    guard identifier == HostFrame.hostToChip else {
      throw .unexpectedValue(offset: 0, found: identifier, expected: .frameIdentifier)
    }
    let code = CommandCode(rawValue: try reader.byte(.code))
    if let command = try Command.withData(code, &reader) {
      self = command
    } else if let command = try Command.initiator(code, &reader, for: chip) {
      self = command
    } else {
      self = try Command.chip(code, &reader, for: chip)
    }
    try reader.end()
  }

  /// The commands whose parameters are nothing or data as it comes.
  private static func withData(
    _ code: CommandCode, _ reader: inout BodyReader
  ) throws(PN53xError) -> Command? {
    switch code {
    case .getFirmwareVersion: .getFirmwareVersion
    case .getGeneralStatus: .getGeneralStatus
    case .readGPIO: .readGPIO
    case .tgGetData: .tgGetData
    case .tgGetInitiatorCommand: .tgGetInitiatorCommand
    case .tgGetTargetStatus: .tgGetTargetStatus
    case .alparCommandForTDA: .alparOrResetMode(reader.rest())
    case .controlLED: .controlLED(reader.rest())
    case .inQuartetByteExchange: .inQuartetByteExchange(reader.rest())
    case .inCommunicateThru: .inCommunicateThru(reader.rest())
    case .inActivateDeactivatePaypass: .inActivateDeactivatePaypass(reader.rest())
    case .tgSetData: .tgSetData(reader.rest())
    case .tgResponseToInitiator: .tgResponseToInitiator(reader.rest())
    case .tgSetGeneralBytes: .tgSetGeneralBytes(reader.rest())
    case .tgSetMetaData: .tgSetMetaData(reader.rest())
    case .tgSetDataSecure: .tgSetDataSecure(reader.rest())
    case .tgSetMetaDataSecure: .tgSetMetaDataSecure(reader.rest())
    case .communicateThruEX: .communicateThruEX(reader.rest())
    default: nil
    }
  }

  /// The commands that name or look for a target.
  private static func initiator(
    _ code: CommandCode, _ reader: inout BodyReader, for chip: Chip
  ) throws(PN53xError) -> Command? {
    switch code {
    case .inDataExchange:
      let target = TargetReference(try reader.byte(.targetNumber))
      return .inDataExchange(target, reader.rest())
    case .inDeselect: return .inDeselect(try reference(&reader, for: chip))
    case .inRelease: return .inRelease(try reference(&reader, for: chip))
    case .inSelect: return .inSelect(try reference(&reader, for: chip))
    case .inJumpForPSL: return .inJumpForPSL(try JumpParameters(&reader))
    case .inJumpForDEP: return .inJumpForDEP(try JumpParameters(&reader))
    case .inATR: return .inATR(try ATRParameters(&reader))
    case .inPSL:
      let target = TargetReference(try reader.byte(.targetNumber))
      let toTarget = try reader.byte(.parameters)
      return .inPSL(target, toTarget: toTarget, toInitiator: try reader.byte(.parameters))
    case .inListPassiveTarget:
      let maximum = try reader.byte(.targetCount)
      let place = reader.position
      let byte = try reader.byte(.modulation)
      guard let modulation = PassiveModulation(rawValue: byte) else {
        throw .unexpectedValue(offset: place, found: byte, expected: .modulation)
      }
      return .inListPassiveTarget(
        maximum: maximum, modulation, initiatorData: reader.rest())
    case .inAutoPoll:
      let rounds = try reader.byte(.parameters)
      let period = try reader.byte(.parameters)
      let types = reader.rest()
      guard (1...maximumAutoPollTypes).contains(types.count) else {
        throw .parameterOutOfRange(
          .parameters, value: types.count, allowed: 1...maximumAutoPollTypes)
      }
      return .inAutoPoll(rounds: rounds, period: period, types.map(AutoPollType.init(rawValue:)))
    default: return nil
    }
  }

  /// A target number, with the byte that an RC-S956 wants in front of it.
  private static func reference(
    _ reader: inout BodyReader, for chip: Chip
  ) throws(PN53xError) -> TargetReference {
    let leading = chip == .rcS956 && reader.remaining == 2 ? reader.optionalByte() : nil
    return TargetReference(try reader.byte(.targetNumber), leadingByte: leading)
  }

  /// The commands about the chip itself.
  private static func chip(
    _ code: CommandCode, _ reader: inout BodyReader, for chip: Chip
  ) throws(PN53xError) -> Command {
    switch code {
    case .diagnose:
      let test = try reader.byte(.parameters)
      return .diagnose(test: test, parameters: reader.rest())
    case .readRegister:
      var addresses: [RegisterAddress] = []
      while !reader.isAtEnd { addresses.append(try reader.registerAddress()) }
      return .readRegister(addresses)
    case .writeRegister:
      var writes: [RegisterWrite] = []
      while !reader.isAtEnd {
        let address = try reader.registerAddress()
        writes.append(RegisterWrite(address, try reader.byte(.registerValue)))
      }
      return .writeRegister(writes)
    case .writeGPIO:
      let p3 = try reader.byte(.parameters)
      return .writeGPIO(p3: p3, p7: try reader.byte(.parameters))
    case .setSerialBaudRate:
      let place = reader.position
      let byte = try reader.byte(.parameters)
      guard let rate = SerialBaudRate(rawValue: byte) else {
        throw .unexpectedValue(offset: place, found: byte, expected: .parameters)
      }
      return .setSerialBaudRate(rate)
    case .setParameters:
      return .setParameters(ParameterFlags(rawValue: try reader.byte(.parameters)))
    case .samConfiguration:
      let mode = try reader.byte(.parameters)
      let timeout = reader.optionalByte()
      return .samConfiguration(mode: mode, timeout: timeout, interrupt: reader.optionalByte())
    case .powerDown:
      let wakeUpBy = try reader.byte(.parameters)
      return .powerDown(wakeUpBy: wakeUpBy, interrupt: reader.optionalByte())
    case .rfConfiguration:
      let item = try reader.byte(.parameters)
      return .rfConfiguration(RFConfigurationItem(item: item, data: reader.rest()))
    case .rfRegulationTest:
      return .rfRegulationTest(txMode: try reader.byte(.parameters))
    case .tgInitAsTarget:
      return .tgInitAsTarget(try TargetModeParameters(&reader, on: chip))
    default:
      return .unknown(code, reader.rest())
    }
  }
}

extension BodyReader {
  mutating func registerAddress() throws(PN53xError) -> RegisterAddress {
    let high = UInt16(try byte(.registerAddress))
    return RegisterAddress(rawValue: high << 8 | UInt16(try byte(.registerAddress)))
  }
}
