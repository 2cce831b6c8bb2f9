import NFCProtocols
import NFCTrace

/// The pseudo header of link type 264: version 0, event, big-endian length, then the frame.
enum ISO14443Packet {
  static let headerLength = 4

  /// Events of the pseudo header (kaiser.cx, "pcap-iso14443").
  static let cardToReader: UInt8 = 0xFF
  static let readerToCard: UInt8 = 0xFE
  static let fieldOff: UInt8 = 0xFD
  static let fieldOn: UInt8 = 0xFC
  static let cardToReaderNoCRC: UInt8 = 0xFB
  static let readerToCardNoCRC: UInt8 = 0xFA

  /// The event code and the frame of a packet, checked.
  static func parts(
    _ packet: CapturedPacket
  ) throws(TraceError) -> (event: UInt8, frame: ArraySlice<UInt8>, isCut: Bool) {
    let bytes = packet.bytes
    guard bytes.count >= headerLength else {
      throw CaptureContainer.bad(
        packet.offset, "an ISO 14443 packet of \(bytes.count) bytes", "at least \(headerLength)")
    }
    let fields = RecordFields(bytes, isBigEndian: true)
    guard fields.u8(0) == 0 else {
      throw CaptureContainer.bad(
        packet.offset, "pseudo header version \(fields.u8(0))", "version 0")
    }
    let length = Int(fields.u16(2))
    guard length == packet.originalLength - headerLength else {
      throw CaptureContainer.bad(
        packet.offset + 2, "a frame length of \(length)",
        "\(packet.originalLength - headerLength), the rest of the packet")
    }
    let frame = bytes.dropFirst(headerLength)
    return (fields.u8(1), frame, frame.count < length)
  }

  /// What a packet says happened.
  static func content(_ packet: CapturedPacket) throws(TraceError) -> TraceEvent.Content {
    let (event, bytes, isCut) = try parts(packet)
    switch event {
    case fieldOn: return .field(FieldChange(isOn: true))
    case fieldOff: return .field(FieldChange(isOn: false))
    case readerToCard, readerToCardNoCRC, cardToReader, cardToReaderNoCRC:
      let isReader = event == readerToCard || event == readerToCardNoCRC
      let hasNoCRC = event == readerToCardNoCRC || event == cardToReaderNoCRC
      var frame = RadioFrame(
        Array(bytes), crc: hasNoCRC ? .notCaptured : nil, isTruncated: isCut)
      let direction: Direction = isReader ? .outbound : .inbound
      frame.markShortRequest(direction)
      return .radio(direction, frame)
    default:
      throw CaptureContainer.bad(
        packet.offset + 1, "event \(CaptureText.hex(event, digits: 2))", "FA to FF")
    }
  }
}
