import NFCProtocols
import NFCTrace

/// The packets of USBPcap on Windows, link type 249; always little endian.
enum USBPcapPacket {
  static let headerLength = 27

  /// Reads one packet; `nil` for isochronous transfers and for records that are no transfers.
  static func record(
    _ packet: CapturedPacket, time: SourceTime
  ) throws(TraceError) -> USBRecord? {
    let bytes = packet.bytes
    guard bytes.count >= headerLength else {
      throw CaptureContainer.bad(
        packet.offset, "a USBPcap packet of \(bytes.count) bytes", "at least \(headerLength)")
    }
    let fields = RecordFields(bytes)
    let length = Int(fields.u16(0))
    guard length >= headerLength, length <= bytes.count else {
      throw CaptureContainer.bad(
        packet.offset, "a USBPcap header of \(length) bytes",
        "between \(headerLength) and \(bytes.count)")
    }
    // Types above 3 are USBPcap's own notes on requests that move no data.
    guard let kind = USBRecord.Kind(rawValue: fields.u8(22)), kind != .isochronous else {
      return nil
    }
    let dataLength = Int(fields.u32(23))
    let data = bytes.dropFirst(length)
    guard dataLength <= max(data.count, packet.originalLength - length) else {
      throw CaptureContainer.bad(
        packet.offset + 23, "a data length of \(dataLength)",
        "at most \(data.count), the rest of the packet")
    }
    let isCompletion = fields.u8(16) & 1 == 1
    let endpoint = fields.u8(21)
    var record = USBRecord(
      phase: isCompletion ? .complete : .submit, kind: kind, identifier: fields.u64(2),
      device: USBDeviceAddress(bus: fields.u16(17), address: fields.u16(19)), endpoint: endpoint,
      outcome: isCompletion ? USBStatus.windows(fields.u32(10)) : .completed,
      length: dataLength, data: data.prefix(dataLength), time: time, comment: packet.comment)
    record.isInjected = fields.u64(2) == 0
    // An IN request has no data yet, and the size of its buffer is not recorded.
    if !isCompletion, record.isInbound { record.length = nil }
    if kind == .control { readStage(&record, fields, headerLength: length) }
    return record
  }

  /// The stage byte of a control record: 0 setup, 1 data, 2 status, 3 complete.
  private static func readStage(
    _ record: inout USBRecord, _ fields: RecordFields, headerLength length: Int
  ) {
    guard length > headerLength else { return }
    switch fields.u8(headerLength) {
    case 0:
      record.phase = .submit
      guard record.data.count >= 8 else { return }
      record.setup = Array(record.data.prefix(8))
      // Bit 7 of bmRequestType gives the direction; the endpoint byte of old versions lacks it.
      if record.data[record.data.startIndex] & 0x80 != 0 { record.endpoint |= 0x80 }
      record.data = record.data.dropFirst(8)
      record.length = record.isInbound ? nil : record.data.count
    case 1: record.phase = .data
    default: record.phase = .complete
    }
  }
}
