public import NFCProtocols

/// The chip of a recording: it answers a driver as recorded, at the recorded times.
///
/// Below matching: an ACK of the host while the chip works ends the command, a NACK brings the
/// last response again, a command that comes again before its answer is answered again.
public struct ReplayedChip: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  private var coding: LinkCoding
  private var current: Int?
  private var nextPart = 0
  private var lastResponse: [UInt8] = []

  /// The next ACK or response is due.
  private static let answerTimer = RadioTimer(0)
  /// How soon a response is sent again after a NACK: 1 ms, about one USB round.
  public static let repeatDelay = Nanoseconds.milliseconds(1)

  /// Makes the chip of a script of the layer `chip`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    isForgiving: Bool = false
  ) {
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
    matcher.isForgiving = isForgiving
    coding = LinkCoding(script.framing)
  }

  /// True if a command is at work, so that an ACK or a response is still to come.
  ///
  /// A command that was recorded without a response is at work until something ends it.
  public var isWorking: Bool { current != nil }

  /// Notes exchanges that the host never asked for.
  public mutating func close(at now: VirtualInstant) { matcher.close(at: now) }

  /// The exchange of the command that is due, or of the answer that is under way.
  public func exchangeNumber(of direction: Direction) -> Int {
    switch direction {
    case .outbound: matcher.position + 1
    case .inbound: (current ?? matcher.position - 1) + 1
    }
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .received(let transfer):
      for message in coding.decode(transfer) { take(message, at: now, into: &outputs) }
    case .timer: sendPart(into: &outputs)
    case .sent: schedulePart(at: now, into: &outputs)
    case .start, .fieldChanged, .receiving, .application, .applicationEnded: break
    }
  }

  private mutating func take(
    _ message: LinkCoding.Message, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard matcher.divergence == nil else { return }
    switch message {
    case .body(let body): command(RadioFrame(body), at: now, into: &outputs)
    case .ack: stopWorking(into: &outputs)
    case .nack:
      guard !lastResponse.isEmpty else { return }
      outputs.append(.note(.retransmission(attempt: 1)))
      outputs.append(.send(coding.encode(lastResponse), after: Self.repeatDelay))
    case .garbage: break
    }
  }

  private mutating func command(
    _ command: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    if let index = current, isRepetition(command, of: index) {
      outputs.append(.note(.retransmission(attempt: 1)))
      nextPart = 0
      schedulePart(at: now, into: &outputs)
      return
    }
    // A new command ends the one that runs.
    stopWorking(into: &outputs)
    guard let index = matcher.take(command, at: now) else {
      if matcher.divergence != nil || matcher.hasReachedCut { outputs.append(.finished) }
      return
    }
    current = index
    nextPart = 0
    schedulePart(at: now, into: &outputs)
  }

  private func isRepetition(_ command: RadioFrame, of index: Int) -> Bool {
    let entries = matcher.script.entries
    guard command.bytes == entries[index].command.bytes else { return false }
    let isNext =
      matcher.position < entries.count
      && entries[matcher.position].command.bytes == command.bytes
    return !isNext
  }

  private mutating func stopWorking(into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    outputs.append(.cancelTimer(Self.answerTimer))
    matcher.agree(index)
    current = nil
  }

  private mutating func schedulePart(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let answers = matcher.script.entries[index].answers
    guard nextPart < answers.count else {
      // A command that was never answered stays at work until something ends it.
      if answers.contains(where: { !$0.frame.bytes.isEmpty }) { stopWorking(into: &outputs) }
      return
    }
    outputs.append(.setTimer(Self.answerTimer, at: now + answers[nextPart].delay))
  }

  private mutating func sendPart(into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let message = matcher.script.entries[index].answers[nextPart].frame.bytes
    nextPart += 1
    if !message.isEmpty { lastResponse = message }
    outputs.append(.send(coding.encode(message), after: .zero))
  }
}
