/// Which way bytes travel between the two sides of a link.
public enum Direction: UInt8, Hashable, Sendable {
  /// Reader to card, command APDU, or host to chip: written `>` in a trace.
  case outbound
  /// Card to reader, response APDU, or chip to host: written `<` in a trace.
  case inbound

  /// The other way.
  public var opposite: Direction { self == .outbound ? .inbound : .outbound }
}
