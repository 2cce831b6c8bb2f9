public import NFCProtocols
public import PN53x

/// Is told everything that passes over a session, as it happens.
///
/// Instants are those of the link's clock, taken when a transfer completed. What a recorder does
/// delays the session, so it should only keep what it is given.
public protocol SessionRecorder {
  /// A transfer to the reader has left.
  mutating func sent(_ bytes: [UInt8], submitted: Nanoseconds, left: Nanoseconds)
  /// A transfer from the reader has come.
  mutating func received(_ bytes: [UInt8], at instant: Nanoseconds)
  /// The reader refused a transfer.
  mutating func stalled(at instant: Nanoseconds)
  /// A command has ended, well or not.
  mutating func completed(_ outcome: CommandOutcome)
  /// Something happened below the level of commands.
  mutating func noted(_ note: HostNote, at instant: Nanoseconds)
}

extension SessionRecorder {
  /// Stalls are seldom of interest.
  public mutating func stalled(at instant: Nanoseconds) {}
  /// Transfers are enough for many.
  public mutating func completed(_ outcome: CommandOutcome) {}
  /// Transfers are enough for many.
  public mutating func noted(_ note: HostNote, at instant: Nanoseconds) {}
}
