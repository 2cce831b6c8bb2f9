import NFCProtocols

extension ChipModel {
  /// Runs a command; `body` holds at least `D4` and the code.
  mutating func run(_ body: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    let code = CommandCode(rawValue: body[1])
    guard code.exists(on: configuration.chip) else {
      return respond(error: true, at: now, into: &outputs)
    }
    // Repairing the descriptors of a PN533 means more bytes than this command has.
    // firmware-notes/pn53x/descriptor-corruption.md
    if code == .getFirmwareVersion {
      var version: [UInt8] = []
      configuration.firmware.encode(into: &version)
      return respond(version, at: now, into: &outputs)
    }
    do {
      try run(Command(body: body, for: configuration.chip), at: now, into: &outputs)
    } catch {
      respond(error: true, at: now, into: &outputs)
    }
  }

  private mutating func run(
    _ command: Command, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) throws(PN53xError) {
    switch command {
    case .diagnose(let test, let parameters):
      diagnose(test, parameters, at: now, into: &outputs)
    case .readRegister(let addresses):
      readRegisters(addresses, at: now, into: &outputs)
    case .writeRegister(let writes):
      writeRegisters(writes, at: now, into: &outputs)
    case .setParameters(let flags):
      self.flags = flags
      respond([], at: now, into: &outputs)
    case .samConfiguration(let mode, _, _):
      guard (1...4).contains(mode) else {
        return respond(error: true, at: now, into: &outputs)
      }
      respond([], at: now, into: &outputs)
    case .rfConfiguration(let item):
      configure(item, at: now, into: &outputs)
    case .inListPassiveTarget(let maximum, let modulation, let data):
      listTargets(maximum, modulation, data, at: now, into: &outputs)
    case .inDataExchange(let target, let data):
      exchange(target, data, at: now, into: &outputs)
    case .inCommunicateThru(let data):
      communicate(data, at: now, into: &outputs)
    case .inDeselect(let target), .inRelease(let target):
      release(target, forgets: command.code == .inRelease, at: now, into: &outputs)
    case .inSelect(let target):
      select(target, at: now, into: &outputs)
    default:
      respond(error: true, at: now, into: &outputs)
    }
  }

  mutating func respond(
    status: UInt8, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    respond(CollectionOfOne(status), at: now, into: &outputs)
  }

  // MARK: Diagnose and registers

  private mutating func diagnose(
    _ test: UInt8, _ parameters: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch test {
    case 0x00:
      let leading: [UInt8] = configuration.chip == .rcS956 ? [] : [0x00]
      respond(leading + parameters, at: now, into: &outputs)
    case 0x01, 0x02, 0x07: respond([0x00], at: now, into: &outputs)
    case 0x06:
      guard let index = targets.firstIndex(where: { $0.blocks != nil }) else {
        return respond(status: ChipStatus.notAcceptable.rawValue, at: now, into: &outputs)
      }
      begin(.presence(target: index), at: now, into: &outputs)
    default: respond(error: true, at: now, into: &outputs)
    }
  }

  private mutating func readRegisters(
    _ addresses: [RegisterAddress], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if let most = configuration.chip.maximumRegistersPerCommand, addresses.count > most {
      return respond(error: true, at: now, into: &outputs)
    }
    var content: [UInt8] = configuration.chip.hasRegisterStatus ? [0x00] : []
    for address in addresses {
      guard let value = read(address.rawValue) else {
        return respond(status: configuration.missingEEPROMStatus, at: now, into: &outputs)
      }
      content.append(value)
    }
    respond(content, at: now, into: &outputs)
  }

  private func read(_ address: UInt16) -> UInt8? {
    let eeprom = RegisterAddress.eepromStart...RegisterAddress.eepromEnd
    guard configuration.chip == .pn533, eeprom.contains(address) else {
      return registers[address]
    }
    guard let bytes = configuration.eeprom else { return nil }
    let offset = Int(address - RegisterAddress.eepromStart)
    return offset < bytes.count ? bytes[offset] : 0xFF
  }

  private mutating func writeRegisters(
    _ writes: [RegisterWrite], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if let most = configuration.chip.maximumRegistersPerCommand, writes.count > most {
      return respond(error: true, at: now, into: &outputs)
    }
    for write in writes {
      registers[write.address.rawValue] = write.value
      if write.address == .txControl {
        switchField(write.value & 0x03 != 0, at: now, into: &outputs)
      }
    }
    switch configuration.chip {
    case .pn533: respond(status: 0, at: now, into: &outputs)
    case .rcS956:
      respond([UInt8](repeating: 0, count: writes.count), at: now, into: &outputs)
    default: respond([], at: now, into: &outputs)
    }
  }

  // MARK: RFConfiguration

  private mutating func configure(
    _ item: RFConfigurationItem, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch item {
    case .field(let isOn, let avoidance):
      radio.automaticCollisionAvoidance = avoidance
      switchField(isOn, at: now, into: &outputs)
    case .timings(_, let attribute, let retry):
      radio.attributeTimeout = attribute
      radio.retryTimeout = retry
    case .maximumRetriesCommunication(let count):
      radio.communicationRetries = count
    case .maximumRetries(let attribute, let parameters, let activation):
      radio.attributeRetries = attribute
      radio.parameterRetries = parameters
      radio.activationRetries = activation
    case .analogue106A, .analogue212And424, .analogueB, .analogue14443, .sonyTimings:
      break
    case .other:
      return respond(error: true, at: now, into: &outputs)
    }
    respond([], at: now, into: &outputs)
  }
}
