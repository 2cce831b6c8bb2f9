import NFCProtocols

/// Frames from the host and to it.
extension ChipModel {
  static let acknowledgement: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  static let errorFrame: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

  mutating func received(
    _ bytes: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard now >= deafUntil, isAwake(for: bytes, at: now) else { return }
    var events: [HostFrameEvent] = []
    swap(&events, &hostEvents)
    decoder.decode(bytes, into: &events)
    for event in events {
      switch event {
      case .frame(.information(let body, let form)):
        take(
          body, isExtended: form == .extended, transferLength: bytes.count, at: now,
          into: &outputs)
      case .frame(.ack): acknowledged(at: now, into: &outputs)
      case .frame(.nack): repeatResponse(into: &outputs)
      // A frame whose checksums do not fit gets no answer at all.
      case .frame(.error), .corrupt, .wakeUp: break
      }
    }
    events.removeAll(keepingCapacity: true)
    swap(&events, &hostEvents)
  }

  /// Wakes a sleeping chip; what follows the wake-up bytes in one transfer is heard, a frame
  /// without them is lost.
  ///
  /// Quirk: firmware-notes/pn53x/power-down-and-wake-up.md.
  private mutating func isAwake(for bytes: [UInt8], at now: VirtualInstant) -> Bool {
    if let instant = sleepsAt, now >= instant {
      sleepsAt = nil
      isAsleep = true
    }
    guard isAsleep else { return true }
    isAsleep = false
    if configuration.deafAfterWakeUp > .zero { deafUntil = now + configuration.deafAfterWakeUp }
    return bytes.starts(with: [0x55, 0x55]) || bytes.starts(with: [0x00, 0x00, 0x00])
  }

  /// An ACK of the host ends the command at work; with none at work it means "arrived".
  ///
  /// Quirk: firmware-notes/pn53x/implicit-abort.md.
  private mutating func acknowledged(
    at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if let rate = nextBaudRate, running == nil {
      serialBaudRate = rate
      nextBaudRate = nil
    }
    guard running != nil else { return }
    stop(into: &outputs)
    if configuration.deafAfterAbort > .zero {
      deafUntil = now + configuration.deafAfterAbort
    }
  }

  /// A NACK of the host brings the last response again.
  ///
  /// Quirk: firmware-notes/pn53x/nack-repeats-response.md.
  private mutating func repeatResponse(into outputs: inout [ChipOutput]) {
    guard !lastResponse.isEmpty, configuration.chip != .rcS956, running == nil else { return }
    outputs.append(.host(lastResponse, after: configuration.latency.repetition))
  }

  private mutating func take(
    _ body: [UInt8], isExtended: Bool, transferLength: Int, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard body[0] == HostFrame.hostToChip, body.count <= configuration.chip.maximumBodyLength,
      !isExtended || configuration.chip.hasExtendedFrames
    else { return }
    descriptors.commandArrived(body[1...])
    let latency = configuration.latency
    var time = latency.acknowledgementTime(
      transferLength: transferLength, bodyLength: body.count, isExtended: isExtended)
    if running != nil {
      time += latency.interruption
      stop(into: &outputs)
    }
    let acknowledgedAt = now + time
    outputs.append(.host(Self.acknowledgement, after: time))
    guard body.count >= 2 else {
      running = RunningCommand(code: 0, acknowledgedAt: acknowledgedAt, readyAt: acknowledgedAt)
      return respondWithError(at: now, into: &outputs)
    }
    running = RunningCommand(
      code: body[1], acknowledgedAt: acknowledgedAt,
      readyAt: acknowledgedAt + latency.responseTime(body[1], parameters: body[2...]))
    run(body, at: now, into: &outputs)
  }

  // MARK: To the host

  /// Answers the command at work with the error frame.
  ///
  /// Quirk: firmware-notes/pn53x/error-frame.md.
  mutating func respondWithError(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    respond(frame: Self.errorFrame, at: now, into: &outputs)
  }

  /// Answers the command at work with a status alone.
  mutating func respond(
    status: UInt8, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if status != 0 { lastError = status }
    respond(CollectionOfOne(status), at: now, into: &outputs)
  }

  /// Answers the command at work with a status that has a name.
  mutating func respond(
    _ status: ChipStatus, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    respond(status: status.rawValue, at: now, into: &outputs)
  }

  /// Answers the command at work with `D5`, its code + 1 and a content.
  mutating func respond(
    _ content: some Collection<UInt8>, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let running else { return }
    var body: [UInt8] = []
    body.reserveCapacity(2 + content.count)
    body.append(HostFrame.chipToHost)
    body.append(running.code &+ 1)
    body.append(contentsOf: content)
    precondition(
      body.count <= configuration.chip.maximumBodyLength, "a response fits in one frame")
    descriptors.responseLeaves(body[2...])
    let form: InformationForm =
      body.count > InformationForm.normalMaximumBodyLength ? .extended : .normal
    respond(
      frame: HostFrame.information(body, form).encoded(options: framing), at: now,
      into: &outputs)
  }

  private mutating func respond(
    frame: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let command = running else { return }
    lastResponse = frame
    if command.readyAt <= now {
      running = nil
      return emit(frame, into: &outputs)
    }
    pendingResponse = frame
    isResponsePending = true
    outputs.append(.setTimer(Self.responseTimer, at: command.readyAt))
  }

  mutating func emit(_ frame: [UInt8], into outputs: inout [ChipOutput]) {
    outputs.append(.host(frame, after: .zero))
    if configuration.endsWithEmptyTransfer, frame.count % configuration.latency.packetSize == 0 {
      outputs.append(.host([], after: .zero))
    }
  }

  /// PN532 can be told to leave pre- and postamble out.
  private var framing: FramingOptions {
    configuration.chip == .pn532 && flags.contains(.noPreambleAndPostamble) ? .bare : .standard
  }
}
