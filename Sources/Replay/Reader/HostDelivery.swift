public import NFCProtocols

/// Something that reaches the host of a simulated reader.
public struct HostDelivery: Hashable, Sendable {
  /// When it reaches the host.
  public var at: VirtualInstant
  /// The bytes of one IN transfer; empty for everything but `transfer`.
  public var bytes: [UInt8]
  /// What it is.
  public var kind: Kind

  /// Makes a delivery, by default of a transfer.
  public init(at: VirtualInstant, _ bytes: [UInt8], kind: Kind = .transfer) {
    self.at = at
    self.bytes = bytes
    self.kind = kind
  }

  /// What can reach a host.
  public enum Kind: UInt8, Hashable, Sendable {
    /// One IN transfer; it may have no bytes.
    case transfer
    /// The IN endpoint is stalled until the host clears it.
    case stalled
    /// The reader is gone; nothing comes any more.
    case unplugged
  }
}
