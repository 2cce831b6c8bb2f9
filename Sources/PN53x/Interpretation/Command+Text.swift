import NFCProtocols

extension Command {
  /// Appends the parameters that matter, behind the name of the command.
  func writeParameters(to text: inout TextBuffer) {
    switch self {
    case .diagnose(let test, let parameters): writeDiagnose(test, parameters, to: &text)
    case .readRegister(let addresses): writeRegisters(addresses.map { ($0, nil) }, to: &text)
    case .writeRegister(let writes):
      writeRegisters(writes.map { ($0.address, $0.value) }, to: &text)
    case .setSerialBaudRate(let rate):
      text.append(" ")
      text.append(decimal: Int64(rate.bitsPerSecond))
    case .setParameters(let flags): writeFlags(flags, to: &text)
    case .samConfiguration(let mode, _, _):
      switch mode {
      case 1: text.append(" normal")
      case 2: text.append(" virtual card")
      case 3: text.append(" wired card")
      case 4: text.append(" dual card")
      default: text.append(" mode \(mode)")
      }
    case .powerDown(let wakeUpBy, _):
      text.append(", wake-up by ")
      text.append(hex: wakeUpBy)
    case .rfConfiguration(let item): item.write(to: &text)
    case .inDataExchange(let target, let data):
      text.append(" ")
      writeTarget(target, to: &text)
      writeCount(data.count, to: &text)
      if data.count == 12, data[0] == 0x60 || data[0] == 0x61 {
        text.append(data[0] == 0x60 ? "  AUTH A block " : "  AUTH B block ")
        text.append(decimal: Int64(data[1]))
      }
    case .inCommunicateThru(let data), .tgSetData(let data), .tgSetMetaData(let data),
      .tgResponseToInitiator(let data), .tgSetGeneralBytes(let data):
      writeCount(data.count, to: &text)
    case .inDeselect(let target), .inRelease(let target), .inSelect(let target):
      text.append(target.number == 0 ? " all" : " ")
      if target.number != 0 { writeTarget(target, to: &text) }
    case .inListPassiveTarget(let maximum, let modulation, let data):
      text.append(" ")
      text.append(decimal: Int64(maximum))
      text.append(maximum == 1 ? " target, " : " targets, ")
      text.append(modulation.name)
      if modulation == .typeA106, !data.isEmpty { text.append(", given UID") }
    case .inJumpForDEP(let parameters), .inJumpForPSL(let parameters):
      text.append(parameters.isActive ? " active, " : " passive, ")
      text.append(decimal: 106 << Int64(min(parameters.speed, 2)))
      text.append(" kbit/s")
    case .inAutoPoll(let rounds, _, let types):
      text.append(rounds == 0xFF ? " for ever" : " \(rounds) rounds")
      for type in types {
        text.append(", ")
        text.append(type.name)
      }
    case .tgInitAsTarget(let parameters):
      text.append(parameters.mode & 4 != 0 ? " card" : parameters.mode & 2 != 0 ? " DEP" : "")
    default: break
    }
  }

  private func writeTarget(_ target: TargetReference, to text: inout TextBuffer) {
    text.append("target ")
    text.append(decimal: Int64(target.number))
    if target.hasMoreInformation { text.append(", more follows") }
  }

  private func writeCount(_ count: Int, to text: inout TextBuffer) {
    text.append(", ")
    text.append(decimal: Int64(count))
    text.append(count == 1 ? " byte" : " bytes")
  }

  private func writeDiagnose(
    _ test: UInt8, _ parameters: [UInt8], to text: inout TextBuffer
  ) {
    switch test {
    case 0x00:
      text.append(" line")
      writeCount(parameters.count, to: &text)
    case 0x01: text.append(" ROM")
    case 0x02: text.append(" RAM")
    case 0x04: text.append(" polling")
    case 0x05: text.append(" echo")
    case 0x06: text.append(" presence of the card")
    case 0x07: text.append(" antenna")
    default: text.append(" test \(test)")
    }
  }

  /// How many registers are named before the rest is only counted.
  private static let shownRegisters = 3

  private func writeRegisters(
    _ registers: [(address: RegisterAddress, value: UInt8?)], to text: inout TextBuffer
  ) {
    for (index, register) in registers.prefix(Command.shownRegisters).enumerated() {
      text.append(index == 0 ? " " : ", ")
      if let name = register.address.name, register.address.rawValue >> 8 != 0xA0 {
        text.append(name)
      } else {
        text.append(hex: UInt8(register.address.rawValue >> 8))
        text.append(hex: UInt8(register.address.rawValue & 0xFF))
      }
      if let value = register.value {
        text.append("=")
        text.append(hex: value)
      }
    }
    let rest = registers.count - Command.shownRegisters
    if rest > 0 {
      text.append(" and ")
      text.append(decimal: Int64(rest))
      text.append(" more")
    }
  }

  private func writeFlags(_ flags: ParameterFlags, to text: inout TextBuffer) {
    if flags.isEmpty { text.append(" none") }
    if flags.contains(.nodeAddress) { text.append(" NAD") }
    if flags.contains(.deviceIdentifier) { text.append(" DID") }
    if flags.contains(.automaticATRResponse) { text.append(" auto-ATR_RES") }
    if flags.contains(.automaticRATS) { text.append(" auto-RATS") }
    if flags.contains(.cardEmulation) { text.append(" card") }
    if flags.contains(.noPreambleAndPostamble) { text.append(" bare-frames") }
  }
}

extension RFConfigurationItem {
  func write(to text: inout TextBuffer) {
    switch self {
    case .field(let isOn, let avoidance):
      text.append(isOn ? " field on" : " field off")
      if avoidance { text.append(", collision avoidance") }
    case .timings(_, let atr, let retry):
      text.append(" limits: ATR_RES ")
      RFConfigurationItem.write(atr, to: &text)
      text.append(", exchange ")
      RFConfigurationItem.write(retry, to: &text)
    case .maximumRetriesCommunication(let count):
      text.append(" exchange retries ")
      text.append(decimal: Int64(count))
    case .maximumRetries(let atr, let psl, let activation):
      text.append(" retries: ATR ")
      RFConfigurationItem.write(retries: atr, to: &text)
      text.append(", PSL ")
      RFConfigurationItem.write(retries: psl, to: &text)
      text.append(", activation ")
      RFConfigurationItem.write(retries: activation, to: &text)
    case .analogue106A: text.append(" analogue 106 A")
    case .analogue212And424: text.append(" analogue 212/424")
    case .analogueB: text.append(" analogue B")
    case .analogue14443: text.append(" analogue 14443-4 212/424/848")
    case .sonyTimings: text.append(" Sony limits")
    case .other(let item, _):
      text.append(" item ")
      text.append(hex: item)
    }
  }

  private static func write(_ code: RFTimeoutCode, to text: inout TextBuffer) {
    if let duration = code.duration {
      text.append(milliseconds: duration)
    } else {
      text.append("none")
    }
  }

  private static func write(retries: UInt8, to text: inout TextBuffer) {
    if retries == 0xFF { text.append("for ever") } else { text.append(decimal: Int64(retries)) }
  }
}
