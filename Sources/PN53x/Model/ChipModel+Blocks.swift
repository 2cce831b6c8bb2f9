import NFCProtocols

/// Why the block protocol with a target is at work.
enum BlockWork: Hashable, Sendable {
  /// InDataExchange.
  case exchange(target: Int)
  /// Diagnose, test 06.
  case presence(target: Int)

  var target: Int {
    switch self {
    case .exchange(let target), .presence(let target): target
    }
  }
}

/// ISO/IEC 14443-4 by the chip itself: blocks, chaining, waiting time extensions, retries.
///
/// The host sees nothing of it but a late response.
extension ChipModel {
  /// Begins work with a target that speaks ISO-DEP when the command has been taken in.
  mutating func begin(
    _ work: BlockWork, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    blockWork = work
    let start = airStart(now)
    guard start > now else { return startBlocks(at: now, into: &outputs) }
    outputs.append(.setTimer(Self.blockTimer, at: start))
    isBlockStartPending = true
  }

  private mutating func startBlocks(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard let work = blockWork, targets.indices.contains(work.target) else { return }
    switch work {
    case .exchange(let index):
      let command = targets[index].command
      targets[index].command = []
      step(.transceive(command), at: now, into: &outputs)
    case .presence:
      step(.checkPresence, at: now, into: &outputs)
    }
  }

  mutating func blockTimerFired(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    if isBlockStartPending {
      isBlockStartPending = false
      return startBlocks(at: now, into: &outputs)
    }
    step(.timerFired, at: now, into: &outputs)
  }

  /// Stops the work; what the card still sends of it is not heard.
  mutating func stopBlocks(into outputs: inout [ChipOutput]) {
    guard let work = blockWork else { return }
    blockWork = nil
    isBlockStartPending = false
    outputs.append(.cancelTimer(Self.blockTimer))
    guard targets.indices.contains(work.target) else { return }
    targets[work.target].blocks?.abandon()
  }

  /// Passes an input to the block protocol and does what it says.
  mutating func step(
    _ input: IsoDepInitiator.Input, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let work = blockWork, targets.indices.contains(work.target) else { return }
    var causes: [IsoDepInitiator.Output] = []
    targets[work.target].blocks?.step(input, at: now, into: &causes)
    for cause in causes {
      switch cause {
      case .send(let frame, let delay):
        outputs.append(.radio(.send(frame, after: max(delay, earliestFrame - now))))
      case .setTimer(let instant): outputs.append(.setTimer(Self.blockTimer, at: instant))
      case .cancelTimer: outputs.append(.cancelTimer(Self.blockTimer))
      case .awaitAnswer(let limit): outputs.append(.radio(.awaitAnswer(limit)))
      case .note(let note): outputs.append(.radio(.note(note)))
      case .response(let bytes):
        blockWork = nil
        airEnded(at: now)
        targets[work.target].response = bytes
        respondWithPart(work.target, at: now, into: &outputs)
      case .present:
        blockWork = nil
        airEnded(at: now)
        respond(status: 0, at: now, into: &outputs)
      case .deselected: break
      case .failed(let failure):
        blockWork = nil
        airEnded(at: now)
        targets[work.target].blocks?.abandon()
        respond(status: failure.reason.status, at: now, into: &outputs)
      }
    }
  }

  /// The next part of a response that may be longer than a frame; MI says that more follows.
  mutating func respondWithPart(
    _ index: Int, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    let response = targets[index].response
    let room = configuration.chip.maximumBodyLength - 3
    let hasMore = response.count > room
    targets[index].response = hasMore ? Array(response[room...]) : []
    respond([hasMore ? 0x40 : 0x00] + response.prefix(room), at: now, into: &outputs)
  }
}

extension IsoDepFailure.Reason {
  /// The status byte that tells of the failure.
  var status: UInt8 {
    switch self {
    case .silence, .exchangeLimit: ChipStatus.timeout.rawValue
    case .damagedBlock: ChipStatus.crcError.rawValue
    case .unexpectedBlock, .illegalMultiplier, .retransmissionRefused, .wrongBlockNumber:
      ChipStatus.protocolError.rawValue
    case .blockTooLong, .responseTooLong: 0x07
    }
  }
}
