import NFCProtocols
import NFCTrace

/// The packets of Linux usbmon: link types 189 (48 bytes in front of the data) and 220 (64 bytes).
///
/// The header is in the byte order of the host that recorded it, little endian on nearly all; the
/// endpoint type and the captured length tell when it is not.
enum USBMonPacket {
  static let shortHeader = 48
  static let mappedHeader = 64

  /// Reads one packet; `nil` for isochronous transfers, which no reader uses.
  static func record(
    _ packet: CapturedPacket, time: SourceTime
  ) throws(TraceError) -> USBRecord? {
    let headerLength = packet.linkType == LinkType.usbLinux ? shortHeader : mappedHeader
    let bytes = packet.bytes
    guard bytes.count >= headerLength else {
      throw CaptureContainer.bad(
        packet.offset, "a usbmon packet of \(bytes.count) bytes", "at least \(headerLength)")
    }
    let fields = header(bytes, behind: bytes.count - headerLength)
    let phase: USBRecord.Phase
    switch fields.u8(8) {
    case 0x53: phase = .submit
    case 0x43: phase = .complete
    case 0x45: phase = .refused
    default:
      throw CaptureContainer.bad(
        packet.offset + 8, "usbmon event \(CaptureText.hex(fields.u8(8), digits: 2))",
        "53, 43 or 45 (S, C, E)")
    }
    guard let kind = USBRecord.Kind(rawValue: fields.u8(9)) else {
      throw CaptureContainer.bad(
        packet.offset + 9, "transfer type \(fields.u8(9))", "0 to 3")
    }
    guard kind != .isochronous else { return nil }
    let captured = Int(fields.u32(36))
    let data = bytes.dropFirst(headerLength)
    // A lower snap length of the capture cuts the data below what the header says.
    guard captured <= max(data.count, packet.originalLength - headerLength) else {
      throw CaptureContainer.bad(
        packet.offset + 36, "a data length of \(captured)",
        "at most \(data.count), the rest of the packet")
    }
    let status = fields.i32(28)
    let isSetupPresent = fields.u8(14) == 0 && kind == .control && phase == .submit
    let setupStart = bytes.startIndex + 40
    return USBRecord(
      phase: phase, kind: kind, identifier: fields.u64(0),
      device: USBDeviceAddress(bus: fields.u16(12), address: UInt16(fields.u8(11))),
      endpoint: fields.u8(10), outcome: USBStatus.linux(status), length: Int(fields.u32(32)),
      data: fields.u8(15) == 0 ? data.prefix(captured) : [],
      setup: isSetupPresent ? Array(bytes[setupStart..<(setupStart + 8)]) : nil,
      time: time, comment: packet.comment)
  }

  private static func header(_ bytes: ArraySlice<UInt8>, behind room: Int) -> RecordFields {
    let little = RecordFields(bytes)
    let big = RecordFields(bytes, isBigEndian: true)
    let isLittle = Int(little.u32(36)) <= room && little.u32(24) < 1_000_000
    let isBig = Int(big.u32(36)) <= room && big.u32(24) < 1_000_000
    return isBig && !isLittle ? big : little
  }
}
