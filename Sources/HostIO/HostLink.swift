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
}

/// Something that happened on a link.
public struct HostLinkEvent: Hashable, Sendable {
  /// When the transfer completed, on the clock of the link.
  public var at: Nanoseconds
  /// What happened.
  public var kind: Kind

  /// Makes an event.
  public init(at: Nanoseconds, _ kind: Kind) {
    self.at = at
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
  /// The address is not understood; what is wrong with it and what addresses look like.
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
