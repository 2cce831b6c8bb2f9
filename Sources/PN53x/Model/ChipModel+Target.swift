import NFCProtocols

/// The commands of a target.
extension ChipModel {
  /// Runs a command of target mode; false if it is none.
  mutating func runTargetMode(
    _ command: Command, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) -> Bool {
    switch command {
    case .tgInitAsTarget(let parameters):
      becomeTarget(parameters, at: now, into: &outputs)
    case .tgGetInitiatorCommand: getFrame(at: now, into: &outputs)
    case .tgResponseToInitiator(let data): answerFrame(data, at: now, into: &outputs)
    case .tgGetData: getData(at: now, into: &outputs)
    case .tgSetData(let data): setData(data, isLast: true, at: now, into: &outputs)
    case .tgSetMetaData(let data): setData(data, isLast: false, at: now, into: &outputs)
    case .tgSetGeneralBytes(let bytes):
      guard targetMode != nil, bytes.count <= TargetModeParameters.maximumGeneralBytes else {
        respond(
          targetMode == nil ? .notAcceptable : ChipStatus(rawValue: 0x10), at: now,
          into: &outputs)
        return true
      }
      targetMode?.generalBytes = bytes
      respond(.success, at: now, into: &outputs)
    case .tgGetTargetStatus: tellTargetStatus(at: now, into: &outputs)
    // NFC-Secure is not supported.
    case .tgSetDataSecure, .tgSetMetaDataSecure: respond(status: 0x18, at: now, into: &outputs)
    default: return false
    }
    return true
  }

  /// Quirk: firmware-notes/pn53x/no-picc-mode-on-pn533.md.
  private mutating func becomeTarget(
    _ parameters: TargetModeParameters, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    leaveTargetMode(into: &outputs)
    let hasCardMode = configuration.chip == .pn532
    guard hasCardMode || parameters.mode & 0x04 == 0, parameters.mode & 0xF8 == 0,
      parameters.generalBytes.count <= TargetModeParameters.maximumGeneralBytes,
      parameters.historicalBytes.count <= TargetModeState.maximumHistoricalBytes
    else { return respondWithError(at: now, into: &outputs) }
    forgetTargets()
    switchField(false, at: now, into: &outputs)
    var state = TargetModeState(
      parameters, emulatesCard: hasCardMode && flags.contains(.cardEmulation),
      sensRes: parameters.sensRes)
    state.activation.fieldChanged(isOn: seesExternalField)
    targetMode = state
    registers.tune(to: .a, speedIndex: 0)
    outputs.append(.listening(isOn: true))
  }

  /// Ends target mode: a command of an initiator has come, or TgInitAsTarget was ended.
  mutating func leaveTargetMode(into outputs: inout [ChipOutput]) {
    guard targetMode != nil else { return }
    targetMode = nil
    outputs.append(.cancelTimer(Self.cardTimer))
    outputs.append(.listening(isOn: false))
  }

  private mutating func tellTargetStatus(
    at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    let isCard: UInt8 = targetMode?.card != nil ? 0x80 : 0
    let state: UInt8 =
      switch targetMode?.phase {
      case nil, .waiting, .fieldLost: 0x00
      case .frames, .card: 0x01
      case .released: 0x02
      }
    let toInitiator = registers[.txMode] >> 4 & 0x07
    let fromInitiator = registers[.rxMode] >> 4 & 0x07
    respond([isCard | state, fromInitiator << 4 | toInitiator], at: now, into: &outputs)
  }

  // MARK: Frames: TgGetInitiatorCommand, TgResponseToInitiator

  /// Quirk: firmware-notes/pn53x/endless-crc-errors-after-field-loss.md.
  private mutating func getFrame(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    switch targetMode?.phase {
    case nil, .waiting, .card: respond(.notAcceptable, at: now, into: &outputs)
    case .fieldLost:
      respond(status: configuration.fieldLossFrameStatus, at: now, into: &outputs)
    case .released(let status): respond(status: status, at: now, into: &outputs)
    case .frames:
      guard let frame = targetMode?.frame else { return }
      targetMode?.frame = nil
      respondBounded(frame.status, frame.content, at: now, into: &outputs)
    }
  }

  private mutating func answerFrame(
    _ data: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch targetMode?.phase {
    case nil, .waiting, .card: respond(.notAcceptable, at: now, into: &outputs)
    case .fieldLost:
      respond(status: configuration.fieldLossFrameStatus, at: now, into: &outputs)
    case .released(let status): respond(status: status, at: now, into: &outputs)
    case .frames(let kind):
      targetMode?.frame = nil
      // The frame leaves when the command has been taken in; the response says that it has left.
      let isBare = kind == .dep106 && registers.sendTechnology == .a
      sendAsTarget(
        isBare ? [0xF0] + data : data, at: now, notBefore: airStart(now), into: &outputs)
    }
  }

  // MARK: Data: TgGetData, TgSetData

  private mutating func getData(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    switch targetMode?.phase {
    case nil, .waiting: respond(.notAcceptable, at: now, into: &outputs)
    // DEP by the chip itself is not modelled.
    case .frames: respond(status: 0x25, at: now, into: &outputs)
    case .fieldLost: respond(status: configuration.fieldLossStatus, at: now, into: &outputs)
    case .released(let status): respond(status: status, at: now, into: &outputs)
    case .card: handOverCommand(at: now, into: &outputs)
    }
  }

  /// Answers TgGetData if a command is there.
  mutating func handOverCommand(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard let command = targetMode?.command else { return }
    let room = configuration.chip.maximumBodyLength - 3
    let hasMore = command.count > room
    targetMode?.command = hasMore ? Array(command[room...]) : nil
    respond([hasMore ? 0x40 : 0x00] + command.prefix(room), at: now, into: &outputs)
  }

  private mutating func setData(
    _ data: [UInt8], isLast: Bool, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch targetMode?.phase {
    case nil, .waiting: return respond(.notAcceptable, at: now, into: &outputs)
    case .frames: return respond(status: 0x25, at: now, into: &outputs)
    case .fieldLost:
      return respond(status: configuration.fieldLossStatus, at: now, into: &outputs)
    case .released(let status): return respond(status: status, at: now, into: &outputs)
    case .card: break
    }
    guard let state = targetMode, state.card?.awaitsResponse == true, state.command == nil else {
      return respond(status: 0x25, at: now, into: &outputs)
    }
    guard state.response.count + data.count <= Self.maximumExchangeBytes else {
      targetMode?.response = []
      return respond(status: 0x0E, at: now, into: &outputs)
    }
    targetMode?.response += data
    guard isLast else { return respond(.success, at: now, into: &outputs) }
    let response = state.response + data
    targetMode?.response = []
    stepCard(
      .response(response, after: max(.zero, airStart(now) - now)), at: now, into: &outputs)
  }

  /// A status and data of the other side, which may be more than a response holds.
  mutating func respondBounded(
    _ status: UInt8, _ content: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard content.count <= configuration.chip.maximumBodyLength - 3 else {
      return respond(status: 0x09, at: now, into: &outputs)
    }
    if status != 0 { lastError = status }
    respond([status] + content, at: now, into: &outputs)
  }
}
