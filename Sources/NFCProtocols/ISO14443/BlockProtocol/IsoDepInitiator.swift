/// The reader's half of the block protocol of ISO/IEC 14443-4 clause 7, as a state machine.
///
/// It takes whole frames with CRC and gives whole frames; it neither sends nor waits. Whoever
/// drives it reports `sent` at the end of each frame of its own, `receiving` and `received` at
/// both ends of each frame of the card, and `timerFired` when the last timer set has run out.
public struct IsoDepInitiator: Sendable {
  /// What can happen to the reader's half.
  public enum Input: Hashable, Sendable {
    /// Send a command APDU; allowed when nothing else is under way.
    case transceive([UInt8])
    /// Ask the card whether it is still there, without an APDU (R(NAK), answered by R(ACK)).
    case checkPresence
    /// End the session in good order.
    case deselect
    /// The last bit of the frame that was to be sent has left.
    case sent
    /// The first bit of a frame of the card has arrived.
    case receiving
    /// The last bit of a frame of the card has arrived.
    case received(RadioFrame)
    /// The timer has run out.
    case timerFired
  }

  /// What the reader's half asks for.
  public enum Output: Hashable, Sendable {
    /// Send a frame whose first bit leaves `after` from now.
    case send(RadioFrame, after: Nanoseconds)
    /// Set the timer, replacing a running one.
    case setTimer(at: VirtualInstant)
    /// Stop the timer.
    case cancelTimer
    /// The answer to the frame just sent is due within this limit; for reports.
    case awaitAnswer(TimeLimit)
    /// The response APDU to the last command.
    case response([UInt8])
    /// The card has answered the presence check.
    case present
    /// The card has confirmed S(DESELECT), or it stayed silent and was left alone.
    case deselected(confirmed: Bool)
    /// The card was given up. The session is over.
    case failed(IsoDepFailure)
    /// Something for the run log.
    case note(RadioNote)
  }

  /// The longest response APDU: 65536 bytes of data and the status word (ISO/IEC 7816-4 5.1).
  public static let maximumResponseBytes = 65_538

  enum Phase: Hashable, Sendable {
    /// Nothing is under way.
    case idle
    /// An I-block was sent; its answer is due.
    case commanding
    /// The card sends its response in a chain; R(ACK) was sent.
    case collecting
    /// R(NAK) was sent to hear whether the card is there.
    case checkingPresence
    /// S(DESELECT) was sent, `failure` is what led to it.
    case deselecting(IsoDepFailure?)
    /// The session is over.
    case ended
  }

  /// The agreed sizes and names.
  public let parameters: IsoDepParameters
  /// The times in force.
  public let timings: IsoDepTimings
  /// The rules for faults.
  public let recovery: RecoveryPolicy

  var phase = Phase.idle
  var number = BlockNumber.zero
  var command: [UInt8] = []
  /// Bytes of the command in blocks up to the current one.
  var commandEnd = 0
  var response: [UInt8] = []
  /// The frame to send again when the card asks for it.
  var commandFrame = RadioFrame([])
  var limit: TimeLimit
  var attempts = 0
  var retransmissions = 0
  var deselectsSent = 0
  var isTransmitting = false
  var isTimerRunning = false
  /// When the block that now awaits its answer was first sent.
  var blockEnd: VirtualInstant?
  /// Until when the answer to the frame last sent may begin.
  var deadline: VirtualInstant?
  /// The first limit that the current block has missed.
  var missedDeadline: VirtualInstant?
  var missedLimit: TimeLimit?
  var exchangeDeadline: VirtualInstant?
  var receptionBegan: VirtualInstant?
  var earliestSending = VirtualInstant.start
  var lateAnswer: Nanoseconds?

  /// Makes the reader's half of a session with a card that has just been activated.
  public init(
    _ parameters: IsoDepParameters, timings: IsoDepTimings = IsoDepTimings(),
    recovery: RecoveryPolicy = RecoveryPolicy()
  ) {
    self.parameters = parameters
    self.timings = timings
    self.recovery = recovery
    limit = timings.ordinaryLimit
  }

  /// True if a command may be sent now.
  public var isIdle: Bool { phase == .idle }

  /// True if the session is over, in good order or not.
  public var hasEnded: Bool { phase == .ended }

  /// Takes one input and appends what it causes to `outputs`, in order.
  public mutating func step(
    _ input: Input, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    switch input {
    case .transceive(let apdu):
      precondition(phase == .idle, "a command was given before the last one had its response")
      command = apdu
      commandEnd = 0
      response = []
      lateAnswer = nil
      phase = .commanding
      exchangeDeadline = recovery.exchangeLimit.map { now + $0 }
      sendNextCommandBlock(at: now, into: &outputs)
    case .checkPresence:
      precondition(phase == .idle, "a presence check was asked for during an exchange")
      phase = .checkingPresence
      beginBlock()
      send(.negativeAcknowledge, at: now, into: &outputs)
    case .deselect:
      guard phase == .idle else { return }
      beginBlock()
      deselect(because: nil, at: now, into: &outputs)
    case .sent:
      frameLeft(at: now, into: &outputs)
    case .receiving:
      receptionBegan = now
      cancelTimer(into: &outputs)
    case .received(let frame):
      received(frame, at: now, into: &outputs)
    case .timerFired:
      timerFired(at: now, into: &outputs)
    }
  }

  /// Gives up whatever is under way, or opens a session again that failed; the block number stays.
  ///
  /// For readers whose host may end a command at any time. A timer that was set means nothing now.
  public mutating func abandon() {
    phase = .idle
    isTransmitting = false
    isTimerRunning = false
    receptionBegan = nil
    deadline = nil
    exchangeDeadline = nil
    command = []
    commandEnd = 0
    response = []
    beginBlock()
  }

  // MARK: Sending

  /// A new block begins: nothing has gone wrong with it yet.
  mutating func beginBlock() {
    attempts = 0
    retransmissions = 0
    blockEnd = nil
    missedDeadline = nil
    limit = timings.ordinaryLimit
  }

  mutating func sendNextCommandBlock(
    at now: VirtualInstant, into outputs: inout [Output]
  ) {
    let isFirst = commandEnd == 0
    var header = BlockPrologue(
      .information, number, cid: parameters.cid, nad: isFirst ? parameters.nad : nil)
    let room = parameters.cardFrameSize - header.byteCount - CRC16.byteCount
    let start = commandEnd
    commandEnd = min(command.count, start + room)
    header.isChaining = commandEnd < command.count
    commandFrame = header.frame(command[start..<commandEnd], parameters)
    beginBlock()
    emit(commandFrame, at: now, into: &outputs)
  }

  mutating func send(
    _ type: BlockType, _ information: ArraySlice<UInt8> = [], at now: VirtualInstant,
    into outputs: inout [Output]
  ) {
    let frame = BlockPrologue(type, number, cid: parameters.cid).frame(information, parameters)
    emit(frame, at: now, into: &outputs)
  }

  mutating func emit(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [Output]
  ) {
    isTransmitting = true
    receptionBegan = nil
    outputs.append(.send(frame, after: max(.zero, earliestSending - now)))
  }

  mutating func frameLeft(at now: VirtualInstant, into outputs: inout [Output]) {
    guard isTransmitting else { return }
    isTransmitting = false
    if blockEnd == nil { blockEnd = now }
    let end = now + limit.duration
    deadline = end
    // An answer at the limit is still in time, so the timer runs out one nanosecond later.
    let waitEnd = exchangeDeadline.map { min($0, end) } ?? end
    isTimerRunning = true
    outputs.append(.awaitAnswer(limit))
    outputs.append(.setTimer(at: max(now, waitEnd) + Nanoseconds(1)))
  }

  mutating func cancelTimer(into outputs: inout [Output]) {
    guard isTimerRunning else { return }
    isTimerRunning = false
    outputs.append(.cancelTimer)
  }
}
