import NFCProtocols

/// The link of an ACR122U: CCID messages, answered one by one, with no acknowledgement or abort.
struct ReaderLink: Hashable, Sendable {
  /// The sequence number of the last message, 1 to 255: 0 is what firmware that counts not sends.
  var sequence: UInt8 = 0
  /// True once the firmware has given a number back, false once it has been seen not to.
  var repeatsSequence: Bool?
  /// Messages given up whose answers may still come.
  var overdue = 0
  var buffer: [UInt8] = []

  /// The most given up messages that are counted.
  static let maximumOverdue = 255

  mutating func nextSequence() -> UInt8 {
    sequence = sequence == 0xFF ? 1 : sequence + 1
    return sequence
  }
}

extension HostEngine {
  mutating func sendMessage(at now: VirtualInstant, into outputs: inout [HostOutput]) {
    guard let request = pending, case .ccid(let usesEscape) = configuration.link else { return }
    var message = CCIDMessage(
      type: usesEscape ? .escape : .transferBlock, sequence: reader.nextSequence(),
      data: request.bytes)
    if case .reader(.powerOn) = request.content { message.type = .powerOn }
    let bytes = message.bytes
    pending?.stamps.commandLength = bytes.count
    send(bytes, into: &outputs)
  }

  mutating func receivedMessage(
    _ bytes: [UInt8], at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    reader.buffer.append(contentsOf: bytes)
    while !reader.buffer.isEmpty {
      let length: Int
      do {
        guard let found = try CCIDMessage.length(of: reader.buffer[...]) else { return }
        length = found
      } catch {
        return dropBuffer(into: &outputs)
      }
      guard reader.buffer[0] & 0x80 != 0 else { return dropBuffer(into: &outputs) }
      guard reader.buffer.count >= length else { return }
      let message = try? CCIDMessage(Array(reader.buffer[..<length]))
      reader.buffer.removeFirst(length)
      if let message { arrived(message, at: now, into: &outputs) }
    }
  }

  private mutating func dropBuffer(into outputs: inout [HostOutput]) {
    note(.corrupt(.unexpectedBytes, byteCount: reader.buffer.count), into: &outputs)
    reader.buffer.removeAll(keepingCapacity: true)
  }

  private mutating func arrived(
    _ message: CCIDMessage, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    guard phase == .sending || phase == .answering, let request = pending,
      isOurs(message, request)
    else {
      reader.overdue = max(0, reader.overdue - 1)
      return note(
        .sequenceMismatch(expected: reader.sequence, found: message.sequence), into: &outputs)
    }
    if message.data.isEmpty, message.parameters.first & 0xC0 == 0x80 {
      note(.timeExtension, into: &outputs)
      guard phase == .answering, let limit = request.timing.limit else { return }
      return setTimer(limit, from: now, into: &outputs)
    }
    switch request.content {
    case .reader: finishRequest(message.data, into: &outputs)
    case .command(let command):
      reply(message, to: command, at: now, into: &outputs)
    }
  }

  /// Decides whether a message answers the pending one.
  ///
  /// Firmware that does not give sequence numbers back (libnfc #666) is known by its zeros: there
  /// the code of the answer decides, and what has none belongs to whatever is overdue.
  private mutating func isOurs(_ message: CCIDMessage, _ request: PendingRequest) -> Bool {
    if message.sequence == reader.sequence {
      reader.repeatsSequence = true
      return true
    }
    guard message.sequence == 0, reader.repeatsSequence != true else { return false }
    if let code = request.code, case .body(let body) = ACR122Envelope.Reply(message.data) {
      guard body[1] == code.response else { return false }
      reader.repeatsSequence = false
      return true
    }
    if case .reader(.powerOn) = request.content { return reader.overdue == 0 }
    return reader.repeatsSequence == false && reader.overdue == 0
  }

  private mutating func finishRequest(_ data: [UInt8], into outputs: inout [HostOutput]) {
    stopTimer(into: &outputs)
    phase = .idle
    pending = nil
    outputs.append(.answered(.success(data)))
  }

  private mutating func reply(
    _ message: CCIDMessage, to command: Command, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    switch ACR122Envelope.Reply(message.data) {
    case .body(let body):
      guard body[1] == command.code.response else {
        return note(.lateAnswer(body), into: &outputs)
      }
      pending?.stamps.answered = now
      pending?.stamps.answerLength = message.data.count + CCIDMessage.headerLength
      finishReply(read(body, command, at: now), at: now, into: &outputs)
    case .moreAvailable(let length):
      guard pending?.isFetching == false else {
        return fail(.notFetched(length: length), at: now, into: &outputs)
      }
      pending?.isFetching = true
      pending?.bytes = [0xFF, 0xC0, 0x00, 0x00, length]
      transmit(at: now, into: &outputs)
    case .chipSilent: fail(.chipSilent, at: now, into: &outputs)
    case .chipError: fail(.syntaxError, at: now, into: &outputs)
    case .empty: fail(.mute(error: message.parameters.second), at: now, into: &outputs)
    case .done(let bytes), .other(let bytes):
      fail(.unexpectedBlock(bytes), at: now, into: &outputs)
    }
  }

  private mutating func fail(
    _ link: LinkFailure, at now: VirtualInstant, into outputs: inout [HostOutput]
  ) {
    finishReply(.failure(failure(link, in: .answering, at: now)), at: now, into: &outputs)
  }

  private mutating func finishReply(
    _ result: Result<Response, CommandFailure>, at now: VirtualInstant,
    into outputs: inout [HostOutput]
  ) {
    stopTimer(into: &outputs)
    phase = .idle
    complete(result, at: now, into: &outputs)
  }
}
