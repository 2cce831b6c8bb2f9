extension IsoDepInitiator {
  mutating func received(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    let began = receptionBegan ?? now
    receptionBegan = nil
    // A reader that sends does not listen.
    guard !isTransmitting else { return }
    cancelTimer(into: &outputs)
    noteLateness(of: frame, began, into: &outputs)
    earliestSending = now + timings.deviceFrameDelay
    if phase == .idle || phase == .ended { return }

    guard let end = frame.blockEnd(parameters.technology) else {
      return recover(.damagedBlock, at: now, into: &outputs)
    }
    guard frame.bytes.count <= parameters.deviceFrameSize else {
      return recover(.blockTooLong(frame.bytes.count), at: now, into: &outputs)
    }
    guard let block = BlockPrologue(of: frame.bytes, end: end),
      block.cid == parameters.cid
        || (parameters.cid == 0 && block.cid == nil)
    else {
      return recover(.unexpectedBlock(frame.bytes[0]), at: now, into: &outputs)
    }
    let information = frame.bytes[block.byteCount..<end]
    switch (block.type, phase) {
    case (.information, .commanding) where commandEnd == command.count,
      (.information, .collecting):
      guard block.number == number else {
        return recover(.wrongBlockNumber(block.number), at: now, into: &outputs)
      }
      take(information, isChaining: block.isChaining, at: now, into: &outputs)
    case (.acknowledge, .commanding):
      acknowledged(block.number, pcb: frame.bytes[0], at: now, into: &outputs)
    case (.acknowledge, .checkingPresence):
      phase = .idle
      outputs.append(.present)
    case (.waitingTimeExtension, .commanding), (.waitingTimeExtension, .collecting),
      (.waitingTimeExtension, .checkingPresence):
      guard information.count == 1, let request = information.first else {
        return recover(.unexpectedBlock(frame.bytes[0]), at: now, into: &outputs)
      }
      extend(request, at: now, into: &outputs)
    case (.deselect, .deselecting(let failure)):
      finish(after: failure, isConfirmed: true, into: &outputs)
    default:
      recover(.unexpectedBlock(frame.bytes[0]), at: now, into: &outputs)
    }
  }

  private mutating func noteLateness(
    of frame: RadioFrame, _ began: VirtualInstant, into outputs: inout [Output]
  ) {
    guard let missed = missedDeadline, began > missed else { return }
    // What answers S(DESELECT) is no late answer to the command that was given up.
    // Its PCB is C2, or CA with a CID (ISO/IEC 14443-4 7.1.1.4).
    if case .deselecting = phase, let first = frame.bytes.first, first & 0xF7 == 0xC2 { return }
    missedDeadline = nil
    lateAnswer = began - missed
    outputs.append(.note(.lateAnswer(by: began - missed, missedLimit ?? limit)))
  }

  /// Rules B and 2: an I-block with the current number.
  private mutating func take(
    _ information: ArraySlice<UInt8>, isChaining: Bool, at now: VirtualInstant,
    into outputs: inout [Output]
  ) {
    number = number.toggled
    guard response.count + information.count <= Self.maximumResponseBytes else {
      return giveUp(.responseTooLong, at: now, into: &outputs)
    }
    if response.isEmpty, !isChaining {
      response = Array(information)
    } else {
      response.append(contentsOf: information)
    }
    if isChaining {
      phase = .collecting
      beginBlock()
      return send(.acknowledge, at: now, into: &outputs)
    }
    phase = .idle
    deadline = nil
    missedDeadline = nil
    exchangeDeadline = nil
    let complete = response
    response = []
    command = []
    outputs.append(.response(complete))
  }

  /// Rules 6 and 7: an R(ACK) while the command is being sent.
  private mutating func acknowledged(
    _ blockNumber: BlockNumber, pcb: UInt8, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    if blockNumber != number {
      guard retransmissions < recovery.attempts else {
        return giveUp(.retransmissionRefused, at: now, into: &outputs)
      }
      retransmissions += 1
      limit = timings.ordinaryLimit
      outputs.append(.note(.retransmission(attempt: retransmissions)))
      return emit(commandFrame, at: now, into: &outputs)
    }
    guard commandEnd < command.count else {
      return recover(.unexpectedBlock(pcb), at: now, into: &outputs)
    }
    number = number.toggled
    sendNextCommandBlock(at: now, into: &outputs)
  }

  /// Rules 3 and 9: the card asks for more time, which holds for the next block only.
  private mutating func extend(
    _ request: UInt8, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    let asked = request & 0x3F
    guard asked != 0 else {
      return recover(.illegalMultiplier(asked), at: now, into: &outputs)
    }
    if asked > Block.legalMultipliers.upperBound, recovery.illegalMultipliers == .refuse {
      return recover(.illegalMultiplier(asked), at: now, into: &outputs)
    }
    if let exchangeDeadline, now > exchangeDeadline {
      return giveUp(.exchangeLimit, at: now, into: &outputs)
    }
    let granted = timings.frameWaitingTime.extended(by: asked)
    beginBlock()
    limit = TimeLimit(.waitingTimeExtension, granted + timings.waitingTimeMargin)
    outputs.append(.note(.waitingTimeExtended(multiplier: asked, granted: granted)))
    send(.waitingTimeExtension, [asked], at: now, into: &outputs)
  }

  mutating func timerFired(at now: VirtualInstant, into outputs: inout [Output]) {
    guard isTimerRunning else { return }
    isTimerRunning = false
    if let exchangeDeadline, now > exchangeDeadline, (deadline ?? now) > exchangeDeadline {
      return giveUp(.exchangeLimit, at: now, into: &outputs)
    }
    if missedDeadline == nil {
      missedDeadline = deadline
      missedLimit = limit
    }
    outputs.append(.note(.limitExceeded(limit, attempt: attempts + 1)))
    recover(.silence, at: now, into: &outputs)
  }

  // MARK: Recovery

  /// Rules 4, 5 and 8: silence or a block that does not fit.
  private mutating func recover(
    _ reason: IsoDepFailure.Reason, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    // An extension ends with the next block, even a bad one; silence leaves it in force.
    if reason != .silence { limit = timings.ordinaryLimit }
    if case .deselecting(let failure) = phase {
      guard deselectsSent < recovery.deselectAttempts else {
        return finish(after: failure, isConfirmed: false, into: &outputs)
      }
      return deselect(because: failure, at: now, into: &outputs)
    }
    guard attempts < recovery.attempts else {
      return giveUp(reason, at: now, into: &outputs)
    }
    attempts += 1
    send(phase == .collecting ? .acknowledge : .negativeAcknowledge, at: now, into: &outputs)
  }

  private mutating func giveUp(
    _ reason: IsoDepFailure.Reason, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    var exceeded = limit
    if reason == .exchangeLimit, let whole = recovery.exchangeLimit {
      exceeded = TimeLimit(.application, whole)
    }
    let failure = IsoDepFailure(
      reason, limit: exceeded, waited: now - (blockEnd ?? now), attempts: attempts,
      lateAnswer: lateAnswer)
    exchangeDeadline = nil
    outputs.append(.note(.gaveUp))
    if recovery.deselectAttempts == 0 {
      return finish(after: failure, isConfirmed: false, into: &outputs)
    }
    deselect(because: failure, at: now, into: &outputs)
  }

  mutating func deselect(
    because failure: IsoDepFailure?, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    phase = .deselecting(failure)
    deselectsSent += 1
    limit = TimeLimit(
      .activation, timings.deselectWaitingTime + timings.waitingTimeMargin)
    send(.deselect, at: now, into: &outputs)
  }

  private mutating func finish(
    after failure: IsoDepFailure?, isConfirmed: Bool, into outputs: inout [Output]
  ) {
    phase = .ended
    guard var failure else { return outputs.append(.deselected(confirmed: isConfirmed)) }
    failure.lateAnswer = lateAnswer
    outputs.append(.failed(failure))
  }
}
