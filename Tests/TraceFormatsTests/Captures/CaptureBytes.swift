import NFCProtocols

/// Files built by hand from the published layouts, independent of our own writers.
enum CaptureBytes {
  static func hex(_ text: String) -> [UInt8] { Hexadecimal.bytes(of: text) ?? [] }

  static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  static func number(_ value: UInt64, _ count: Int, isBig: Bool) -> [UInt8] {
    isBig ? little(value, count).reversed() : little(value, count)
  }

  // MARK: Proxmark3

  /// One record of a Proxmark3 trace, version 2.
  static func proxmark(
    _ start: UInt32, _ duration: UInt16, tag: Bool, _ data: String, parity: String
  ) -> [UInt8] {
    let bytes = hex(data)
    let head = UInt16(bytes.count) | (tag ? 0x8000 : 0)
    return little(UInt64(start), 4) + little(UInt64(duration), 2) + little(UInt64(head), 2) + bytes
      + hex(parity)
  }

  // MARK: pcap

  /// A classic pcap file of packets at (seconds, fraction).
  static func classic(
    linkType: UInt32, isBig: Bool = false, magic: UInt64 = 0xA1B2_C3D4,
    _ packets: [(UInt64, UInt64, [UInt8])]
  ) -> [UInt8] {
    var file = number(magic, 4, isBig: isBig) + number(2, 2, isBig: isBig)
    file += number(4, 2, isBig: isBig) + number(0, 8, isBig: isBig)
    file += number(65_535, 4, isBig: isBig) + number(UInt64(linkType), 4, isBig: isBig)
    for (seconds, fraction, bytes) in packets {
      file += number(seconds, 4, isBig: isBig) + number(fraction, 4, isBig: isBig)
      file += number(UInt64(bytes.count), 4, isBig: isBig)
      file += number(UInt64(bytes.count), 4, isBig: isBig) + bytes
    }
    return file
  }

  // MARK: pcapng

  static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  static func block(_ type: UInt64, _ body: [UInt8], isBig: Bool) -> [UInt8] {
    let content = padded(body)
    let length = number(UInt64(content.count + 12), 4, isBig: isBig)
    return number(type, 4, isBig: isBig) + length + content + length
  }

  static func option(_ code: UInt64, _ value: [UInt8], isBig: Bool) -> [UInt8] {
    number(code, 2, isBig: isBig) + number(UInt64(value.count), 2, isBig: isBig) + padded(value)
  }

  static func section(isBig: Bool) -> [UInt8] {
    block(
      0x0A0D_0D0A,
      number(0x1A2B_3C4D, 4, isBig: isBig) + number(1, 2, isBig: isBig)
        + number(0, 2, isBig: isBig) + [UInt8](repeating: 0xFF, count: 8), isBig: isBig)
  }

  static func interface(_ linkType: UInt64, options: [UInt8] = [], isBig: Bool) -> [UInt8] {
    block(
      1, number(linkType, 2, isBig: isBig) + number(0, 6, isBig: isBig) + options, isBig: isBig)
  }

  static func packet(
    _ ticks: UInt64, _ bytes: [UInt8], interface: UInt64 = 0, options: [UInt8] = [],
    isBig: Bool
  ) -> [UInt8] {
    var body = number(interface, 4, isBig: isBig) + number(ticks >> 32, 4, isBig: isBig)
    body += number(ticks & 0xFFFF_FFFF, 4, isBig: isBig)
    body += number(UInt64(bytes.count), 4, isBig: isBig)
    body += number(UInt64(bytes.count), 4, isBig: isBig)
    return block(6, body + padded(bytes) + options, isBig: isBig)
  }

  /// A frame under the pseudo header of link type 264.
  static func air(_ event: UInt8, _ frame: String) -> [UInt8] {
    let bytes = hex(frame)
    return [0, event] + number(UInt64(bytes.count), 2, isBig: true) + bytes
  }

  // MARK: USB

  /// A packet of usbmon, link type 220 (64 bytes) or 189 (48 bytes).
  static func usbmon(
    _ id: UInt64, _ event: Character, type: UInt8 = 3, endpoint: UInt8, device: UInt8 = 26,
    status: Int32 = 0, length: Int? = nil, setup: String? = nil, _ data: String = "",
    header: Int = 64, isBig: Bool = false
  ) -> [UInt8] {
    let bytes = hex(data)
    var packet = number(id, 8, isBig: isBig)
    packet += [event.asciiValue ?? 0, type, endpoint, device] + number(2, 2, isBig: isBig)
    packet += [setup == nil ? 0x2D : 0, bytes.isEmpty ? 0x3C : 0]
    packet += number(1_700_000_000, 8, isBig: isBig) + number(5, 4, isBig: isBig)
    packet += number(UInt64(UInt32(bitPattern: status)), 4, isBig: isBig)
    packet += number(UInt64(length ?? bytes.count), 4, isBig: isBig)
    packet += number(UInt64(bytes.count), 4, isBig: isBig)
    packet += setup.map { hex($0) } ?? [UInt8](repeating: 0, count: 8)
    packet += [UInt8](repeating: 0, count: header - 48)
    return packet + bytes
  }

  /// A packet of USBPcap; `stage` makes it a control transfer.
  static func usbpcap(
    _ id: UInt64, isCompletion: Bool, endpoint: UInt8, status: UInt32 = 0, stage: UInt8? = nil,
    device: UInt64 = 26, _ data: String = ""
  ) -> [UInt8] {
    let bytes = hex(data)
    var packet = little(stage == nil ? 27 : 28, 2) + little(id, 8) + little(UInt64(status), 4)
    packet += little(stage == nil ? 9 : 8, 2) + [isCompletion ? 1 : 0] + little(2, 2)
    packet += little(device, 2) + [endpoint, stage == nil ? 3 : 2]
    packet += little(UInt64(bytes.count), 4)
    if let stage { packet.append(stage) }
    return packet + bytes
  }
}
