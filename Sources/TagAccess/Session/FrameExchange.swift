import NFCProtocols

/// A frame that wants an answer outside of the block protocol.
struct FrameRequest: Hashable, Sendable {
  var step: TagAccessError.Step
  var frame: RadioFrame
  var limit: TimeLimit
  /// How often the frame is sent in all.
  var attempts: Int
}

/// One command and its answer, with repetition after silence.
struct FrameExchange: Sendable {
  /// The timer of the limit.
  static let timer = RadioTimer(1)

  enum Outcome: Hashable, Sendable {
    case answer(RadioFrame)
    case silence(waited: Nanoseconds)
  }

  private(set) var request: FrameRequest
  private(set) var sendings = 0
  private var isTransmitting = false
  private var isTimerRunning = false
  private var firstEnd: VirtualInstant?

  init(_ request: FrameRequest) { self.request = request }

  /// Sends the frame, not before `earliest`.
  mutating func send(
    at now: VirtualInstant, earliest: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    sendings += 1
    isTransmitting = true
    outputs.append(.send(request.frame, after: max(.zero, earliest - now)))
  }

  /// True if the frame may be sent once more.
  var mayRepeat: Bool { sendings < request.attempts }

  /// Takes an input; gives an outcome when the last attempt has one.
  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) -> Outcome? {
    switch input {
    case .sent where isTransmitting:
      isTransmitting = false
      if firstEnd == nil { firstEnd = now }
      isTimerRunning = true
      outputs.append(.awaitAnswer(request.limit))
      // An answer at the limit is in time, so the timer runs out one nanosecond later.
      outputs.append(
        .setTimer(Self.timer, at: now + request.limit.duration + Nanoseconds(1)))
      return nil
    case .receiving where !isTransmitting:
      stopTimer(into: &outputs)
      return nil
    case .received(let frame) where !isTransmitting:
      stopTimer(into: &outputs)
      return .answer(frame)
    case .timer(Self.timer) where isTimerRunning:
      isTimerRunning = false
      if mayRepeat {
        outputs.append(.note(.limitExceeded(request.limit, attempt: sendings)))
        outputs.append(.note(.retransmission(attempt: sendings)))
        send(at: now, earliest: now, into: &outputs)
        return nil
      }
      return .silence(waited: now - (firstEnd ?? now))
    default:
      return nil
    }
  }

  private mutating func stopTimer(into outputs: inout [RadioOutput]) {
    guard isTimerRunning else { return }
    isTimerRunning = false
    outputs.append(.cancelTimer(Self.timer))
  }
}
