public import NFCProtocols

/// What a host frame carries of the exchange between reader and card.
public enum LiftedContent: Hashable, Sendable {
  /// Nothing, or a piece of something that is not yet whole.
  case nothing
  /// A command (`outbound`) or response APDU.
  case apdu(Direction, [UInt8])
  /// A frame on the air as the chip passes it on, without its check value.
  case radio(Direction, RadioFrame)
  /// The chip has activated a card; its SAK where it has one.
  case activation(Technology, sak: UInt8?, isISODEP: Bool)
  /// The field is now on or off.
  case field(isOn: Bool)
}
