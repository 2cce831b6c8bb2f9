import NFCTrace

/// Reads the records of a classic pcap file, either byte order, microseconds or nanoseconds.
struct ClassicCaptureReader {
  static let headerLength = 24
  static let recordHeaderLength = 16

  let isBigEndian: Bool
  let resolution: CaptureResolution
  let linkType: UInt32

  /// The byte order and resolution of a magic number, or `nil` if it is none.
  static func magic(_ bytes: ArraySlice<UInt8>) -> (isBigEndian: Bool, CaptureResolution)? {
    guard bytes.count >= 4 else { return nil }
    for isBigEndian in [false, true] {
      switch RecordFields(bytes, isBigEndian: isBigEndian).u32(0) {
      case 0xA1B2_C3D4: return (isBigEndian, .microseconds)
      case 0xA1B2_3C4D: return (isBigEndian, .nanoseconds)
      default: continue
      }
    }
    return nil
  }

  /// Reads the file header, which the caller has checked for its magic number.
  init(header: ArraySlice<UInt8>) throws(TraceError) {
    guard let (isBigEndian, resolution) = Self.magic(header) else {
      preconditionFailure("the file begins with the magic number of pcap")
    }
    let fields = RecordFields(header, isBigEndian: isBigEndian)
    guard fields.u16(4) == 2 else {
      throw .badInput(
        BadInput(
          at: .byte(4), found: "pcap version \(fields.u16(4)).\(fields.u16(6))",
          expected: "version 2.4", remedy: "convert the file with `editcap -F pcapng`"))
    }
    self.isBigEndian = isBigEndian
    self.resolution = resolution
    // The upper bits tell of a frame check sequence, which none of our link types has.
    linkType = fields.u32(20) & 0x03FF_FFFF
  }

  /// The next packet, or `nil` if it has not arrived.
  func next(_ input: inout InputBuffer) throws(TraceError) -> CapturedPacket? {
    guard let head = input.peek(Self.recordHeaderLength) else { return nil }
    let fields = RecordFields(head, isBigEndian: isBigEndian)
    let captured = Int(fields.u32(8))
    guard captured <= CaptureContainer.packetLimit else {
      throw CaptureContainer.tooLong(captured, at: input.offset + 8)
    }
    guard let record = input.peek(Self.recordHeaderLength + captured) else { return nil }
    let ticks = UInt64(fields.u32(0)) * resolution.ticksPerSecond + UInt64(fields.u32(4))
    let packet = CapturedPacket(
      linkType: linkType, interface: 0, time: CaptureTime(ticks: ticks, resolution),
      bytes: record.dropFirst(Self.recordHeaderLength),
      originalLength: max(captured, Int(fields.u32(12))),
      offset: input.offset + Self.recordHeaderLength)
    input.drop(record.count)
    return packet
  }
}
