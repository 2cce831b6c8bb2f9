/// One side of the air as a state machine: a reader or a card, real, recorded or modelled.
///
/// An endpoint takes one input at an instant and returns commands; it never reads a clock, sleeps
/// or calls out. Whoever drives it owns time: `Replay` on a virtual clock, a driver on a real one.
public protocol RadioEndpoint {
  /// Takes one input and appends the commands that it causes to `outputs`, in order.
  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput])
}

/// What can happen to an endpoint.
public enum RadioInput: Hashable, Sendable {
  /// The run begins. Sent once, before everything else.
  case start
  /// The field of the reader is now on or off. Sent to the card side only.
  case fieldChanged(isOn: Bool)
  /// The first bit of a frame from the other side is arriving; its `received` follows.
  ///
  /// Limits are kept by the start of an answer: an endpoint that gets this in time waits for the
  /// whole frame. A driver must send it for every frame, before timers of a later instant.
  case receiving
  /// The last bit of a frame from the other side has arrived.
  case received(RadioFrame)
  /// The last bit of this endpoint's own frame has left.
  case sent
  /// A timer that this endpoint set has run out.
  case timer(RadioTimer)
  /// The application behind this endpoint has an answer or a next command; see `ApplicationLink`.
  case application([UInt8])
  /// The application has nothing more to say and the endpoint should end in good order.
  case applicationEnded
}

/// What an endpoint may ask for.
public enum RadioOutput: Hashable, Sendable {
  /// Switch the field on or off. Reader side only.
  case field(isOn: Bool)
  /// Send a frame whose first bit leaves `after` from now.
  case send(RadioFrame, after: Nanoseconds)
  /// Set a timer, replacing a running one of the same name.
  case setTimer(RadioTimer, at: VirtualInstant)
  /// Cancel a timer; harmless if it is not running.
  case cancelTimer(RadioTimer)
  /// From the end of the frame just sent, an answer is due within this limit. For reports only.
  case awaitAnswer(TimeLimit)
  /// Hand bytes to the application behind this endpoint: a response APDU to a reader program,
  /// or a command APDU to a card program.
  case application([UInt8])
  /// Something worth a line in the run log, below the level of bytes (a retry, a granted WTX).
  case note(RadioNote)
  /// This endpoint has nothing more to do. What came of it is its own typed result.
  case finished
}

/// The name of a timer of an endpoint; each endpoint has its own names.
public struct RadioTimer: Hashable, Sendable {
  /// The number behind the name.
  public var rawValue: UInt8
  /// Makes a timer name from a number.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }
}

/// A limit within which an answer must begin.
public struct TimeLimit: Hashable, Sendable {
  /// Which rule sets the limit.
  public var kind: Kind
  /// The time from the end of the command to the start of the answer.
  public var duration: Nanoseconds

  /// Makes a limit.
  public init(_ kind: Kind, _ duration: Nanoseconds) {
    self.kind = kind
    self.duration = duration
  }

  /// The rules that set limits.
  public enum Kind: UInt8, Hashable, Sendable {
    /// Frame waiting time of ISO/IEC 14443-4 from the ATS or ATQB.
    case frameWaitingTime
    /// Frame waiting time as extended by one S(WTX).
    case waitingTimeExtension
    /// Activation frame waiting time (RATS, PPS, DESELECT).
    case activation
    /// Fixed answer time of the technology (REQA, SELECT, inventory, polling).
    case frameDelayTime
    /// A limit that the application or its caller chose.
    case application
    /// The longest answer time that a data sheet or the card itself states (READ of Type 2 tags,
    /// PMm of FeliCa).
    case responseTime
  }
}

/// Events below the level of matched bytes.
public enum RadioNote: Hashable, Sendable {
  /// No answer in time; what the endpoint does about it follows as a `send`.
  case limitExceeded(TimeLimit, attempt: Int)
  /// The card asked for more time and got it.
  case waitingTimeExtended(multiplier: UInt8, granted: Nanoseconds)
  /// An answer began after its limit; if it still fits the exchange it is used all the same.
  case lateAnswer(by: Nanoseconds, TimeLimit)
  /// A fault that was asked for makes this endpoint's answer late.
  case delayed(by: Nanoseconds)
  /// A block was sent again.
  case retransmission(attempt: Int)
  /// A session has begun: the reader has activated this card, or the card was activated.
  case activated(Technology, identifier: [UInt8])
  /// The session was ended by the reader, in good order.
  case deselected
  /// An application answered a command of a session that was over; nothing was sent.
  case answerDropped(byteCount: Int)
  /// The endpoint gave the other side up.
  case gaveUp
}
