import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@Suite struct TextTraceTests {
  /// The sample of the product page, with a hash of its own.
  static let sample = """
    retap 1
    reader   usb:04e6:5591 SCL3711, PN533 2.7
    role     reader
    clock    ns, monotonic
    made-by  retap 0.1 record read

    # time          layer  what
              0     field  on A
      5 121 000     rf  >  26'7            +77.9us        ; short frame, 7 bits
      5 285 300     rf  <  44 00                           ; 86.4 µs after the end of REQA
     31 004 212     apdu > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
     38 771 090     apdu < 90 00

    """

  static func decode(_ text: String) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(Array(text.utf8), with: TextTraceDecoder())
  }

  @Test func readsTheSampleOfTheProductPage() throws {
    let trace = try Self.decode(Self.sample)
    let header = try #require(trace.header)
    #expect(
      header.reader == ReaderIdentity(address: "usb:04e6:5591", name: "SCL3711, PN533 2.7"))
    #expect(header.role == .reader)
    #expect(header.clock == TraceClock(tickUnit: "ns", origin: "monotonic"))
    #expect(header.madeBy == "retap 0.1 record read")
    #expect(header.trailingLines == ["# time          layer  what"])
    let reqa = TraceEvent(
      start: Nanoseconds(5_121_000), end: Nanoseconds(5_198_900),
      .radio(.outbound, RadioFrame([0x26], lastByteBits: 7)), comment: "short frame, 7 bits")
    #expect(trace.events.count == 5)
    #expect(trace.events[0].content == .field(FieldChange(isOn: true, technology: .a)))
    #expect(trace.events[1] == reqa)
    #expect(trace.events[2].comment == "86.4 µs after the end of REQA")
    #expect(trace.events[4].content == .apdu(.inbound, [0x90, 0x00]))
    #expect(trace.ending?.isComplete == false)
    #expect(trace.warnings.map(\.place) == [.line(13)])
  }

  @Test func writesTheCanonicalForm() throws {
    let trace = try Self.decode(Self.sample)
    let output = try text(
      #require(trace.header), trace.events, TraceEnding(isComplete: true))
    #expect(
      String(decoding: output, as: UTF8.self) == """
        retap 1
        reader   usb:04e6:5591 SCL3711, PN533 2.7
        role     reader
        clock    ns, monotonic
        made-by  retap 0.1 record read

        # time          layer  what
                      0  field on A
              5 121 000  rf    > 26'7             +77.9us              ; short frame, 7 bits
              5 285 300  rf    < 44 00                                 ; 86.4 µs after the end of REQA
             31 004 212  apdu  > 00 A4 04 00 07 D2 76 00 00 85 01 01 00
             38 771 090  apdu  < 90 00
        end events=5 hash=64d1fa55568e93e4

        """)
  }

  @Test(
    arguments: [
      ("5.121ms", 5_121_000), ("5121us", 5_121_000), ("-3µs", -3_000), ("0.000000001s", 1),
      ("5 121 000", 5_121_000), ("5121000", 5_121_000), ("-1 000", -1_000), ("12", 12),
      ("1.500000us", 1_500), ("4 000 000 000 000 000 000", 4_000_000_000_000_000_000),
    ] as [(String, Int64)])
  func readsTimes(written: String, nanoseconds: Int64) throws {
    let trace = try Self.decode("retap 1\n\(written) field off\n")
    #expect(trace.events.first?.start == Nanoseconds(nanoseconds))
  }

  @Test(arguments: [
    "1.0001us", "5.ms", "5 21 000", "5121 000", "1e3", "5m", "4 000 000 000 000 000 001",
    "99999999999999999999", "9999999999999999999s", "--1", "-",
  ])
  func refusesTimes(written: String) {
    #expect(throws: TraceError.self) { try Self.decode("retap 1\n\(written) field off\n") }
  }

  @Test func writesEveryConstructAsItReadsIt() throws {
    for seed in 0..<150 as Range<UInt64> {
      var generator = TraceGenerator(seed: seed)
      let header = generator.header()
      let events = (0..<20).map { _ in generator.event() }
      let ending = generator.ending()
      let first = try text(header, events, ending)
      let trace = try DecodedTrace.decode(first, with: TextTraceDecoder())
      let second = try text(
        #require(trace.header), trace.events, #require(trace.ending))
      #expect(
        String(decoding: second, as: UTF8.self) == String(decoding: first, as: UTF8.self),
        "seed \(seed)")
      #expect(trace.ending?.isComplete == ending.isComplete)
      #expect(trace.warnings.count == (ending.isComplete == true ? 0 : 1))
      for (original, read) in zip(events, trace.events) {
        try #require(read.start == original.start, "seed \(seed)")
        #expect(read.end == original.end)
        #expect(read.sourceTicks == original.sourceTicks)
        #expect(read.uncertainty == original.uncertainty)
        #expect(read.isTimeUnknown == original.isTimeUnknown)
        guard case .radio(let direction, var frame) = original.content else {
          #expect(read.content == original.content, "seed \(seed)")
          continue
        }
        frame.technology = frame.technology ?? header.technology
        #expect(read.content == .radio(direction, frame), "seed \(seed)")
      }
    }
  }

  @Test func doesNotDependOnHowTheTextIsCut() throws {
    var generator = TraceGenerator(seed: 7)
    let bytes = try text(
      generator.header(), (0..<12).map { _ in generator.event() }, generator.ending())
    let whole = try DecodedTrace.decode(bytes, with: TextTraceDecoder())
    for pieces in SplitVerifier.cuts(of: bytes) {
      #expect(try DecodedTrace.decode(pieces, with: TextTraceDecoder()) == whole)
    }
  }

  @Test func readsWindowsLineEndsAndAByteOrderMark() throws {
    let trace = try Self.decode("\u{FEFF}retap 1\r\n0 apdu > 00b0 0000\r\n")
    #expect(trace.events.map(\.content) == [.apdu(.outbound, [0x00, 0xB0, 0x00, 0x00])])
  }

  /// A person who writes a trace closes it with a bare `end`.
  @Test func takesABareEnd() throws {
    let trace = try Self.decode("retap 1\n0 field on\nend\n")
    #expect(trace.ending?.isComplete == true)
    #expect(trace.warnings.isEmpty)
  }

  @Test func takesACommentWithoutABlankInFront() throws {
    let trace = try Self.decode("retap 1\n0 rf > 26'7; REQA\n1 rf < 44 00 collision;x\nend\n")
    #expect(trace.events.map(\.comment) == ["REQA", "x"])
  }

  @Test func marksTimesThatGoBack() throws {
    let trace = try Self.decode("retap 1\n5 field on\n3 field off\n4 field on\n")
    #expect(trace.events.map(\.isOutOfOrder) == [false, true, false])
    #expect(trace.warnings.first?.place == .line(3))
  }
}
