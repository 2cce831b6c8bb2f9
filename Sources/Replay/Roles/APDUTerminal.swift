public import NFCProtocols
import TagAccess

/// The reader of a recording at the layer of APDUs: activation, blocks and recovery are played by
/// `APDUSession`; the recorded commands go out after the recorded pauses and what comes back is
/// compared.
public struct APDUTerminal: ReplayEndpoint, Sendable {
  /// The comparison so far.
  public private(set) var matcher: ScriptMatcher
  private var session: APDUSession
  private let configuration: TagReaderConfiguration
  private var current: Int?
  private var lastAnswer = VirtualInstant.start
  private var hasEnded = false
  private var isReopening = false
  private var isActive = false
  private var scratch: [RadioOutput] = []

  /// The next command is due; sessions use small numbers.
  private static let commandTimer = RadioTimer(200)
  /// The field comes back for the next session.
  private static let reopenTimer = RadioTimer(201)

  /// Makes the terminal of a script of the layer `apdu`.
  ///
  /// - Parameters:
  ///   - retries: How often one block is asked for again.
  ///   - waitingTimeMargin: ΔFWT, added to every frame waiting time.
  public init(
    _ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none,
    retries: Int = RecoveryPolicy.defaultAttempts, waitingTimeMargin: Nanoseconds = .zero
  ) {
    matcher = ScriptMatcher(script, policy: policy, masks: masks)
    var configuration = TagReaderConfiguration([.a])
    configuration.recovery.attempts = retries
    configuration.waitingTimeMargin = waitingTimeMargin
    self.configuration = configuration
    session = APDUSession(configuration)
  }

  /// True if the whole script has been played.
  public var isComplete: Bool { matcher.isExhausted && matcher.divergence == nil }

  /// The exchange under way; 0 during activation.
  public func exchangeNumber(of direction: Direction) -> Int {
    guard isActive, let current else { return 0 }
    return current + 1
  }

  /// Limits of activation and DESELECT belong to no exchange of APDUs.
  public func exchangeNumber(of limit: TimeLimit) -> Int {
    limit.isBelowAPDUs ? 0 : exchangeNumber(of: .outbound)
  }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard !hasEnded else { return }
    switch input {
    case .start:
      pass(.start, at: now, into: &outputs)
      if matcher.script.entries.isEmpty {
        pass(.applicationEnded, at: now, into: &outputs)
      } else {
        sendNext(at: now, into: &outputs)
      }
    case .timer(Self.commandTimer): sendNext(at: now, into: &outputs)
    case .timer(Self.reopenTimer): reopen(at: now, into: &outputs)
    default: pass(input, at: now, into: &outputs)
    }
  }

  private mutating func sendNext(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    guard let index = matcher.takeNext() else { return }
    current = index
    pass(
      .application(matcher.script.entries[index].command.bytes), at: now, into: &outputs)
  }

  private mutating func pass(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    session.step(input, at: now, into: &scratch)
    let batch = scratch
    scratch.removeAll(keepingCapacity: true)
    for output in batch where !hasEnded {
      switch output {
      case .application(let response):
        answered(RadioFrame(response), at: now, into: &outputs)
      case .note(.activated):
        isActive = true
        outputs.append(output)
      case .note(.lateAnswer(let delay, let limit)) where !matcher.policy.contains(.allowLate):
        outputs.append(output)
        answerIsLate(by: delay, limit, at: now, into: &outputs)
      case .finished:
        sessionEnded(at: now, into: &outputs)
      default:
        outputs.append(output)
      }
    }
  }

  private mutating func answered(
    _ response: RadioFrame, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard let index = current else { return }
    guard matcher.check(response, against: index, at: now) else {
      return finish(into: &outputs)
    }
    matcher.agree(index)
    scheduleNext(at: now, into: &outputs)
  }

  private mutating func scheduleNext(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    let entries = matcher.script.entries
    guard matcher.position < entries.count else {
      return pass(.applicationEnded, at: now, into: &outputs)
    }
    let next = entries[matcher.position]
    if next.fieldReset != nil {
      isReopening = true
      return pass(.applicationEnded, at: now, into: &outputs)
    }
    outputs.append(.setTimer(Self.commandTimer, at: now + next.gap))
  }

  /// The session is over: because all was said, for a new activation, or because it failed.
  private mutating func sessionEnded(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    if case .failure(let error)? = session.result {
      guard let index = current, matcher.divergence == nil else { return finish(into: &outputs) }
      if matcher.script.entries[index].answers.isEmpty {
        // The recorded card fell silent here as well.
        matcher.agree(index)
        isReopening = !matcher.isExhausted
      } else {
        matcher.diverge(divergence(of: error, index, at: now))
      }
    }
    guard isReopening, matcher.divergence == nil, matcher.position < matcher.script.entries.count
    else { return finish(into: &outputs) }
    let entry = matcher.script.entries[matcher.position]
    let pause = entry.fieldReset?.duration ?? APDULifting.sessionPause
    outputs.append(.field(isOn: false))
    outputs.append(.setTimer(Self.reopenTimer, at: now + pause))
  }

  private mutating func reopen(at now: VirtualInstant, into outputs: inout [RadioOutput]) {
    isReopening = false
    isActive = false
    current = nil
    session = APDUSession(configuration)
    pass(.start, at: now, into: &outputs)
    sendNext(at: now, into: &outputs)
  }

  /// The reader may still take the answer, but not every reader asks again.
  private mutating func answerIsLate(
    by delay: Nanoseconds, _ limit: TimeLimit, at now: VirtualInstant,
    into outputs: inout [RadioOutput]
  ) {
    guard let index = current else { return }
    matcher.diverge(
      Divergence(
        .late, exchange: index + 1, direction: .inbound,
        expected: matcher.script.entries[index].answers.first?.frame, actual: nil, at: now,
        limit: limit, lateBy: delay))
    finish(into: &outputs)
  }

  private mutating func finish(into outputs: inout [RadioOutput]) {
    guard !hasEnded else { return }
    hasEnded = true
    outputs.append(.finished)
  }

  /// What the failure of a session says about the exchange under way.
  private func divergence(
    of error: TagAccessError, _ index: Int, at now: VirtualInstant
  ) -> Divergence {
    let expected = matcher.script.entries[index].answers.first?.frame
    func make(
      _ kind: Divergence.Kind, limit: TimeLimit? = nil, actual: [UInt8]? = nil
    ) -> Divergence {
      Divergence(
        kind, exchange: index + 1, direction: .inbound, expected: expected,
        actual: actual.map { RadioFrame($0) }, at: now, limit: limit)
    }
    switch error.problem {
    case .blocks(let failure):
      var missing = make(.missing, limit: failure.limit)
      missing.waited = failure.waited
      missing.repetitions = failure.attempts
      return missing
    case .noAnswer(let limit, _, _):
      return make(.missing, limit: limit)
    case .unexpectedAnswer(let bytes, _), .damagedAnswer(let bytes), .malformed(_, let bytes):
      return make(.different, actual: bytes)
    case .noTag, .collision, .refused, .refusedByTag, .unsupported, .chip, .otherTag:
      return make(.missing)
    }
  }
}
