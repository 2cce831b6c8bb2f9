/// The card's half of the block protocol of ISO/IEC 14443-4 clause 7, as a state machine.
///
/// It takes whole frames with CRC and gives whole frames. Commands go to an application, whose
/// responses come back whenever they are ready; the card asks for more time by itself if its
/// `WaitingPolicy` says so. A damaged block, and one for another card, gets no answer.
public struct IsoDepTarget: Sendable {
  /// What can happen to the card's half.
  public enum Input: Hashable, Sendable {
    /// The last bit of a frame of the reader has arrived.
    case received(RadioFrame)
    /// The last bit of the frame that was to be sent has left.
    case sent
    /// The application's response to the last command; it is ready `after` from now.
    case response([UInt8], after: Nanoseconds)
    /// The timer has run out.
    case timerFired
  }

  /// What the card's half asks for.
  public enum Output: Hashable, Sendable {
    /// Send a frame whose first bit leaves `after` from now.
    case send(RadioFrame, after: Nanoseconds)
    /// Set the timer, replacing a running one.
    case setTimer(at: VirtualInstant)
    /// Stop the timer.
    case cancelTimer
    /// A command APDU for the application.
    case command([UInt8])
    /// The reader has ended the session; the card goes to the state HALT.
    case deselected
    /// Something for the run log.
    case note(RadioNote)
  }

  /// When a card whose application is slow asks for more time.
  public enum WaitingPolicy: Hashable, Sendable {
    /// Never: the answer comes when it comes, be it too late.
    case off
    /// After this share of the limit in force, in percent, with this multiplier.
    case automatic(percent: Int64, multiplier: UInt8)

    /// After three quarters of the limit, for one more frame waiting time.
    public static let standard = WaitingPolicy.automatic(percent: 75, multiplier: 1)
  }

  /// The longest command APDU: an extended one with Lc and Le (ISO/IEC 7816-4 5.1).
  public static let maximumCommandBytes = 65_544

  enum Phase: Hashable, Sendable {
    /// A block of the reader is due.
    case listening
    /// The application works on a command.
    case working
    /// S(WTX) was sent, the reader has not granted it yet.
    case asking(multiplier: UInt8)
    /// The session is over.
    case ended
  }

  /// The agreed sizes and names.
  public let parameters: IsoDepParameters
  /// The times in force.
  public let timings: IsoDepTimings
  /// When to ask for more time.
  public let waiting: WaitingPolicy
  /// True if the application always hands over its response, with the time that it takes, before
  /// anything else happens; saves a timer for each command.
  public var answersAtOnce = false
  /// True if an I-block with the number of the one before is passed over.
  ///
  /// No reader that keeps the rules sends one, and the note to rule D lets a card do so; a second
  /// delivery of the same command to the application would be worse than silence.
  public var ignoresRepeatedNumbers = true

  var phase = Phase.listening
  var number = BlockNumber.one
  var command: [UInt8] = []
  var response: [UInt8] = []
  var responseEnd = 0
  /// When the response is ready, once the application has told.
  var responseReady: VirtualInstant?
  /// The last block sent, for rule 11.
  var lastFrame: RadioFrame?
  /// When the last frame of the reader ended, and the last bit of it for the grid of delays.
  var receivedEnd = VirtualInstant.start
  var receivedLastBit = false
  /// True if blocks of this exchange carry the CID.
  var usesCID = false
  var nad: UInt8?
  var extensionDue: VirtualInstant?
  var isTimerRunning = false
  var retransmissions = 0

  /// Makes the card's half of a session that has just begun.
  public init(
    _ parameters: IsoDepParameters, timings: IsoDepTimings = IsoDepTimings(),
    waiting: WaitingPolicy = .standard
  ) {
    if case .automatic(let percent, let multiplier) = waiting {
      precondition((1...100).contains(percent), "a share of a limit is 1 to 100 percent")
      precondition(
        Block.legalMultipliers.contains(multiplier), "a card may ask for WTXM 1 to 59")
    }
    self.parameters = parameters
    self.timings = timings
    self.waiting = waiting
  }

  /// True if the application owes a response.
  public var awaitsResponse: Bool {
    switch phase {
    case .working, .asking: responseReady == nil
    case .listening, .ended: false
    }
  }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: Input, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    switch input {
    case .received(let frame):
      received(frame, at: now, into: &outputs)
    case .sent:
      break
    case .response(let bytes, let delay):
      // A response that nobody waits for belongs to a command that was given up.
      guard awaitsResponse else { return }
      response = bytes
      responseEnd = 0
      responseReady = now + delay
      if phase == .working { proceed(at: now, into: &outputs) }
    case .timerFired:
      guard isTimerRunning else { return }
      isTimerRunning = false
      if phase == .working { proceed(at: now, into: &outputs) }
    }
  }

  // MARK: Time

  /// Answers, asks for more time, or waits for the earlier of the two.
  mutating func proceed(at now: VirtualInstant, into outputs: inout [Output]) {
    if let ready = responseReady, ready <= max(now, earliestAnswer) {
      return answer(at: now, into: &outputs)
    }
    if let due = extensionDue, due <= now {
      return askForTime(at: now, into: &outputs)
    }
    let due = extensionDue ?? responseReady
    guard let due else { return }
    isTimerRunning = true
    outputs.append(.setTimer(at: min(due, responseReady ?? due)))
  }

  mutating func answer(at now: VirtualInstant, into outputs: inout [Output]) {
    stopTimer(into: &outputs)
    phase = .listening
    responseReady = nil
    extensionDue = nil
    sendNextResponseBlock(at: now, into: &outputs)
  }

  mutating func askForTime(at now: VirtualInstant, into outputs: inout [Output]) {
    guard case .automatic(_, let multiplier) = waiting else { return }
    stopTimer(into: &outputs)
    extensionDue = nil
    phase = .asking(multiplier: multiplier)
    send(.waitingTimeExtension, [multiplier], at: now, into: &outputs)
  }

  /// The command is complete, or more time was granted: the limit runs from the frame just taken.
  mutating func startWaiting(_ limit: Nanoseconds) {
    guard case .automatic(let percent, _) = waiting else { return }
    extensionDue = receivedEnd + Nanoseconds(limit.count / 100 * percent)
  }

  mutating func stopTimer(into outputs: inout [Output]) {
    guard isTimerRunning else { return }
    isTimerRunning = false
    outputs.append(.cancelTimer)
  }

  /// The earliest instant at which an answer to the last frame may begin.
  var earliestAnswer: VirtualInstant {
    receivedEnd + shortestDelay
  }

  /// The shortest delay that the rules allow; type A cards at 106 kbit/s answer on a grid.
  private var shortestDelay: Nanoseconds {
    let cycles = timings.cardFrameDelayCycles
    guard parameters.technology == .a, parameters.kilobitsPerSecond == 106 else {
      return .carrierCycles(cycles)
    }
    return FrameDelayTimeA.atLeast(cycles, lastBitIsOne: receivedLastBit).duration
  }
}
