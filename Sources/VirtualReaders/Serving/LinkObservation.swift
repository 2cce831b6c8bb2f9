public import NFCProtocols

/// One transfer as it ended on the link of a virtual reader.
public struct LinkObservation: Hashable, Sendable {
  /// Which way it went.
  public var direction: Direction
  /// The bytes that arrived.
  public var bytes: [UInt8]
  /// The endpoint; `nil` on a serial line.
  public var endpoint: UInt8?
  /// The time since the reader was set up: when an OUT transfer was submitted or an IN transfer
  /// had arrived.
  public var at: Nanoseconds
  /// The bytes that the host had room for, of an IN transfer.
  public var room: Int?
  /// True if more came than there was room for.
  public var isOverflow: Bool

  /// Makes an observation.
  public init(
    _ direction: Direction, _ bytes: [UInt8], endpoint: UInt8? = nil, at: Nanoseconds,
    room: Int? = nil, isOverflow: Bool = false
  ) {
    self.direction = direction
    self.bytes = bytes
    self.endpoint = endpoint
    self.at = at
    self.room = room
    self.isOverflow = isOverflow
  }
}
