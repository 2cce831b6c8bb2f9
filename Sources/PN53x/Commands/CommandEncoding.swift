extension Command {
  /// The body of the frame that carries the command to a chip: `D4`, code, parameters.
  public func body(for chip: Chip) -> [UInt8] {
    var output: [UInt8] = [HostFrame.hostToChip, code.rawValue]
    appendParameters(for: chip, to: &output)
    return output
  }

  /// The frame that carries the command to a chip.
  ///
  /// - Throws: `bodyTooLong`.
  public func frame(
    for chip: Chip, alwaysExtended: Bool = false
  ) throws(PN53xError) -> HostFrame {
    try .information(body(for: chip), for: chip, alwaysExtended: alwaysExtended)
  }

  private func appendParameters(for chip: Chip, to output: inout [UInt8]) {
    switch self {
    case .getFirmwareVersion, .getGeneralStatus, .readGPIO, .tgGetData, .tgGetInitiatorCommand,
      .tgGetTargetStatus:
      break
    case .diagnose(let test, let parameters):
      output.append(test)
      output.append(contentsOf: parameters)
    case .readRegister(let addresses):
      for address in addresses { output.append(address: address) }
    case .writeRegister(let writes):
      for write in writes {
        output.append(address: write.address)
        output.append(write.value)
      }
    case .writeGPIO(let p3, let p7):
      output.append(contentsOf: [p3, p7])
    case .setSerialBaudRate(let rate):
      output.append(rate.rawValue)
    case .setParameters(let flags):
      output.append(flags.rawValue)
    case .samConfiguration(let mode, let timeout, let interrupt):
      output.append(mode)
      if let timeout { output.append(timeout) }
      if let interrupt { output.append(interrupt) }
    case .powerDown(let wakeUpBy, let interrupt):
      output.append(wakeUpBy)
      if let interrupt { output.append(interrupt) }
    case .rfConfiguration(let item):
      output.append(item.item)
      output.append(contentsOf: item.data)
    case .rfRegulationTest(let txMode):
      output.append(txMode)
    case .tgInitAsTarget(let parameters):
      parameters.encode(on: chip, into: &output)
    case .alparOrResetMode(let data), .controlLED(let data), .inQuartetByteExchange(let data),
      .inCommunicateThru(let data), .inActivateDeactivatePaypass(let data), .tgSetData(let data),
      .tgResponseToInitiator(let data), .tgSetGeneralBytes(let data), .tgSetMetaData(let data),
      .tgSetDataSecure(let data), .tgSetMetaDataSecure(let data), .communicateThruEX(let data),
      .unknown(_, let data):
      output.append(contentsOf: data)
    default:
      appendInitiatorParameters(to: &output)
    }
  }

  /// The parameters of the commands that name or look for a target.
  private func appendInitiatorParameters(to output: inout [UInt8]) {
    switch self {
    case .inDataExchange(let target, let data):
      output.append(target.rawValue)
      output.append(contentsOf: data)
    case .inDeselect(let target), .inRelease(let target), .inSelect(let target):
      if let leading = target.leadingByte { output.append(leading) }
      output.append(target.rawValue)
    case .inJumpForPSL(let parameters), .inJumpForDEP(let parameters):
      parameters.encode(into: &output)
    case .inListPassiveTarget(let maximum, let modulation, let initiatorData):
      output.append(maximum)
      output.append(modulation.rawValue)
      output.append(contentsOf: initiatorData)
    case .inPSL(let target, let toTarget, let toInitiator):
      output.append(contentsOf: [target.rawValue, toTarget, toInitiator])
    case .inATR(let parameters):
      parameters.encode(into: &output)
    case .inAutoPoll(let rounds, let period, let types):
      output.append(rounds)
      output.append(period)
      output.append(contentsOf: types.map(\.rawValue))
    default:
      preconditionFailure("every command is encoded by one of the two functions")
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(address: RegisterAddress) {
    append(UInt8(address.rawValue >> 8))
    append(UInt8(address.rawValue & 0xFF))
  }
}
