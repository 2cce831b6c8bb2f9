extension IsoDepTarget {
  mutating func received(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    guard phase != .ended, let end = frame.blockEnd(parameters.technology),
      frame.bytes.count <= parameters.cardFrameSize,
      let block = BlockPrologue(of: frame.bytes, end: end), isForThisCard(block)
    else { return }
    let isBusy = phase == .working
    if !isBusy || block.type != .information {
      receivedEnd = now
      receivedLastBit = frame.lastBitOnAir
      usesCID = block.cid != nil
    }
    switch block.type {
    case .information:
      take(block, frame.bytes[block.byteCount..<end], at: now, into: &outputs)
    case .acknowledge:
      acknowledged(block.number, at: now, into: &outputs)
    case .negativeAcknowledge:
      if isBusy { return remind(at: now, into: &outputs) }
      if block.number == number { return repeatLast(at: now, into: &outputs) }
      send(.acknowledge, at: now, into: &outputs)
    case .waitingTimeExtension:
      let information = frame.bytes[block.byteCount..<end]
      granted(information, at: now, into: &outputs)
    case .deselect:
      stopTimer(into: &outputs)
      phase = .ended
      responseReady = nil
      send(.deselect, at: now, into: &outputs)
      outputs.append(.deselected)
    case .parameters:
      // S(PARAMETERS) is optional; a card without it stays silent (ISO/IEC 14443-4 9).
      break
    }
  }

  private func isForThisCard(_ block: BlockPrologue) -> Bool {
    if block.nad != nil, parameters.nad == nil { return false }
    guard let own = parameters.cid else { return block.cid == nil }
    return block.cid == own || (own == 0 && block.cid == nil)
  }

  /// Rules D, 2 and 10: a piece of a command.
  private mutating func take(
    _ block: BlockPrologue, _ information: ArraySlice<UInt8>, at now: VirtualInstant,
    into outputs: inout [Output]
  ) {
    // While the application works the card does not listen for commands.
    guard phase == .listening else { return }
    if block.number == number, ignoresRepeatedNumbers { return }
    guard command.count + information.count <= Self.maximumCommandBytes else {
      command = []
      return
    }
    number = number.toggled
    retransmissions = 0
    // A command in place of R(ACK): the reader gave up the rest of the last response.
    response = []
    responseEnd = 0
    if let nad = block.nad { self.nad = nad }
    if block.isChaining {
      command.append(contentsOf: information)
      lastFrame = nil
      return send(.acknowledge, isRepeatable: true, at: now, into: &outputs)
    }
    var complete = command
    command = []
    if complete.isEmpty {
      complete = Array(information)
    } else {
      complete.append(contentsOf: information)
    }
    phase = .working
    responseReady = nil
    startWaiting(timings.frameWaitingTime.duration)
    outputs.append(.command(complete))
    if !answersAtOnce { proceed(at: now, into: &outputs) }
  }

  /// Rules E, 11 and 13: an R(ACK), which a reader sends to get the next piece of a response.
  private mutating func acknowledged(
    _ blockNumber: BlockNumber, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    guard phase != .working else { return }
    if blockNumber == number { return repeatLast(at: now, into: &outputs) }
    guard phase == .listening, responseEnd < response.count else { return }
    number = number.toggled
    retransmissions = 0
    sendNextResponseBlock(at: now, into: &outputs)
  }

  /// The reader has granted the time; any other multiplier than the one asked for is no grant.
  private mutating func granted(
    _ information: ArraySlice<UInt8>, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    guard case .asking(let multiplier) = phase, information.count == 1,
      let echoed = information.first, echoed & 0x3F == multiplier
    else { return }
    let limit = timings.frameWaitingTime.extended(by: multiplier)
    outputs.append(.note(.waitingTimeExtended(multiplier: multiplier, granted: limit)))
    phase = .working
    startWaiting(limit)
    proceed(at: now, into: &outputs)
  }

  /// R(NAK) while the application works: the reader's patience is at its end.
  private mutating func remind(at now: VirtualInstant, into outputs: inout [Output]) {
    guard case .automatic = waiting else { return }
    askForTime(at: now, into: &outputs)
  }

  private mutating func repeatLast(at now: VirtualInstant, into outputs: inout [Output]) {
    guard let lastFrame else { return }
    retransmissions += 1
    outputs.append(.note(.retransmission(attempt: retransmissions)))
    emit(lastFrame, at: now, into: &outputs)
  }

  // MARK: Sending

  mutating func sendNextResponseBlock(
    at now: VirtualInstant, into outputs: inout [Output]
  ) {
    var header = BlockPrologue(
      .information, number, cid: usesCID ? parameters.cid : nil,
      nad: responseEnd == 0 ? nad : nil)
    let room = parameters.deviceFrameSize - header.byteCount - CRC16.byteCount
    let start = responseEnd
    responseEnd = min(response.count, start + room)
    header.isChaining = responseEnd < response.count
    let frame = header.frame(response[start..<responseEnd], parameters)
    if !header.isChaining {
      response = []
      responseEnd = 0
      nad = nil
    }
    lastFrame = frame
    emit(frame, at: now, into: &outputs)
  }

  mutating func send(
    _ type: BlockType, _ information: ArraySlice<UInt8> = [], isRepeatable: Bool = false,
    at now: VirtualInstant, into outputs: inout [Output]
  ) {
    let header = BlockPrologue(type, number, cid: usesCID ? parameters.cid : nil)
    let frame = header.frame(information, parameters)
    if isRepeatable || type == .waitingTimeExtension { lastFrame = frame }
    emit(frame, at: now, into: &outputs)
  }

  private mutating func emit(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    outputs.append(.send(frame, after: max(.zero, earliestAnswer - now)))
  }
}
