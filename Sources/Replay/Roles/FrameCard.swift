public import NFCProtocols

/// The card of a recording at the layer of frames: it answers exactly what was recorded, when it
/// was recorded, to exactly the recorded frames.
public struct FrameCard: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  private var current: Int?
  private var nextPart = 0

  /// Makes the card of a script of the layer `radio`.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    isForgiving: Bool = false
  ) {
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
    matcher.isForgiving = isForgiving
  }

  /// Notes exchanges that the reader never asked for.
  public mutating func close(at now: VirtualInstant) { matcher.close(at: now) }

  /// The exchange of the command that is due, or of the answer that is under way.
  public func exchangeNumber(of direction: Direction) -> Int {
    switch direction {
    case .outbound: matcher.position + 1
    case .inbound: (current ?? -1) + 1
    }
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .received(let frame):
      guard matcher.divergence == nil else { return }
      guard let index = matcher.take(frame, at: now) else {
        if matcher.divergence != nil || matcher.hasReachedCut { outputs.append(.finished) }
        return
      }
      current = index
      nextPart = 0
      answer(into: &outputs)
    case .sent:
      answer(into: &outputs)
    case .start, .fieldChanged, .receiving, .timer, .application, .applicationEnded:
      break
    }
  }

  private mutating func answer(into outputs: inout [RadioOutput]) {
    guard let index = current else { return }
    guard nextPart < matcher.script.entries[index].answers.count else {
      if nextPart >= 0 { matcher.agree(index) }
      nextPart = -1
      current = nil
      return
    }
    let answer = matcher.script.entries[index].answers[nextPart]
    nextPart += 1
    outputs.append(.send(answer.frame, after: answer.delay))
  }
}
