public import NFCProtocols
public import Replay

/// A reader in software at its host link: transfers go in and come out on virtual time.
///
/// `SimulatedReader` is one; others wrap it, for example in CCID messages. Whoever drives it owns
/// time.
public protocol VirtualReader {
  /// Takes one OUT transfer, which the host begins to send at `instant`.
  ///
  /// - Returns: When the transfer completes for the host.
  mutating func host(_ transfer: [UInt8], at instant: VirtualInstant) -> VirtualInstant
  /// When the next event happens, or `nil` if nothing is going to happen by itself.
  var nextInstant: VirtualInstant? { get }
  /// Lets everything happen that is due up to `instant`, which becomes the present.
  mutating func advance(to instant: VirtualInstant)
  /// Takes what has reached the host.
  mutating func takeDeliveries() -> [HostDelivery]
  /// Puts a card into the field, in place of what is there.
  mutating func insert(_ card: any RadioEndpoint, at instant: VirtualInstant)
  /// Takes away what is in the field.
  mutating func removeCard(at instant: VirtualInstant)
}

extension SimulatedReader: VirtualReader {}
