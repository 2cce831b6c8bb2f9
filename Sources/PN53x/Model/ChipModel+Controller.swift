import NFCProtocols

/// The commands about the chip itself.
extension ChipModel {
  mutating func tellFirmware(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    var content: [UInt8] = []
    content.reserveCapacity(4)
    configuration.firmware.encode(into: &content)
    respond(content, at: now, into: &outputs)
  }

  mutating func tellGeneralStatus(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    let entries = targets.map { target in
      let speed = target.activated.speedIndex
      return GeneralStatus.Entry(
        number: target.number, receiveSpeed: speed, sendSpeed: speed,
        type: target.activated.generalType)
    }
    let status = GeneralStatus(
      lastError: lastError, field: seesExternalField ? 1 : 0, targets: entries,
      securityModule: configuration.chip == .pn532 ? 0 : nil)
    var content: [UInt8] = []
    status.encode(into: &content)
    respond(content, at: now, into: &outputs)
  }

  mutating func diagnose(
    _ test: UInt8, _ parameters: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch test {
    case 0x00:
      let leading: [UInt8] = configuration.chip == .rcS956 ? [] : [0x00]
      respond(leading + parameters, at: now, into: &outputs)
    case 0x01, 0x02: respond([0x00], at: now, into: &outputs)
    case 0x04 where parameters == [0x01] || parameters == [0x02]:
      leaveTargetMode(into: &outputs)
      begin(
        FeliCaPollingTest(parameters == [0x01] ? .feliCa212 : .feliCa424), at: now,
        into: &outputs)
    // Echo back has no response: it goes on until the next command.
    case 0x05: break
    case 0x06: attend(at: now, into: &outputs)
    case 0x07: respond([0x00], at: now, into: &outputs)
    default: respondWithError(at: now, into: &outputs)
    }
  }

  /// Sends an attention request: is the card still there.
  private mutating func attend(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard let index = targets.firstIndex(where: { $0.blocks != nil }) else {
      return respond(.notAcceptable, at: now, into: &outputs)
    }
    begin(.presence(target: index), at: now, into: &outputs)
  }

  // MARK: Registers

  mutating func readRegisters(
    _ addresses: [RegisterAddress], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if let most = configuration.chip.maximumRegistersPerCommand, addresses.count > most {
      return respondWithError(at: now, into: &outputs)
    }
    var content: [UInt8] = configuration.chip.hasRegisterStatus ? [0x00] : []
    content.reserveCapacity(1 + addresses.count)
    for address in addresses {
      guard let value = read(address.rawValue) else {
        return respond(status: configuration.missingEEPROMStatus, at: now, into: &outputs)
      }
      content.append(value)
    }
    respond(content, at: now, into: &outputs)
  }

  /// The value at an address; `nil` for an EEPROM that is not there.
  private func read(_ address: UInt16) -> UInt8? {
    switch address {
    case RegisterAddress.fifoData.rawValue: return queueByte
    case RegisterAddress.eepromStart...RegisterAddress.eepromEnd
    where configuration.chip == .pn533:
      guard let bytes = configuration.eeprom else { return nil }
      let offset = Int(address - RegisterAddress.eepromStart)
      return offset < bytes.count ? bytes[offset] : 0xFF
    case DescriptorMemory.address..<(DescriptorMemory.address + UInt16(DescriptorImage.length)):
      let offset = Int(address - DescriptorMemory.address)
      return offset < descriptors.bytes.count ? descriptors.bytes[offset] : registers[address]
    default: return registers[address]
    }
  }

  mutating func writeRegisters(
    _ writes: [RegisterWrite], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if let most = configuration.chip.maximumRegistersPerCommand, writes.count > most {
      return respondWithError(at: now, into: &outputs)
    }
    for write in writes { self.write(write, at: now, into: &outputs) }
    switch configuration.chip {
    case .pn533: respond(.success, at: now, into: &outputs)
    case .rcS956:
      respond([UInt8](repeating: 0, count: writes.count), at: now, into: &outputs)
    default: respond([], at: now, into: &outputs)
    }
  }

  private mutating func write(
    _ write: RegisterWrite, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch write.address {
    case .fifoData: queueByte = write.value
    case .txControl:
      registers[.txControl] = write.value
      switchField(write.value & 0x03 != 0, at: now, into: &outputs)
    default: registers[write.address] = write.value
    }
  }

  // MARK: Ports, security module, power

  mutating func readPorts(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    respond(
      [registers[.p3], registers[.p7], configuration.ports.i0i1], at: now, into: &outputs)
  }

  mutating func writePorts(
    _ p3: UInt8, _ p7: UInt8, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if p3 & 0x80 != 0 { registers[.p3] = p3 & 0x3F }
    if p7 & 0x80 != 0 { registers[.p7] = p7 & 0x07 }
    respond([], at: now, into: &outputs)
  }

  mutating func configureSecurityModule(
    _ mode: UInt8, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard (1...4).contains(mode) else { return respondWithError(at: now, into: &outputs) }
    respond([], at: now, into: &outputs)
  }

  /// Code 18: a PN533 speaks to a contact coupler, which no board here has; an RC-S956 resets its
  /// mode.
  mutating func runCode18(
    _ data: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard configuration.chip == .rcS956 else {
      return respond(status: 0x19, at: now, into: &outputs)
    }
    guard data.count == 1 else { return respondWithError(at: now, into: &outputs) }
    respond([], at: now, into: &outputs)
  }

  /// Quirk: firmware-notes/pn53x/power-down-and-wake-up.md.
  mutating func powerDown(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    switchField(false, at: now, into: &outputs)
    sleepsAt = (running?.readyAt ?? now) + Self.powerDownDelay
    respond(.success, at: now, into: &outputs)
  }

  /// From the response to PowerDown to sleep, about 1 ms (UM0701-02) [M].
  static let powerDownDelay = Nanoseconds.milliseconds(1)

  // MARK: RFConfiguration

  mutating func configure(
    _ item: RFConfigurationItem, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch item {
    case .field(let isOn, let avoidance):
      radio.automaticCollisionAvoidance = avoidance
      switchField(isOn, at: now, into: &outputs)
    case .timings(_, let attribute, let retry):
      radio.attributeTimeout = attribute
      radio.retryTimeout = retry
    case .maximumRetriesCommunication(let count): radio.communicationRetries = count
    case .maximumRetries(let attribute, let parameters, let activation):
      radio.attributeRetries = attribute
      radio.parameterRetries = parameters
      radio.activationRetries = activation
    case .analogue106A(let data): analogue.typeA = data
    case .analogue212And424(let data): analogue.feliCa = data
    case .analogueB(let data): analogue.typeB = data
    case .analogue14443(let data): analogue.fast = data
    case .sonyTimings where configuration.chip == .rcS956: break
    // Linux sends item 82 to PaSoRi readers only.
    case .sonyTimings, .other: return respondWithError(at: now, into: &outputs)
    }
    respond([], at: now, into: &outputs)
  }
}

extension RegisterAddress {
  /// The port P3.
  static let p3 = RegisterAddress(rawValue: 0xFFB0)
  /// The port P7.
  static let p7 = RegisterAddress(rawValue: 0xFFF7)
}

extension ActivatedTarget {
  /// The type as GetGeneralStatus tells it: 00 type A and B, 02 Jewel, 10 FeliCa.
  var generalType: UInt8 {
    switch data {
    case .typeA, .typeB: 0x00
    case .jewel: 0x02
    case .feliCa: 0x10
    }
  }

  /// 0 to 3 for 106 to 848 kbit/s.
  var speedIndex: UInt8 {
    if let blocks {
      return UInt8((blocks.parameters.kilobitsPerSecond / 106).trailingZeroBitCount & 3)
    }
    switch modulation {
    case .feliCa212, .typeB212: return 1
    case .feliCa424, .typeB424: return 2
    case .typeB848: return 3
    case .typeA106, .typeB106, .jewel106, .barcode106: return 0
    }
  }
}
