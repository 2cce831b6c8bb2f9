public import NFCProtocols

/// The reader of a recording at the layer of frames: it sends the recorded frames after the
/// recorded pauses and compares what comes back.
public struct FrameTerminal: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  private let waitingTimeMargin: Nanoseconds
  private var current: Int?
  private var part = 0
  private var phase = Phase.idle
  /// When the frame ended after which an answer is due.
  private var waitStart = VirtualInstant.start

  private enum Phase: Sendable {
    case idle, sending, awaiting, receiving, overdue, ended
  }

  /// The next command is due.
  private static let commandTimer = RadioTimer(0)
  /// The limit of the awaited answer has passed.
  private static let limitTimer = RadioTimer(1)
  /// The field goes off, and on again.
  private static let fieldOffTimer = RadioTimer(2)
  private static let fieldOnTimer = RadioTimer(3)

  /// How long a terminal goes on listening after a limit, to tell how late an answer is: longer
  /// than the longest frame waiting time (FWI 14, 4.95 s).
  public static let lateListening = Nanoseconds.seconds(5)

  /// Makes the terminal of a script of the layer `radio`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    waitingTimeMargin: Nanoseconds = .zero
  ) {
    self.waitingTimeMargin = waitingTimeMargin
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
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
    guard phase != .ended else { return }
    switch input {
    case .start:
      outputs.append(.field(isOn: true))
      scheduleNext(at: now, into: &outputs)
    case .timer(Self.commandTimer): sendNext(into: &outputs)
    case .timer(Self.fieldOffTimer): outputs.append(.field(isOn: false))
    case .timer(Self.fieldOnTimer): outputs.append(.field(isOn: true))
    case .timer: limitPassed(at: now, into: &outputs)
    case .sent: listen(at: now, into: &outputs)
    case .receiving: answerBegins(at: now, into: &outputs)
    case .received(let frame): answered(frame, at: now, into: &outputs)
    case .fieldChanged, .application, .applicationEnded: break
    }
  }

  private mutating func scheduleNext(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    if let index = current { matcher.agree(index) }
    current = nil
    phase = .idle
    guard !matcher.isExhausted else {
      phase = .ended
      outputs.append(.finished)
      return
    }
    let entry = matcher.script.entries[matcher.position]
    var start = now + entry.gap
    if let reset = entry.fieldReset {
      let off = now + reset.offAfter
      outputs.append(.setTimer(Self.fieldOffTimer, at: off))
      outputs.append(.setTimer(Self.fieldOnTimer, at: off + reset.duration))
      start = off + reset.duration + entry.gap
    }
    outputs.append(.setTimer(Self.commandTimer, at: start))
  }

  private mutating func sendNext(into outputs: inout [RadioOutput]) {
    guard let index = matcher.takeNext() else { return }
    current = index
    part = 0
    phase = .sending
    outputs.append(.send(matcher.script.entries[index].command, after: .zero))
  }

  /// The command, or the part of the answer before the next one, is over.
  private mutating func listen(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let entry = matcher.script.entries[index]
    guard part < entry.answers.count else { return scheduleNext(at: now, into: &outputs) }
    phase = .awaiting
    waitStart = now
    let limit = limit(of: entry)
    if part == 0 { outputs.append(.awaitAnswer(limit)) }
    outputs.append(.setTimer(Self.limitTimer, at: now + limit.duration + Nanoseconds(1)))
  }

  /// Further answers to one command have no limit in the standards: as long as was recorded.
  private func limit(of entry: ScriptEntry) -> TimeLimit {
    var limit = entry.limit
    if limit.kind == .frameWaitingTime || limit.kind == .waitingTimeExtension {
      limit.duration += waitingTimeMargin
    }
    if part > 0 { limit.duration = max(limit.duration, entry.answers[part].delay) }
    return limit
  }

  private mutating func answerBegins(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    switch phase {
    case .awaiting:
      phase = .receiving
      outputs.append(.cancelTimer(Self.limitTimer))
    case .overdue:
      guard let index = current else { return }
      let entry = matcher.script.entries[index]
      let limit = limit(of: entry)
      if matcher.policy.contains(.allowLate) {
        phase = .receiving
        return outputs.append(.cancelTimer(Self.limitTimer))
      }
      end(
        Divergence(
          .late, exchange: index + 1, direction: .inbound, expected: entry.answers[part].frame,
          actual: nil, at: now, limit: limit, lateBy: now - waitStart - limit.duration),
        into: &outputs)
    case .idle, .sending, .receiving, .ended:
      break
    }
  }

  private mutating func limitPassed(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    let entry = matcher.script.entries[index]
    let limit = limit(of: entry)
    guard phase == .overdue else {
      phase = .overdue
      outputs.append(.note(.limitExceeded(limit, attempt: 1)))
      outputs.append(.setTimer(Self.limitTimer, at: now + Self.lateListening))
      return
    }
    end(
      Divergence(
        .missing, exchange: index + 1, direction: .inbound, expected: entry.answers[part].frame,
        actual: nil, at: now, limit: limit),
      into: &outputs)
  }

  private mutating func answered(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard let index = current else {
      // A frame after recorded silence belongs to the command before.
      end(
        Divergence(
          .unexpected, exchange: max(1, matcher.position), direction: .inbound, expected: nil,
          actual: frame, at: now),
        into: &outputs)
      return
    }
    guard matcher.check(frame, against: index, part: part, at: now) else {
      phase = .ended
      outputs.append(.finished)
      return
    }
    part += 1
    listen(at: now, into: &outputs)
  }

  private mutating func end(_ divergence: Divergence, into outputs: inout [RadioOutput]) {
    matcher.diverge(divergence)
    phase = .ended
    outputs.append(.finished)
  }
}
