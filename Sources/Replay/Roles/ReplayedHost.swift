public import NFCProtocols

/// The host of a recording: it sends the recorded commands and compares what the chip answers.
///
/// Below matching: a command whose ACK does not come is sent once more; a response that comes
/// where an ACK is due counts for both.
public struct ReplayedHost: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  private var coding: LinkCoding
  private var current: Int?
  private var part = 0
  private var resends = 0
  private var waitStart = VirtualInstant.start
  private var hasEnded = false
  private var isOverdue = false

  private static let commandTimer = RadioTimer(0)
  private static let limitTimer = RadioTimer(1)

  /// Within this time the ACK of a command is due: 15 ms, UM0701 6.2.3.
  public static let acknowledgeLimit = Nanoseconds.milliseconds(15)

  /// Makes the host of a script of the layer `chip`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none
  ) {
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
    coding = LinkCoding(script.framing)
  }

  /// True if the whole script has been played.
  public var isComplete: Bool { matcher.isExhausted && matcher.divergence == nil }

  /// The exchange under way, or the next one.
  public func exchangeNumber(of direction: Direction) -> Int {
    (current ?? matcher.position) + 1
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard !hasEnded else { return }
    switch input {
    case .start: scheduleNext(at: now, into: &outputs)
    case .timer(Self.commandTimer): sendNext(into: &outputs)
    case .timer: limitPassed(at: now, into: &outputs)
    case .sent: listen(at: now, into: &outputs)
    case .received(let transfer):
      for message in coding.decode(transfer) where !hasEnded {
        answered(message, at: now, into: &outputs)
      }
    case .fieldChanged, .receiving, .application, .applicationEnded: break
    }
  }

  private mutating func scheduleNext(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    if let index = current { matcher.agree(index) }
    current = nil
    guard !matcher.isExhausted else {
      hasEnded = true
      outputs.append(.finished)
      return
    }
    let gap = matcher.script.entries[matcher.position].gap
    outputs.append(.setTimer(Self.commandTimer, at: now + gap))
  }

  private mutating func sendNext(into outputs: inout [RadioOutput]) {
    guard let index = matcher.takeNext() else { return }
    current = index
    part = 0
    resends = 0
    sendCommand(index, into: &outputs)
  }

  private func sendCommand(_ index: Int, into outputs: inout [RadioOutput]) {
    outputs.append(
      .send(coding.encode(matcher.script.entries[index].command.bytes), after: .zero))
  }

  private mutating func listen(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let entry = matcher.script.entries[index]
    guard part < entry.answers.count else { return scheduleNext(at: now, into: &outputs) }
    waitStart = now
    isOverdue = false
    let limit = limit(of: entry)
    if !entry.answers[part].frame.bytes.isEmpty { outputs.append(.awaitAnswer(limit)) }
    outputs.append(.setTimer(Self.limitTimer, at: now + limit.duration + Nanoseconds(1)))
  }

  private func limit(of entry: ScriptEntry) -> TimeLimit {
    let answer = entry.answers[part]
    return answer.frame.bytes.isEmpty
      ? TimeLimit(.application, max(Self.acknowledgeLimit, answer.delay)) : entry.limit
  }

  private mutating func limitPassed(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let entry = matcher.script.entries[index]
    let limit = limit(of: entry)
    if entry.answers[part].frame.bytes.isEmpty, resends == 0 {
      resends = 1
      outputs.append(.note(.limitExceeded(limit, attempt: 1)))
      sendCommand(index, into: &outputs)
      return
    }
    if !isOverdue {
      isOverdue = true
      outputs.append(.note(.limitExceeded(limit, attempt: resends + 1)))
      outputs.append(.setTimer(Self.limitTimer, at: now + FrameTerminal.lateListening))
      return
    }
    end(
      Divergence(
        .missing, exchange: index + 1, direction: .inbound, expected: entry.answers[part].frame,
        actual: nil, at: now, limit: limit),
      into: &outputs)
  }

  private mutating func answered(
    _ message: LinkCoding.Message, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    let bytes: [UInt8]
    switch message {
    case .body(let body): bytes = body
    case .ack: bytes = []
    case .nack, .garbage: return
    }
    guard let index = current else {
      // Of the second ACK after a command that was sent twice nothing is made.
      if bytes.isEmpty { return }
      end(
        Divergence(
          .unexpected, exchange: max(1, matcher.position), direction: .inbound, expected: nil,
          actual: RadioFrame(bytes), at: now),
        into: &outputs)
      return
    }
    let entry = matcher.script.entries[index]
    if isOverdue {
      let limit = limit(of: entry)
      end(
        Divergence(
          .late, exchange: index + 1, direction: .inbound, expected: entry.answers[part].frame,
          actual: RadioFrame(bytes), at: now, limit: limit,
          lateBy: now - waitStart - limit.duration),
        into: &outputs)
      return
    }
    let isAcknowledgeDue = part < entry.answers.count && entry.answers[part].frame.bytes.isEmpty
    if bytes.isEmpty, !isAcknowledgeDue { return }
    if !bytes.isEmpty, isAcknowledgeDue { part += 1 }
    guard matcher.check(RadioFrame(bytes), against: index, part: part, at: now) else {
      hasEnded = true
      outputs.append(.finished)
      return
    }
    part += 1
    outputs.append(.cancelTimer(Self.limitTimer))
    listen(at: now, into: &outputs)
  }

  private mutating func end(_ divergence: Divergence, into outputs: inout [RadioOutput]) {
    matcher.diverge(divergence)
    hasEnded = true
    outputs.append(.finished)
  }
}
