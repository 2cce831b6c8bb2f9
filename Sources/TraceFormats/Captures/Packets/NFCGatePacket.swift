import NFCProtocols
import NFCTrace

/// The packets of an NFCGate export: the pseudo header of 264, a constant PCB 02, then the data.
///
/// The PCB is NFCGate's invention and is left off. The layer is that of APDUs where the card's
/// configuration or the first command says so, else that of raw tag commands without CRC.
struct NFCGatePackets {
  /// The byte that NFCGate puts in front of all data.
  static let inventedPCB: UInt8 = 0x02
  /// How the text of an initial-data event begins; the exporter looks for it.
  static let initialText = "NFCGate initial data:"
  /// NCI 1.1 table 101: LA_SEL_INFO, whose bit 5 tells of ISO-DEP.
  static let selectInformation: UInt8 = 0x32

  private var isISODEP: Bool?

  /// What a packet says happened.
  mutating func content(
    _ packet: CapturedPacket
  ) throws(TraceError) -> TraceEvent.Content {
    let (event, bytes, isCut) = try ISO14443Packet.parts(packet)
    let isCard = event == ISO14443Packet.cardToReaderNoCRC || event == ISO14443Packet.cardToReader
    let isReader =
      event == ISO14443Packet.readerToCardNoCRC || event == ISO14443Packet.readerToCard
    guard isCard || isReader else {
      return try ISO14443Packet.content(packet)
    }
    guard bytes.first == Self.inventedPCB else {
      throw CaptureContainer.bad(
        packet.offset + ISO14443Packet.headerLength,
        bytes.first.map { "the byte \(CaptureText.hex($0, digits: 2))" } ?? "an empty packet",
        "02, which NFCGate puts in front of all data")
    }
    let data = Array(bytes.dropFirst())
    let direction: Direction = isCard ? .inbound : .outbound
    if packet.linkType == LinkType.user0 { return initial(direction, data) }
    if isISODEP == nil, direction == .outbound { isISODEP = Self.isCommandAPDU(data) }
    if isISODEP ?? false, !isCut { return .apdu(direction, data) }
    return .radio(direction, RadioFrame(data, crc: .notCaptured, isTruncated: isCut))
  }

  /// The card's configuration, NCI parameters as tag, length, value.
  private mutating func initial(_ direction: Direction, _ data: [UInt8]) -> TraceEvent.Content {
    var place = 0
    while place + 2 <= data.count {
      let end = place + 2 + Int(data[place + 1])
      if data[place] == Self.selectInformation, end == place + 3, end <= data.count {
        isISODEP = data[place + 2] & 0x20 != 0
      }
      place = end
    }
    return .application(direction, "\(Self.initialText) \(Hexadecimal.pairs(data))")
  }

  /// True if the bytes are exactly one command APDU, ISO/IEC 7816-4 5.1 cases 1 to 4.
  static func isCommandAPDU(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] != 0xFF else { return false }
    if bytes.count <= 5 { return true }
    if bytes[4] != 0 {
      let end = 5 + Int(bytes[4])
      return bytes.count == end || bytes.count == end + 1
    }
    guard bytes.count >= 7 else { return false }
    let end = 7 + (Int(bytes[5]) << 8 | Int(bytes[6]))
    return bytes.count == 7 || bytes.count == end || bytes.count == end + 2
  }
}
