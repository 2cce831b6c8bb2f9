public import NFCProtocols
public import PN53x

/// Follows NCI packets between a host and a controller: names them and lifts what they carry.
///
/// Packet forms and codes: NFC Forum NCI 2.0, 3.4 and tables 5, 131 and 134.
public struct NCIInterpreter: Sendable {
  private var interface: UInt8?
  private var isListening = false
  private var technology = Technology.a
  private var pieces: [UInt8] = []

  /// The most bytes that are joined from segments.
  public static let maximumJoinedLength = 65_544

  /// Makes an interpreter at the start of a link.
  public init() {}

  /// Appends what a packet is in a few words, and gives what it carries.
  public mutating func interpret(
    _ direction: Direction, _ packet: [UInt8], into text: inout TextBuffer
  ) -> LiftedContent {
    guard packet.count >= 3 else {
      text.append("NCI packet without a header")
      return .nothing
    }
    let type = packet[0] >> 5
    guard type != 0 else { return data(direction, packet, into: &text) }
    let group = packet[0] & 0x0F
    let operation = packet[1] & 0x3F
    if let name = Self.name(group, operation) {
      text.append(name)
    } else {
      text.append(group == 0x0F ? "PROPRIETARY_" : "NCI_")
      text.append(hex: group)
      text.append("_")
      text.append(hex: operation)
    }
    text.append(type == 1 ? "_CMD" : type == 2 ? "_RSP" : type == 3 ? "_NTF" : "_?")
    if type == 2, packet.count > 3 {
      text.append(packet[3] == 0 ? "  ok" : "  status ")
      if packet[3] != 0 { text.append(hex: packet[3]) }
    }
    guard type == 3, group == 1 else { return .nothing }
    switch operation {
    case 0x05: return activated(packet, into: &text)
    case 0x06:
      interface = nil
      return .nothing
    default: return .nothing
    }
  }

  /// A data packet; only those of the static RF connection are lifted.
  private mutating func data(
    _ direction: Direction, _ packet: [UInt8], into text: inout TextBuffer
  ) -> LiftedContent {
    text.append("data, connection ")
    text.append(decimal: Int64(packet[0] & 0x0F))
    let hasMore = packet[0] & 0x10 != 0
    if hasMore { text.append(", more follows") }
    guard packet[0] & 0x0F == 0, let interface,
      pieces.count + packet.count <= Self.maximumJoinedLength
    else { return .nothing }
    pieces.append(contentsOf: packet[3...])
    guard !hasMore, !pieces.isEmpty else { return .nothing }
    defer { pieces.removeAll(keepingCapacity: true) }
    // The host is the reader when polling and the card when listening.
    let way = isListening ? direction.opposite : direction
    switch interface {
    case 0x02: return .apdu(way, pieces)
    case 0x01:
      // Frame RF: an inbound frame ends with a status byte (8.2.1.2).
      let content = direction == .inbound ? Array(pieces.dropLast()) : pieces
      guard !content.isEmpty else { return .nothing }
      return .radio(way, RadioFrame(content, technology: technology, crc: .notCaptured))
    default: return .nothing
    }
  }

  /// RF_INTF_ACTIVATED_NTF: identifier, interface, protocol, activation technology and mode.
  private mutating func activated(
    _ packet: [UInt8], into text: inout TextBuffer
  ) -> LiftedContent {
    guard packet.count >= 7 else { return .nothing }
    interface = packet[4]
    isListening = packet[6] & 0x80 != 0
    pieces.removeAll(keepingCapacity: true)
    switch packet[6] & 0x7F {
    case 0x01: technology = .b
    case 0x02, 0x05: technology = .f
    case 0x06: technology = .v
    default: technology = .a
    }
    text.append("  ")
    text.append(Self.protocolName(packet[5]))
    text.append(isListening ? ", listening " : ", polling ")
    text.append(ascii: technology.letter)
    var sak: UInt8?
    // Poll A: SENS_RES (2), NFCID1 length and bytes, SEL_RES length and byte.
    if packet[6] == 0x00, packet.count > 12 {
      let length = Int(packet[12])
      let place = 13 + length
      if place + 1 < packet.count {
        text.append(", UID ")
        for byte in packet[13..<place] { text.append(hex: byte) }
        if packet[place] == 1 { sak = packet[place + 1] }
      }
    }
    return .activation(technology, sak: sak, isISODEP: packet[5] == 0x04 && packet[4] == 0x01)
  }

  private static func protocolName(_ code: UInt8) -> StaticString {
    switch code {
    case 0x01: "Type 1"
    case 0x02: "Type 2"
    case 0x03: "Type 3"
    case 0x04: "ISO-DEP"
    case 0x05: "NFC-DEP"
    case 0x06: "Type 5"
    default: "other protocol"
    }
  }

  private static func name(_ group: UInt8, _ operation: UInt8) -> StaticString? {
    switch (group, operation) {
    case (0, 0x00): "CORE_RESET"
    case (0, 0x01): "CORE_INIT"
    case (0, 0x02): "CORE_SET_CONFIG"
    case (0, 0x03): "CORE_GET_CONFIG"
    case (0, 0x04): "CORE_CONN_CREATE"
    case (0, 0x05): "CORE_CONN_CLOSE"
    case (0, 0x06): "CORE_CONN_CREDITS"
    case (0, 0x07): "CORE_GENERIC_ERROR"
    case (0, 0x08): "CORE_INTERFACE_ERROR"
    case (0, 0x09): "CORE_SET_POWER_SUB_STATE"
    case (1, 0x00): "RF_DISCOVER_MAP"
    case (1, 0x01): "RF_SET_LISTEN_MODE_ROUTING"
    case (1, 0x02): "RF_GET_LISTEN_MODE_ROUTING"
    case (1, 0x03): "RF_DISCOVER"
    case (1, 0x04): "RF_DISCOVER_SELECT"
    case (1, 0x05): "RF_INTF_ACTIVATED"
    case (1, 0x06): "RF_DEACTIVATE"
    case (1, 0x07): "RF_FIELD_INFO"
    case (1, 0x08): "RF_T3T_POLLING"
    case (1, 0x09): "RF_NFCEE_ACTION"
    case (1, 0x0A): "RF_NFCEE_DISCOVERY_REQ"
    case (1, 0x0B): "RF_PARAMETER_UPDATE"
    case (2, 0x00): "NFCEE_DISCOVER"
    case (2, 0x01): "NFCEE_MODE_SET"
    case (2, 0x02): "NFCEE_STATUS"
    case (2, 0x03): "NFCEE_POWER_AND_LINK_CNTRL"
    default: nil
    }
  }
}
