import NFCProtocols

/// Ends of transfers, time limits, and the way back to a quiet link.
extension HostEngine {
  mutating func transferSent(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard transfersSent < transfersOut else { return }
    transfersSent += 1
    switch phase {
    case .sending:
      guard pending?.transfer == transfersSent else { return }
      pending?.hasLeft = true
      pending?.stamps.sent = now
      if isReaderLink {
        phase = .answering
        setTimer(pending?.timing.limit, from: now, into: &outputs)
      } else {
        phase = .acknowledging
        setTimer(
          configuration.acknowledgementLimit(for: pending?.stamps.commandLength ?? 0), from: now,
          into: &outputs)
      }
    case .acknowledging, .answering:
      guard pending?.transfer == transfersSent, pending?.hasLeft == false else { return }
      pending?.hasLeft = true
      pending?.stamps.sent = now
    case .clearing, .confirming:
      guard clearing.transfer == transfersSent else { return }
      clearing.transfer = 0
      clearing.lastInput = now
      setTimer(clearing.quiet, from: now, into: &outputs)
    case .idle, .ended:
      break
    }
  }

  private mutating func setTimer(
    _ limit: Nanoseconds?, from now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    guard let limit else { return stopTimer(into: &outputs) }
    setTimer(limit, from: now, into: &outputs)
  }

  /// The reader refused a transfer: one from it is as good as lost, one to it was not taken.
  mutating func transferRefused(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    switch phase {
    case .sending:
      transfersSent = min(transfersSent + 1, transfersOut)
      sendAgain(or: .stalled, at: now, into: &outputs)
    case .clearing, .confirming:
      transferSent(at: now, into: &outputs)
    case .idle, .acknowledging, .answering, .ended:
      break
    }
  }

  mutating func timerFired(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    switch phase {
    case .idle, .ended: break
    case .sending: giveUp(.link(.notSent), at: now, into: &outputs)
    case .acknowledging: acknowledgementMissing(at: now, into: &outputs)
    case .answering: answerMissing(at: now, into: &outputs)
    case .clearing: clearingTimer(at: now, into: &outputs)
    case .confirming: confirmationOver(into: &outputs)
    }
  }

  private mutating func acknowledgementMissing(
    at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    guard let request = pending, let code = request.code else { return }
    flushDecoder(into: &outputs)
    let mayAsk = hasRepetition && request.repetitions == 0
    switch code.repetition {
    case .harmless:
      sendAgain(or: .notAcknowledged, at: now, into: &outputs)
    case .afterNACK where mayAsk, .onlyOnce where mayAsk:
      askAgain(code, into: &outputs)
      setTimer(configuration.repetitionLimit, from: now, into: &outputs)
    case .afterNACK:
      sendAgain(or: .notAcknowledged, at: now, into: &outputs)
    case .onlyOnce:
      // The chip may be at work and only its acknowledgement lost: wait as if it had come.
      phase = .answering
      let limit = configuration.unacknowledgedLimit
      setTimer(min(request.timing.limit ?? limit, limit), from: now, into: &outputs)
    }
  }

  private mutating func answerMissing(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard let request = pending else { return }
    if !isReaderLink {
      flushDecoder(into: &outputs)
      guard request.isAcknowledged else {
        return giveUp(.link(.notAcknowledged), in: .acknowledging, at: now, into: &outputs)
      }
      if case .within = request.timing, hasRepetition, request.repetitions == 0,
        let code = request.code
      {
        askAgain(code, into: &outputs)
        return setTimer(configuration.repetitionLimit, from: now, into: &outputs)
      }
    }
    giveUp(
      .link(request.damage.map { .damagedAnswer($0) } ?? .notAnswered), at: now, into: &outputs)
  }

  /// Sends the pending command again, or gives it up if that was tried often enough.
  mutating func sendAgain(
    or link: LinkFailure, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    guard let request = pending, request.sendings <= configuration.maximumResends else {
      return giveUp(.link(link), at: now, into: &outputs)
    }
    if let code = request.code {
      note(.resent(code, attempt: request.sendings + 1), into: &outputs)
    }
    pending?.isAcknowledged = false
    pending?.repetitions = 0
    transmit(at: now, into: &outputs)
  }

  /// Ends the pending command and whatever the chip does about it.
  mutating func giveUp(
    _ problem: CommandFailure.Problem, in step: CommandFailure.Step? = nil,
    at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    let failure = failure(problem, in: step ?? currentStep, at: now)
    if phase != .clearing {
      if isReaderLink {
        reader.overdue += pending?.sendings ?? 0 > 0 ? 1 : 0
        stopTimer(into: &outputs)
        phase = .idle
      } else {
        abort(pending?.code, at: now, into: &outputs)
      }
    }
    complete(.failure(failure), at: now, into: &outputs)
  }

  /// Tells the chip by an ACK to drop what it does, then waits until nothing more comes.
  ///
  /// An answer may be on its way already (firmware-notes/pn53x/late-answers.md), and a chip that
  /// was waiting as a target is deaf for a while (firmware-notes/pn53x/deaf-after-abort.md).
  mutating func abort(
    _ code: CommandCode?, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    if let code { abandoned = code }
    mayBeAsleep = !configuration.wakeUp.isEmpty
    flushDecoder(into: &outputs)
    note(.aborted(code), into: &outputs)
    send(HostFrame.ack.encoded(), into: &outputs)
    phase = .clearing
    clear(
      after: transfersOut, max(configuration.silence, configuration.gapAfterAbort), at: now,
      into: &outputs)
  }

  mutating func clear(
    after transfer: Int, _ quiet: Nanoseconds, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    clearing = Clearing(began: now, lastInput: now, frames: 0, transfer: transfer, quiet: quiet)
    setTimer(transfer == 0 ? quiet : configuration.sendingLimit, from: now, into: &outputs)
  }

  private mutating func clearingTimer(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    if clearing.transfer != 0 {
      return cleared(failing: .notSent, at: now, into: &outputs)
    }
    if now < clearing.lastInput + clearing.quiet {
      guard now - clearing.began < configuration.clearingLimit else {
        return cleared(failing: .neverQuiet, at: now, into: &outputs)
      }
      return setTimer(clearing.lastInput + clearing.quiet - now, from: now, into: &outputs)
    }
    cleared(failing: nil, at: now, into: &outputs)
  }

  private mutating func cleared(
    failing link: LinkFailure?, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    flushDecoder(into: &outputs)
    note(.cleared(frames: clearing.frames), into: &outputs)
    phase = .idle
    if let link {
      complete(.failure(failure(link, in: .preparing, at: now)), at: now, into: &outputs)
    } else {
      transmit(at: now, into: &outputs)
    }
  }

  /// Forgets the beginning of a frame whose rest is not to be expected any more.
  private mutating func flushDecoder(into outputs: inout [HostOutput]) {
    guard decoder.pendingCount > 0 else { return }
    var events: [HostFrameEvent] = []
    decoder.finish(into: &events)
    for case .corrupt(let reason, let bytes) in events {
      note(.corrupt(reason, byteCount: bytes.count), into: &outputs)
    }
  }

  // MARK: Answers that want to be acknowledged

  mutating func confirm(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    send(HostFrame.ack.encoded(), into: &outputs)
    phase = .confirming
    clear(after: transfersOut, Self.confirmationPause, at: now, into: &outputs)
  }

  /// After ResetMode 10 ms (nfcpy); the same is more than enough after SetSerialBaudRate.
  private static let confirmationPause = Nanoseconds.milliseconds(10)

  private mutating func confirmationOver(into outputs: inout [HostOutput]) {
    phase = .idle
    guard let confirmed else { return }
    self.confirmed = nil
    outputs.append(.completed(confirmed))
  }
}
