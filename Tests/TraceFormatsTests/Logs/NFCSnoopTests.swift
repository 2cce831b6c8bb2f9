import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Snoop blocks of Android, packed by the test.
@Suite("dumpsys nfc snoop blocks")
struct NFCSnoopTests {
  /// A record: microseconds since the one before, direction, packet.
  typealias Record = (delta: UInt32, isReceived: Bool, packet: [UInt8])

  static let records: [Record] = [
    (0, false, [0x20, 0x00, 0x01, 0x01]), (1_500, true, [0x40, 0x00, 0x03, 0x00, 0x10, 0x01]),
    (4_294_967_295, true, [0x6F, 0x0C, 0x02, 0x08, 0x01]), (7, true, []),
  ]

  static func stream(_ records: [Record]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      bytes += [UInt8(record.packet.count), 0]
      for shift: UInt32 in [0, 8, 16, 24] {
        bytes.append(UInt8(truncatingIfNeeded: record.delta >> shift))
      }
      bytes.append(record.isReceived ? 1 : 0)
      bytes += record.packet
    }
    return bytes
  }

  static func block(
    _ stream: [UInt8], name: String = "NFCSNOOP_LOG_SUMMARY", last: UInt64 = 1_700_000_000_000_000,
    version: UInt8 = 1, length: Int? = nil
  ) -> String {
    var content = [version]
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      content.append(UInt8(truncatingIfNeeded: last >> shift))
    }
    content += Packing.zlib(stream)
    return "--- BEGIN:\(name) (\(length ?? stream.count) bytes in) ---\n"
      + Packing.base64Lines(content) + "--- END:\(name) ---\n"
  }

  @Test("Times are absolute: the last one is stated, the others are differences")
  func times() throws {
    let text = "Dump of nfc:\n" + Self.block(Self.stream(Self.records)) + "--- END ---\n"
    let trace = try decode(text, as: "nfcsnoop")
    #expect(trace.header?.clock == TraceClock(tickUnit: "us", origin: "1970-01-01T00:00:00Z"))
    #expect(
      frameLines(trace.events).string == "H 20000101\nC 400003001001\nC 6f0c020801\nC \n")
    let microseconds = trace.events.map { $0.start.count / 1_000 }
    #expect(
      microseconds == [
        1_699_995_705_031_198, 1_699_995_705_032_698, 1_699_999_999_999_993, 1_700_000_000_000_000,
      ])
    #expect(trace.events.map { $0.comment == nil } == [true, true, false, true])
  }

  @Test("Blocks stand in file order; the second begins before the end of the first")
  func twoBlocks() throws {
    let text =
      Self.block(Self.stream(Self.records))
      + Self.block(
        Self.stream([(0, true, [0x6F, 0x0C, 0x00])]), name: "NFCSNOOP_VS_LOG_SUMMARY",
        last: 1_699_999_000_000_000)
    let trace = try decode(text, as: "nfcsnoop")
    #expect(trace.events.count == 5)
    #expect(trace.events.map(\.isOutOfOrder) == [false, false, false, false, true])
  }

  @Test("An empty block is a trace without events")
  func emptyBlock() throws {
    let trace = try decode(Self.block([]), as: "nfcsnoop")
    #expect(trace.events.isEmpty && trace.header != nil)
  }

  @Test("Blocks that are cut off, damaged or lie are bad input")
  func badBlocks() throws {
    let good = Self.block(Self.stream(Self.records))
    let lines = good.split(separator: "\n").map(String.init)
    let begin = lines[0] + "\n"
    let end = lines[lines.count - 1] + "\n"
    #expect(place(of: good, as: "nfcsnoop") == nil)
    #expect(place(of: begin + lines[1], as: "nfcsnoop") == .line(1))
    #expect(place(of: begin + end, as: "nfcsnoop") == .line(1))
    #expect(place(of: begin + good, as: "nfcsnoop") == .line(2))
    #expect(place(of: begin + "AU?i\n" + end, as: "nfcsnoop") == .line(2))
    #expect(place(of: begin + "AUA=Ai==\n" + end, as: "nfcsnoop") == .line(2))
    let torn = begin + lines[1].prefix(40) + "\n" + end
    #expect(place(of: torn, as: "nfcsnoop") == .line(1))
    let faults = [
      Self.block(Self.stream(Self.records), version: 2),
      Self.block(Self.stream(Self.records), length: 7),
      Self.block(Self.stream(Self.records), last: 5),
      Self.block(Self.stream(Self.records), last: .max),
      Self.block([0xFF, 0xFF, 0, 0, 0, 0, 0]), Self.block([0, 0, 0]),
      "a dumpsys without blocks\n",
    ]
    for fault in faults { #expect(place(of: fault, as: "nfcsnoop") == .line(1)) }
  }

  @Test("What a block may inflate to is bounded")
  func bound() throws {
    let stream = [UInt8](repeating: 0, count: 7 * 100)
    #expect(try decode(Self.block(stream), as: "nfcsnoop").events.count == 100)
    var inflater = Inflater(.zlib, limit: 700)
    var output: [UInt8] = []
    try inflater.inflate(Packing.zlib(stream)[...], into: &output)
    #expect(output.count == 700 && inflater.isFinished)
    #expect(throws: Inflater.Failure.tooLong(limit: 699)) {
      var tight = Inflater(.zlib, limit: 699)
      var output: [UInt8] = []
      try tight.inflate(Packing.zlib(stream)[...], into: &output)
    }
  }
}
