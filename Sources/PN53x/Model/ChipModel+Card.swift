import NFCProtocols

/// What a chip in target mode hears and says on the air.
extension ChipModel {
  /// The delay of a polling response in the first time slot: 512·64/fc (JIS X 6319-4 7.3).
  private static let pollingDelay = Nanoseconds.carrierCycles(512 * 64)

  mutating func externalFieldChanged(
    _ isOn: Bool, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    seesExternalField = isOn
    guard var state = targetMode else { return }
    state.activation.fieldChanged(isOn: isOn)
    state.isSending = false
    targetMode = state
    guard !isOn else { return }
    switch state.phase {
    case .waiting, .fieldLost, .released: break
    case .frames:
      targetMode?.phase = .fieldLost
      targetMode?.frame = nil
      interrupt(
        [.tgGetInitiatorCommand, .tgResponseToInitiator], configuration.fieldLossFrameStatus,
        at: now, into: &outputs)
    case .card:
      targetMode?.phase = .fieldLost
      endCard(into: &outputs)
      interrupt([.tgGetData, .tgSetData], configuration.fieldLossStatus, at: now, into: &outputs)
    }
  }

  /// Answers the command at work with a status if it waits for the initiator.
  private mutating func interrupt(
    _ codes: [CommandCode], _ status: UInt8, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard let running, !isResponsePending, codes.contains(where: { $0.rawValue == running.code })
    else { return }
    airEnded(at: now)
    respond(status: status, at: now, into: &outputs)
  }

  private mutating func endCard(into outputs: inout [ChipOutput]) {
    targetMode?.card = nil
    targetMode?.command = nil
    targetMode?.response = []
    outputs.append(.cancelTimer(Self.cardTimer))
  }

  private func isAtWork(_ code: CommandCode) -> Bool {
    running?.code == code.rawValue && !isResponsePending
  }

  mutating func heardAsTarget(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch input {
    case .sent: frameLeft(at: now, into: &outputs)
    case .received(let frame):
      guard targetMode?.isSending == false, !frame.bytes.isEmpty else { return }
      targetMode?.receivedEnd = now
      targetMode?.receivedLastBit = frame.lastBitOnAir
      switch targetMode?.phase {
      case .waiting: heardWaiting(frame, at: now, into: &outputs)
      case .frames(let kind): heardFrame(frame, kind, at: now, into: &outputs)
      case .card: stepCard(.received(frame), at: now, into: &outputs)
      case .released, .fieldLost, nil: break
      }
    default: break
    }
  }

  private mutating func frameLeft(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard targetMode?.isSending == true else { return }
    targetMode?.isSending = false
    if targetMode?.card != nil { stepCard(.sent, at: now, into: &outputs) }
    let isAnswered =
      isAtWork(.tgResponseToInitiator)
      || isAtWork(.tgSetData) && targetMode?.card?.awaitsResponse == false
    guard isAnswered else { return }
    airEnded(at: now)
    respond(.success, at: now, into: &outputs)
  }

  // MARK: Before activation

  private mutating func heardWaiting(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch frame.technology ?? .a {
    case .a: heardTypeA(frame, at: now, into: &outputs)
    case .f: heardFeliCa(frame, at: now, into: &outputs)
    case .b, .v: break
    }
  }

  private mutating func heardTypeA(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let reaction = targetMode?.activation.received(frame) else { return }
    switch reaction {
    case .silent: break
    case .answered(let answer), .selected(let answer):
      send(
        answer, after: FrameDelayTimeA(after: frame).duration, at: now, into: &outputs)
    case .passed:
      guard case .good(let content) = ReceivedContent(frame, .a), let first = content.first
      else { return }
      if first == 0xF0, content.count > 3, Int(content[1]) == content.count - 1 {
        activatedForDEP(Array(content[1...]), kind: .dep106, speed: 0, at: now, into: &outputs)
      } else if targetMode?.isDEPOnly == false {
        activatedTypeA(content, at: now, into: &outputs)
      }
    }
  }

  private mutating func activatedTypeA(
    _ content: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if targetMode?.emulatesCard == true, let rats = try? RATS(content) {
      return activatedAsCard(rats, at: now, into: &outputs)
    }
    guard targetMode?.isCardOnly == false || targetMode?.emulatesCard == false else { return }
    activated(.frames(.typeA), mode: 0x00, content, at: now, into: &outputs)
  }

  private mutating func activatedAsCard(
    _ rats: RATS, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let ats = targetMode?.answerToSelect else { return }
    targetMode?.card = IsoDepTarget(
      IsoDepParameters(
        cardFrameSize: ats.frameSize, deviceFrameSize: rats.frameSize, cid: rats.cid),
      timings: IsoDepTimings(ats.frameWaitingTime))
    sendAsTarget(ats.bytes, at: now, notBefore: now, into: &outputs)
    activated(.card, mode: 0x08, rats.bytes, at: now, into: &outputs)
  }

  private mutating func heardFeliCa(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard case .good(let content) = ReceivedContent(frame, .f), content.count >= 2,
      Int(content[0]) == content.count, let state = targetMode
    else { return }
    let speed: UInt8 = frame.kilobitsPerSecond == 424 ? 2 : 1
    if content[1] == 0x00, content.count == 6 {
      guard state.answersPolling(content) else { return }
      let answer = state.pollingResponse(requestCode: content[4])
      return send(
        .protected(answer, .f, kilobitsPerSecond: frame.kilobitsPerSecond ?? 212),
        after: Self.pollingDelay, at: now, into: &outputs)
    }
    if content.count > 3, content[1] == 0xD4 {
      return activatedForDEP(content, kind: .feliCa, speed: speed, at: now, into: &outputs)
    }
    guard !state.isDEPOnly, !state.isCardOnly else { return }
    registers.tune(to: .f, speedIndex: speed)
    activated(.frames(.feliCa), mode: speed << 4 | 0x02, content, at: now, into: &outputs)
  }

  /// ATR_REQ, length byte first.
  private mutating func activatedForDEP(
    _ content: [UInt8], kind: TargetModeState.FrameKind, speed: UInt8, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard let state = targetMode, !state.isCardOnly, content[1] == 0xD4, content[2] == 0x00
    else { return }
    registers.tune(to: kind == .feliCa ? .f : .a, speedIndex: speed)
    if flags.contains(.automaticATRResponse) {
      let answer = state.attributeResponse
      let framed = [UInt8(truncatingIfNeeded: answer.count + 1)] + answer
      sendAsTarget(
        kind == .dep106 ? [0xF0] + framed : framed, at: now, notBefore: now, into: &outputs)
    }
    let framing: UInt8 = kind == .feliCa ? 0x02 : 0x00
    activated(.frames(kind), mode: speed << 4 | 0x04 | framing, content, at: now, into: &outputs)
  }

  private mutating func activated(
    _ phase: TargetModeState.Phase, mode: UInt8, _ command: [UInt8], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    targetMode?.phase = phase
    targetMode?.mode = ActivatedMode(rawValue: mode)
    guard running?.code == CommandCode.tgInitAsTarget.rawValue else { return }
    airEnded(at: now)
    let room = configuration.chip.maximumBodyLength - 3
    respond([mode] + command.prefix(room), at: now, into: &outputs)
  }

  // MARK: After activation

  private mutating func heardFrame(
    _ frame: RadioFrame, _ kind: TargetModeState.FrameKind, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard (frame.technology ?? registers.receiveTechnology) == registers.receiveTechnology else {
      return
    }
    if isLeave(frame) {
      targetMode?.phase = .released(ChipStatus.releasedByInitiator.rawValue)
      targetMode?.activation.halt()
      return interrupt(
        [.tgGetInitiatorCommand], ChipStatus.releasedByInitiator.rawValue, at: now,
        into: &outputs)
    }
    var content: [UInt8] = []
    var status: UInt8 = 0
    if registers.expectsCRC {
      switch ReceivedContent(frame, registers.receiveTechnology) {
      case .good(let bytes): content = bytes
      case .damaged: status = ChipStatus.crcError.rawValue
      }
    } else {
      content = frame.bytes
    }
    if kind == .dep106, registers.receiveTechnology == .a, content.first == 0xF0 {
      content.removeFirst()
    }
    guard isAtWork(.tgGetInitiatorCommand) else {
      targetMode?.frame = (status, content)
      return
    }
    airEnded(at: now)
    respondBounded(status, content, at: now, into: &outputs)
  }

  /// HLTA, REQA and WUPA: the initiator begins anew.
  private func isLeave(_ frame: RadioFrame) -> Bool {
    guard registers.receiveTechnology == .a else { return false }
    switch (try? TypeACommand(frame)) ?? nil {
    case .halt, .request, .wakeUp: return true
    case .anticollision, .select, nil: return false
    }
  }

  /// Passes an input to the block protocol of PICC mode and does what it says.
  mutating func stepCard(
    _ input: IsoDepTarget.Input, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard targetMode?.card != nil else { return }
    var causes: [IsoDepTarget.Output] = []
    targetMode?.card?.step(input, at: now, into: &causes)
    for cause in causes {
      switch cause {
      case .send(let frame, let delay): send(frame, after: delay, at: now, into: &outputs)
      case .setTimer(let instant): outputs.append(.setTimer(Self.cardTimer, at: instant))
      case .cancelTimer: outputs.append(.cancelTimer(Self.cardTimer))
      case .note(let note): outputs.append(.radio(.note(note)))
      case .command(let bytes):
        targetMode?.command = bytes
        guard isAtWork(.tgGetData) else { continue }
        airEnded(at: now)
        handOverCommand(at: now, into: &outputs)
      case .deselected:
        let status = ChipStatus.releasedByInitiator.rawValue
        targetMode?.phase = .released(status)
        targetMode?.activation.halt()
        interrupt([.tgGetData, .tgSetData], status, at: now, into: &outputs)
      }
    }
  }

  // MARK: Sending

  private mutating func send(
    _ frame: RadioFrame, after delay: Nanoseconds, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    targetMode?.isSending = true
    outputs.append(.radio(.send(frame, after: delay)))
  }

  /// Sends content under the settings of the registers, not before an instant and, for type A, on
  /// the grid of delays.
  mutating func sendAsTarget(
    _ content: [UInt8], at now: VirtualInstant, notBefore earliest: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard let state = targetMode else { return }
    let technology = registers.sendTechnology
    let frame: RadioFrame
    if registers.sendsCRC {
      frame = .protected(content, technology, kilobitsPerSecond: registers.sendSpeed)
    } else {
      let bits = registers.lastBitsToSend == 0 ? 8 : registers.lastBitsToSend
      frame = RadioFrame(
        content, lastByteBits: bits, technology: technology,
        kilobitsPerSecond: registers.sendSpeed,
        crc: bits == 8 && CRC16(of: technology).check(content) ? .good : .absent)
    }
    var start = max(earliest, now)
    if technology == .a, registers.sendSpeed == 106 {
      // 339 periods of the carrier are 25 µs; rounded up, so that the answer is not too early.
      let elapsed = (start - state.receivedEnd).count
      let cycles = (elapsed / 25_000) * 339 + (elapsed % 25_000 * 339 + 24_999) / 25_000
      let delay = FrameDelayTimeA.atLeast(cycles, lastBitIsOne: state.receivedLastBit).duration
      start = max(start, state.receivedEnd + delay)
    }
    send(frame, after: start - now, at: now, into: &outputs)
  }
}
