public import NFCProtocols

/// A link to a reader over which bytes go out and come in: USB, a serial line, a model in process.
///
/// One thread owns a link. Stamps are taken when a transfer completes, on the clock of the link,
/// which is monotonic and need not be that of the machine: a model has virtual time.
public protocol HostLink: ~Copyable {
  /// The time on the clock of the link.
  var now: Nanoseconds { get }
  /// Begins to send one transfer; its end is reported as `sent`.
  mutating func send(_ bytes: [UInt8]) throws(HostLinkError)
  /// Waits for the next event, or until `deadline`, or for ever; `nil` means the deadline passed.
  mutating func nextEvent(until deadline: Nanoseconds?) throws(HostLinkError) -> HostLinkEvent?
  /// Hands events to `handle` until it says `stop`; `nil` is handed on when a deadline has passed.
  ///
  /// What `handle` appends to its second argument is sent in order. A link may stay inside the
  /// system's event handling all the while, which costs fewer system calls than `nextEvent`.
  /// - Parameter deadline: When `nil` is due at the start; `handle` sets the later ones.
  mutating func run(
    until deadline: Nanoseconds?,
    _ handle: (HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep
  ) throws(HostLinkError)
}

extension HostLink where Self: ~Copyable {
  /// Waits for one event after the other.
  public mutating func run(
    until deadline: Nanoseconds?,
    _ handle: (HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep
  ) throws(HostLinkError) {
    var deadline = deadline
    var outgoing: [[UInt8]] = []
    while true {
      let event = try nextEvent(until: deadline)
      let step = handle(event, &outgoing)
      for bytes in outgoing { try send(bytes) }
      outgoing.removeAll(keepingCapacity: true)
      guard case .wait(let next) = step else { return }
      deadline = next
    }
  }
}

/// What is to happen after an event of a link has been handled.
public enum HostLinkStep: Hashable, Sendable {
  /// Wait for the next event, or until a deadline on the clock of the link, or for ever.
  case wait(until: Nanoseconds?)
  /// Give control back.
  case stop
}

/// Something that happened on a link.
public struct HostLinkEvent: Hashable, Sendable {
  /// When the transfer completed, on the clock of the link.
  public var at: Nanoseconds
  /// When the transfer of `sent` was handed to the system, if the link tells.
  public var began: Nanoseconds?
  /// What happened.
  public var kind: Kind

  /// Makes an event.
  public init(at: Nanoseconds, began: Nanoseconds? = nil, _ kind: Kind) {
    self.at = at
    self.began = began
    self.kind = kind
  }

  /// What can happen on a link.
  public enum Kind: Hashable, Sendable {
    /// The bytes of the oldest `send` have left.
    case sent
    /// Bytes have come in; a transfer on USB, a piece of any size on a serial line.
    case received([UInt8])
    /// The reader refused a transfer (STALL); the link has been cleared since.
    case stalled
    /// Whoever waits was woken from outside, to look whether the user wants to end.
    case interrupted
  }
}

/// Why a link to a reader cannot be had or has ended.
public enum HostLinkError: Error, Hashable, Sendable {
  /// No reader answers to the address.
  case notFound(address: String)
  /// The address is not understood: what is wrong with it, in words.
  case badAddress(String, reason: String)
  /// The device is there but this user may not open it.
  case noPermission(path: String)
  /// Another program or a kernel driver holds the reader; its name where it can be had.
  case busy(address: String, holder: String?)
  /// The reader has gone: pulled out, or its other end was closed.
  case gone
  /// A transfer did not end in time; in which step and how long it was waited.
  case timedOut(step: String, waited: Nanoseconds)
  /// The system reported something else.
  case failed(step: String, reason: String)
}
