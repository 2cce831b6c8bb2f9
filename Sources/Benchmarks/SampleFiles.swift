import HostIO
import NFCProtocols
import NFCTrace

/// Input files for the benchmarks, made afresh each time from public facts.
enum SampleFiles {
  /// One DESFire-like session: activation, ATS, two APDUs.
  ///
  /// `true` marks frames of the reader.
  static let session: [(isReader: Bool, bytes: [UInt8])] = {
    func withCRC(_ bytes: [UInt8]) -> [UInt8] { CRC16.a.appended(to: bytes) }
    return [
      (true, [0x26]), (false, [0x44, 0x03]),
      (true, [0x93, 0x20]), (false, [0x88, 0x04, 0x11, 0x22, 0xBF]),
      (true, withCRC([0x93, 0x70, 0x88, 0x04, 0x11, 0x22, 0xBF])), (false, withCRC([0x24])),
      (true, [0x95, 0x20]), (false, [0x33, 0x44, 0x55, 0x66, 0x44]),
      (true, withCRC([0x95, 0x70, 0x33, 0x44, 0x55, 0x66, 0x44])), (false, withCRC([0x20])),
      (true, withCRC([0xE0, 0x50])), (false, withCRC([0x06, 0x75, 0x77, 0x81, 0x02, 0x80])),
      (
        true,
        withCRC([
          0x02, 0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
        ])
      ), (false, withCRC([0x02, 0x90, 0x00])),
      (true, withCRC([0x03, 0x00, 0xB0, 0x00, 0x00, 0x10])),
      (false, withCRC([0x03] + (0..<16) + [0x90, 0x00])),
    ]
  }()

  /// Writes a plain pcapng of link type 264 with ns times, as any other tool would make it.
  static func writePcapng(packets: Int, to path: String) throws(HostError) {
    var file = try OutputFile(path: path)
    var bytes = block(0x0A0D_0D0A, words: [0x1A2B_3C4D, 0x0000_0001, 0xFFFF_FFFF, 0xFFFF_FFFF])
    bytes += block(1, words: [264, 0, 0x0001_0009, 9, 0])
    var time: UInt64 = 1_700_000_000_000_000_000
    for index in 0..<packets {
      let frame = session[index % session.count]
      time += 1_500_000
      let packet =
        [0, frame.isReader ? 0xFE : 0xFF, 0, UInt8(frame.bytes.count)] + frame.bytes
      let padding = (4 - packet.count % 4) % 4
      let body = words([
        0, UInt32(time >> 32), UInt32(truncatingIfNeeded: time), UInt32(packet.count),
        UInt32(packet.count),
      ])
      append(block: 6, body + packet + [UInt8](repeating: 0, count: padding), to: &bytes)
      if bytes.count > 1_000_000 {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try file.write(bytes)
    try file.commit()
  }

  private static func words(_ values: [UInt32]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
  }

  private static func block(_ type: UInt32, words values: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    append(block: type, words(values), to: &bytes)
    return bytes
  }

  private static func append(block type: UInt32, _ body: [UInt8], to bytes: inout [UInt8]) {
    let length = UInt32(body.count + 12)
    bytes += words([type, length]) + body + words([length])
  }

  /// A reader activates a Type 2 tag and reads pages until there are `exchanges` exchanges.
  static func events(exchanges: Int) -> [TraceEvent] {
    var events = [TraceEvent(start: .zero, .field(FieldChange(isOn: true, technology: .a)))]
    var time = Nanoseconds.microseconds(5_100)
    func add(_ direction: Direction, _ bytes: [UInt8], bits: UInt8 = 8, crc: CRCState) {
      let frame = RadioFrame(bytes, lastByteBits: bits, technology: .a, crc: crc)
      let end = time + AirTime.duration(of: frame, direction)
      events.append(TraceEvent(start: time, end: end, .radio(direction, frame)))
      // The card answers after 1172/fc or 1236/fc, the reader goes on 500 µs later.
      time =
        direction == .outbound
        ? end + Nanoseconds.carrierCycles(frame.lastBitOnAir ? 1_236 : 1_172)
        : end + .microseconds(500)
    }
    add(.outbound, [0x26], bits: 7, crc: .absent)
    add(.inbound, [0x44, 0x00], crc: .absent)
    for frame in session[2..<10].enumerated() {
      let isShort = frame.element.bytes.count == 2 || frame.element.bytes.count == 5
      let bytes =
        frame.offset == 7 ? CRC16.a.appended(to: [0x00]) : frame.element.bytes
      add(
        frame.element.isReader ? .outbound : .inbound, bytes, crc: isShort ? .absent : .good)
    }
    for number in 5..<max(6, exchanges) {
      let page = UInt8(truncatingIfNeeded: number * 4)
      add(.outbound, CRC16.a.appended(to: [0x30, page]), crc: .good)
      let content = (0..<16).map { UInt8(truncatingIfNeeded: number + $0) }
      add(.inbound, CRC16.a.appended(to: content), crc: .good)
    }
    return events
  }

  /// Writes such a trace in the text form of Retap.
  static func writeTrace(exchanges: Int, to path: String) throws(HostError) {
    var encoder = TextTraceEncoder()
    var output: [UInt8] = []
    do throws(TraceError) {
      try encoder.begin(
        TraceHeader(role: .reader, technology: .a, madeBy: "benchmark"), into: &output)
      for event in events(exchanges: exchanges) { try encoder.encode(event, into: &output) }
      try encoder.finish(TraceEnding(isComplete: true), into: &output)
    } catch {
      preconditionFailure("the sample trace can be written: \(error)")
    }
    var file = try OutputFile(path: path)
    try file.write(output)
    try file.commit()
  }
}
