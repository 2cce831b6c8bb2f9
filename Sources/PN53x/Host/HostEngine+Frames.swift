import NFCProtocols

/// What comes in over links on which the chip's own frames travel.
extension HostEngine {
  mutating func receivedFrames(
    _ bytes: [UInt8], at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    var events: [HostFrameEvent] = []
    swap(&events, &found)
    events.removeAll(keepingCapacity: true)
    decoder.decode(bytes, into: &events)
    if phase == .clearing { clearing.lastInput = now }
    for event in events {
      switch event {
      case .frame(let frame): arrived(frame, at: now, into: &outputs)
      case .wakeUp: break
      case .corrupt(let reason, let bytes):
        note(.corrupt(reason, byteCount: bytes.count), into: &outputs)
        if phase == .answering { answerDamaged(reason, at: now, into: &outputs) }
      }
    }
    swap(&events, &found)
  }

  private mutating func arrived(
    _ frame: HostFrame, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    switch phase {
    case .idle, .confirming, .ended:
      stray(frame, into: &outputs)
    case .clearing:
      clearing.frames += 1
      stray(frame, into: &outputs)
    case .sending, .acknowledging, .answering:
      switch frame {
      case .ack: acknowledged(at: now, into: &outputs)
      case .nack: refused(at: now, into: &outputs)
      case .error: syntaxError(at: now, into: &outputs)
      case .information(let body, _): answered(frame, body, at: now, into: &outputs)
      }
    }
  }

  /// A frame while no command runs: the answer to one that was given up, or nonsense.
  private mutating func stray(_ frame: HostFrame, into outputs: inout [HostOutput]) {
    if case .information(let body, _) = frame {
      if let abandoned, body.count >= 2, body[1] == abandoned.response { self.abandoned = nil }
      return note(.lateAnswer(body), into: &outputs)
    }
    note(.unexpected(frame), into: &outputs)
  }

  private mutating func acknowledged(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard let request = pending, !request.isAcknowledged else {
      return note(.unexpected(.ack), into: &outputs)
    }
    noteEarlyInput(into: &outputs)
    pending?.isAcknowledged = true
    pending?.stamps.acknowledged = now
    // What comes in after an acknowledgement belongs to the command that was acknowledged.
    abandoned = nil
    phase = .answering
    if let limit = request.timing.limit {
      setTimer(limit, from: now, into: &outputs)
    } else {
      stopTimer(into: &outputs)
    }
  }

  private mutating func noteEarlyInput(into outputs: inout [HostOutput]) {
    guard let pending, !pending.hasLeft, let code = pending.code else { return }
    note(.answeredBeforeSent(code), into: &outputs)
  }

  /// The chip found a fault in the frame and did not take it.
  private mutating func refused(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard pending?.isAcknowledged == false else {
      return note(.unexpected(.nack), into: &outputs)
    }
    sendAgain(or: .notAcknowledged, at: now, into: &outputs)
  }

  private mutating func syntaxError(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    if pending?.isAcknowledged == false, abandoned != nil {
      abandoned = nil
      return note(.unexpected(.error), into: &outputs)
    }
    let answer = [HostFrame.errorIdentifier]
    if pending?.repetitions ?? 0 > 0, lastAnswer == answer {
      // The error frame before once more, or one to this command: it was not run either way.
      return sendAgain(or: .syntaxError, at: now, into: &outputs)
    }
    let failure = failure(.syntaxError, in: .answering, at: now)
    finish(.failure(failure), answer: answer, at: now, into: &outputs)
  }

  private mutating func answered(
    _ frame: HostFrame, _ body: [UInt8], at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    guard let request = pending, let code = request.code, body.count >= 2,
      body[0] == HostFrame.chipToHost
    else { return note(.unexpected(frame), into: &outputs) }
    guard body[1] == code.response else {
      // What a NACK brings while the chip is at work is the answer before, too: so it does not tell
      // whether the command arrived, and one that must not run twice is not sent again.
      if request.repetitions > 0, !request.isAcknowledged, body == lastAnswer,
        code.repetition != .onlyOnce
      {
        return sendAgain(or: .notAcknowledged, at: now, into: &outputs)
      }
      return note(.lateAnswer(body), into: &outputs)
    }
    if !request.isAcknowledged {
      if abandoned == code {
        abandoned = nil
        return note(.lateAnswer(body), into: &outputs)
      }
      noteEarlyInput(into: &outputs)
    }
    if request.repetitions > 0, body == lastAnswer {
      // Either the answer before once more, or an equal one to this command.
      guard code.repetition == .onlyOnce else {
        return sendAgain(or: .uncertain, at: now, into: &outputs)
      }
      return giveUp(.link(.uncertain), at: now, into: &outputs)
    }
    if !request.isAcknowledged { note(.acknowledgementMissing(code), into: &outputs) }
    accept(body, code, at: now, into: &outputs)
  }

  private mutating func accept(
    _ body: [UInt8], _ code: CommandCode, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    guard case .command(let command)? = pending?.content else { return }
    let isExtended = body.count > InformationForm.normalMaximumBodyLength
    pending?.stamps.answered = now
    pending?.stamps.answerLength = body.count + (isExtended ? 10 : 7)
    finish(read(body, command, at: now), answer: body, at: now, into: &outputs)
  }

  /// Reads an answer; its status decides whether it is a good one.
  mutating func read(
    _ body: [UInt8], _ command: Command, at now: VirtualInstant
  ) -> Result<Response, CommandFailure> {
    do {
      let response = try Response(body: body, to: command, from: chip)
      if case .firmwareVersion(let version) = response, let named = version.chip { chip = named }
      if let status = response.statusOfOutcome(to: command), status != .success {
        return .failure(failure(CommandFailure.Problem(status), in: .reading, at: now))
      }
      return .success(response)
    } catch {
      return .failure(failure(.malformed(error), in: .reading, at: now))
    }
  }

  /// Completes the pending command with what came back, and readies the link for the next.
  private mutating func finish(
    _ result: Result<Response, CommandFailure>, answer: [UInt8], at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    guard let request = pending, let code = request.code else { return }
    noteDescriptors(request, answer)
    lastAnswer = answer
    abandoned = nil
    stopTimer(into: &outputs)
    if code == .powerDown { mayBeAsleep = !configuration.wakeUp.isEmpty }
    if case .success = result, code.mustBeConfirmed(on: chip) {
      if case .command(let command) = request.content {
        confirmed = CommandOutcome(command, result, stamps: request.stamps)
      }
      pending = nil
      return confirm(at: now, into: &outputs)
    }
    if request.sendings > 1 || request.repetitions > 0
      || (!request.isAcknowledged && answer == [HostFrame.errorIdentifier])
    {
      // What was asked for twice may be answered twice, and an error frame that came too early may
      // have been for something else.
      abandoned = code
      phase = .clearing
      clear(after: 0, configuration.silence, at: now, into: &outputs)
    } else {
      phase = .idle
    }
    complete(result, at: now, into: &outputs)
  }

  /// See firmware-notes/pn53x/descriptor-corruption.md.
  private mutating func noteDescriptors(_ request: PendingRequest, _ answer: [UInt8]) {
    guard chip == .pn533, configuration.link == .usb else { return }
    if case .command(.unknown(.getFirmwareVersion, _)) = request.content {
      mayHaveSpoiltDescriptors = false
      return
    }
    // A normal frame has 8 bytes besides code and parameters, an answer two before its content.
    if request.stamps.commandLength - 8 > DescriptorImage.longestHarmlessCommand
      || answer.count - 2 > DescriptorImage.longestHarmlessResponse
    {
      mayHaveSpoiltDescriptors = true
    }
  }

  private mutating func answerDamaged(
    _ reason: CorruptionReason, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    // Noise between frames is no answer, and a chip that still works would repeat an old one.
    guard reason == .dataChecksum || reason == .lengthChecksum, let request = pending,
      request.isAcknowledged
    else { return }
    pending?.damage = reason
    guard request.repetitions == 0, hasRepetition, let code = request.code else { return }
    askAgain(code, into: &outputs)
  }

  /// A Sony RC-S956 does not know NACK.
  var hasRepetition: Bool { !isReaderLink && chip != .rcS956 }

  mutating func askAgain(_ code: CommandCode, into outputs: inout [HostOutput]) {
    pending?.repetitions += 1
    note(.askedAgain(code), into: &outputs)
    send(HostFrame.nack.encoded(), into: &outputs)
  }
}

extension Response {
  /// The status that decides whether the command was done; Diagnose of test 6 hides one.
  fileprivate func statusOfOutcome(to command: Command) -> ChipStatus? {
    if case .diagnose(let content) = self, case .diagnose(test: 0x06, _) = command {
      return content.first.map { StatusByte(rawValue: $0).status }
    }
    return status?.status
  }
}

extension CommandCode {
  /// What to do about a command of which it is not known whether the chip has it.
  enum Repetition: Hashable, Sendable {
    /// Send it again: it does no harm twice.
    case harmless
    /// Ask for the last answer first, as one may be lost, then send it again.
    case afterNACK
    /// Ask for the last answer, and never send it again unless the chip refused it: a card could
    /// act twice.
    case onlyOnce
  }

  var repetition: Repetition {
    switch self {
    case .inDataExchange, .inCommunicateThru, .communicateThruEX, .inQuartetByteExchange,
      .tgSetData, .tgResponseToInitiator, .tgSetMetaData, .tgSetDataSecure,
      .tgSetMetaDataSecure, .alparCommandForTDA:
      .onlyOnce
    case .tgGetData, .tgGetInitiatorCommand:
      .afterNACK
    default:
      .harmless
    }
  }

  /// True if the chip acts on its answer only when the host has acknowledged it.
  func mustBeConfirmed(on chip: Chip) -> Bool {
    self == .setSerialBaudRate || (self == .alparCommandForTDA && chip == .rcS956)
  }
}
