import NFCProtocols

/// Which command does what.
extension ChipModel {
  /// Runs a command; `body` holds at least `D4` and the code.
  mutating func run(_ body: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    let code = CommandCode(rawValue: body[1])
    guard code.exists(on: configuration.chip) else {
      return respondWithError(at: now, into: &outputs)
    }
    // Commands without parameters take any: a driver mends a PN533 with 79 of them.
    // Quirk: firmware-notes/pn53x/descriptor-corruption.md.
    switch code {
    case .getFirmwareVersion: return tellFirmware(at: now, into: &outputs)
    case .getGeneralStatus: return tellGeneralStatus(at: now, into: &outputs)
    case .readGPIO: return readPorts(at: now, into: &outputs)
    default: break
    }
    do {
      let command = try Command(body: body, for: configuration.chip)
      if runController(command, at: now, into: &outputs) { return }
      if runTargetMode(command, at: now, into: &outputs) { return }
      leaveTargetMode(into: &outputs)
      runInitiator(command, at: now, into: &outputs)
    } catch {
      respondWithError(at: now, into: &outputs)
    }
  }

  /// The commands about the chip itself; false if the command is none of them.
  private mutating func runController(
    _ command: Command, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) -> Bool {
    switch command {
    case .diagnose(let test, let parameters):
      diagnose(test, parameters, at: now, into: &outputs)
    case .readRegister(let addresses): readRegisters(addresses, at: now, into: &outputs)
    case .writeRegister(let writes): writeRegisters(writes, at: now, into: &outputs)
    case .writeGPIO(let p3, let p7): writePorts(p3, p7, at: now, into: &outputs)
    case .setSerialBaudRate(let rate):
      nextBaudRate = rate
      respond([], at: now, into: &outputs)
    case .setParameters(let flags):
      self.flags = flags
      respond([], at: now, into: &outputs)
    case .samConfiguration(let mode, _, _):
      configureSecurityModule(mode, at: now, into: &outputs)
    case .alparOrResetMode(let data): runCode18(data, at: now, into: &outputs)
    case .controlLED: respond([], at: now, into: &outputs)
    default: return false
    }
    return true
  }

  /// The commands of an initiator, and those that end whatever was going on.
  private mutating func runInitiator(
    _ command: Command, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch command {
    case .rfConfiguration(let item): configure(item, at: now, into: &outputs)
    case .powerDown: powerDown(at: now, into: &outputs)
    case .inListPassiveTarget(let maximum, let modulation, let data):
      listTargets(maximum, modulation, data, at: now, into: &outputs)
    case .inAutoPoll(let rounds, let period, let types):
      autoPoll(rounds, period, types, at: now, into: &outputs)
    case .inDataExchange(let target, let data):
      exchange(target, data, at: now, into: &outputs)
    case .inCommunicateThru(let data), .communicateThruEX(let data):
      communicate(data, at: now, into: &outputs)
    case .inQuartetByteExchange(let data):
      communicate(data, lastBits: 4, at: now, into: &outputs)
    case .inDeselect(let target), .inRelease(let target):
      release(target, forgets: command.code == .inRelease, at: now, into: &outputs)
    case .inSelect(let target): select(target, at: now, into: &outputs)
    case .inPSL(let target, let toTarget, let toInitiator):
      changeSpeed(of: target, toTarget, toInitiator, at: now, into: &outputs)
    case .inATR: requestAttributes(at: now, into: &outputs)
    case .inJumpForDEP(let parameters), .inJumpForPSL(let parameters):
      jump(parameters, at: now, into: &outputs)
    case .rfRegulationTest:
      // No response: the test goes on until the next command.
      switchField(true, at: now, into: &outputs)
    case .inActivateDeactivatePaypass: respond(.success, at: now, into: &outputs)
    default: respondWithError(at: now, into: &outputs)
    }
  }
}
