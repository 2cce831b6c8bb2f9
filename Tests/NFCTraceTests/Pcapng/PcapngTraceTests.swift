import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@Suite struct PcapngTraceTests {
  /// A made trace as text and as pcapng.
  static func made(
    seed: UInt64, events count: Int = 20
  ) throws(TraceError) -> (text: [UInt8], pcapng: [UInt8]) {
    var generator = TraceGenerator(seed: seed)
    let written = try text(
      generator.header(), (0..<count).map { _ in generator.event() }, generator.ending())
    return (written, try pcapng(ofText: written))
  }

  static func pcapng(ofText bytes: [UInt8]) throws(TraceError) -> [UInt8] {
    try convert(bytes, from: TextTraceDecoder(), to: PcapngTraceEncoder())
  }

  static func textOf(pcapng bytes: [UInt8]) throws(TraceError) -> String {
    String(
      decoding: try convert(bytes, from: PcapngTraceDecoder(), to: TextTraceEncoder()),
      as: UTF8.self)
  }

  static func convert(
    _ bytes: [UInt8], from decoder: any TraceDecoder, to encoder: any TraceEncoder
  ) throws(TraceError) -> [UInt8] {
    let trace = try DecodedTrace.decode(bytes, with: decoder)
    guard let header = trace.header, let ending = trace.ending else { return [] }
    return try encode(header, trace.events, ending, with: encoder)
  }

  @Test func textToPcapngToTextChangesNothing() throws {
    for seed in 0..<150 as Range<UInt64> {
      let (text, pcapng) = try Self.made(seed: seed)
      #expect(
        try Self.textOf(pcapng: pcapng) == String(decoding: text, as: UTF8.self), "seed \(seed)")
    }
  }

  @Test func readsTheEventsThatTheTextHolds() throws {
    let (text, pcapng) = try Self.made(seed: 3, events: 200)
    let first = try DecodedTrace.decode(text, with: TextTraceDecoder())
    let second = try DecodedTrace.decode(pcapng, with: PcapngTraceDecoder())
    #expect(second.header == first.header)
    #expect(second.ending == first.ending)
    for (left, right) in zip(first.events, second.events) { #expect(left == right) }
    #expect(first.events.count == second.events.count)
  }

  @Test func doesNotDependOnHowTheFileIsCut() throws {
    let (_, pcapng) = try Self.made(seed: 5, events: 8)
    let whole = try DecodedTrace.decode(pcapng, with: PcapngTraceDecoder())
    for pieces in SplitVerifier.cuts(of: pcapng) {
      #expect(try DecodedTrace.decode(pieces, with: PcapngTraceDecoder()) == whole)
    }
  }

  @Test func readsACutRecordingUpToTheCut() throws {
    let (_, pcapng) = try Self.made(seed: 9, events: 8)
    let whole = try DecodedTrace.decode(pcapng, with: PcapngTraceDecoder())
    var reader = PcapngReader()
    reader.append(pcapng[...])
    // Behind the header block, each cut gives a beginning of the trace.
    _ = try reader.next()
    _ = try reader.next()
    for length in reader.offset..<pcapng.count {
      let trace = try DecodedTrace.decode(Array(pcapng[..<length]), with: PcapngTraceDecoder())
      #expect(trace.ending?.isComplete == false)
      #expect(!trace.warnings.isEmpty)
      #expect(trace.events.count <= whole.events.count)
      if let last = trace.events.dropLast().last {
        #expect(last == whole.events[trace.events.count - 2])
      }
    }
    for length in 0..<reader.offset {
      #expect(throws: TraceError.self) {
        try DecodedTrace.decode(Array(pcapng[..<length]), with: PcapngTraceDecoder())
      }
    }
  }

  @Test func knowsItsOwnFiles() throws {
    let (text, pcapng) = try Self.made(seed: 1)
    #expect(PcapngTraceDecoder.recognises(pcapng[...]))
    #expect(!PcapngTraceDecoder.recognises(text[...]))
    #expect(!PcapngTraceDecoder.recognises(try stripped(pcapng)[...]))
    #expect(throws: TraceError.self) {
      try DecodedTrace.decode(try stripped(pcapng), with: PcapngTraceDecoder())
    }
  }

  /// No damage of one byte crashes the reader.
  @Test func survivesDamage() throws {
    let (_, pcapng) = try Self.made(seed: 13, events: 6)
    for offset in pcapng.indices {
      for value in [0xFF, pcapng[offset] ^ 0x81] as [UInt8] {
        var damaged = pcapng
        damaged[offset] = value
        _ = try? DecodedTrace.decode(damaged, with: PcapngTraceDecoder())
      }
    }
  }

  // MARK: The packets are the truth

  private static let short = """
    retap 1
    technology A

          5 121 000  rf    > 26'7             crc=absent parity=odd ; REQA
          5 285 300  rf    < 44 00            crc=absent
          6 000 000  link  > 00 00 FF 02 FE D4 02 2A 00 +77us
          7 000 000  link  < 00 00 FF 00 FF 00
    end

    """

  private func edited(_ change: (inout [UInt8]) -> Void) throws -> [String] {
    var bytes = try Self.pcapng(ofText: Array(Self.short.utf8))
    change(&bytes)
    let text = try Self.textOf(pcapng: bytes)
    return text.split(separator: "\n").filter { $0.first == " " }.map(String.init)
  }

  private func place(of part: [UInt8], in bytes: [UInt8]) -> Int {
    bytes.indices.first { bytes[$0...].starts(with: part) } ?? 0
  }

  @Test func changedBytesChangeTheText() throws {
    let lines = try edited { $0[place(of: [0, 0xFE, 0, 1, 0x26], in: $0) + 4] = 0x52 }
    #expect(lines[0].contains("rf    > 52'7"))
    #expect(lines[0].contains("; REQA"))
    let answer = try edited { $0[place(of: [0xD4, 0x02, 0x2A, 0], in: $0) + 1] = 0x04 }
    #expect(answer[2].contains("link  > 00 00 FF 02 FE D4 04 2A 00"))
  }

  @Test func changedDirectionsChangeTheText() throws {
    let lines = try edited { $0[place(of: [0, 0xFE, 0, 1, 0x26], in: $0) + 1] = 0xFF }
    #expect(lines[0].contains("rf    < 26'7"))
  }

  @Test func changedTimesChangeTheText() throws {
    // 5,121,000 is 004E 23E8, 6,000,000 is 005B 8D80, 6,077,000 is 005C BA48.
    let lines = try edited { $0[place(of: [0xE8, 0x23, 0x4E, 0], in: $0)] = 0xE9 }
    #expect(lines[0].contains(" 5 121 001  rf"))
    let start = try edited { bytes in
      let submit = bytes.indices.filter { bytes[$0...].starts(with: [0x80, 0x8D, 0x5B, 0]) }
      // The descriptors come first, then the submitted transfer.
      bytes[submit[submit.count - 1]] = 0x81
    }
    #expect(start[2].contains(" 6 000 001  link"))
    let end = try edited { $0[place(of: [0x48, 0xBA, 0x5C, 0], in: $0)] = 0x49 }
    #expect(end[2].contains("+77.001us"))
  }

  @Test func changedStatusChangesTheText() throws {
    let lines = try edited { bytes in
      let last = bytes.indices.last { bytes[$0...].starts(with: [0, 0, 0xFF, 0, 0xFF, 0]) } ?? 64
      // The status lies 36 bytes in front of the data.
      bytes.replaceSubrange(last - 36..<last - 32, with: [0xE0, 0xFF, 0xFF, 0xFF])
    }
    #expect(lines[3].contains(" stall"))
  }
}

/// A pcapng file without any option but those of interfaces, and without blocks for local use.
func stripped(_ bytes: [UInt8]) throws(TraceError) -> [UInt8] {
  var reader = PcapngReader()
  reader.append(bytes[...])
  let writer = PcapngWriter()
  var output: [UInt8] = []
  while let item = try reader.next() {
    switch item {
    case .section: writer.section(into: &output)
    case .interface(let interface): writer.interface(interface, into: &output)
    case .packet(let packet):
      writer.packet(
        interface: packet.interface, timestamp: packet.timestamp, data: Array(packet.data),
        originalLength: packet.originalLength, into: &output)
    case .block: break
    }
  }
  return output
}
