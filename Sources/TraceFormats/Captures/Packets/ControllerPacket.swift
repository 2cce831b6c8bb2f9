import NFCProtocols
import NFCTrace

/// The packets of link type 245 (NFC LLCP), and of user type 147 outside of NFCGate: two bytes of
/// adapter and flags, then an LLCP PDU or an NCI packet.
enum ControllerPacket {
  static let headerLength = 2

  /// What a packet says happened; `nil` if the bytes are neither.
  static func content(_ packet: CapturedPacket) -> TraceEvent.Content? {
    let bytes = packet.bytes
    guard bytes.count > headerLength else { return nil }
    let flags = bytes[bytes.startIndex + 1]
    let payload = Array(bytes.dropFirst(headerLength))
    // Linux AF_NFC raw sockets: bit 0 the direction, above it the kind: 0 LLCP, 1 NCI.
    let isOutbound = packet.isOutbound ?? (flags & 1 == 1)
    let direction: Direction = isOutbound ? .outbound : .inbound
    switch flags >> 1 {
    case 0 where isNCI(payload) && packet.isOutbound != nil, 1:
      return .link(
        LinkTransfer(direction, payload, transport: .unspecified, payload: .nci))
    case 0 where packet.linkType == LinkType.nfcLLCP:
      return .application(direction, "LLCP PDU \(Hexadecimal.pairs(payload))")
    default: return nil
    }
  }

  /// True if the length byte of an NCI packet header fits (NCI 1.1, 3.4).
  private static func isNCI(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 3 && bytes[0] >> 5 <= 3 && Int(bytes[2]) == bytes.count - 3
  }
}
