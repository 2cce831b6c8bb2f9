import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// nfc-laboratory's JSON and its packed form, with made-up frames.
@Suite("nfc-laboratory")
struct LaboratoryTests {
  /// A frame with the members that the program writes.
  static func frame(
    _ technology: Int, _ type: Int, _ data: String?, flags: Int = 0, rate: Int = 105_938,
    start: String = "1000", end: String = "1760", sampleRate: String = "10000000"
  ) -> String {
    let member = data.map { "\"frameData\": \"\($0)\", " } ?? ""
    return """
      {"dateTime": 0.0001, \(member)"frameFlags": \(flags), "framePhase": 258,
       "frameRate": \(rate), "frameType": \(type), "sampleEnd": \(end), "sampleRate": \(sampleRate),
       "sampleStart": \(start), "techType": \(technology), "timeEnd": 0.000176, "timeStart": 0.0001}
      """
  }

  static func file(_ frames: String...) -> String {
    "{\n  \"frames\": [\n" + frames.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  static let all = file(
    frame(256, 257, nil, start: "0", end: "0"),
    frame(257, 258, "52", flags: 1), frame(257, 259, "0A", flags: 1),
    frame(257, 258, "93:70:88", flags: 0x12, rate: 211_875),
    frame(258, 258, "05:00:00:71:FF", flags: 0x20, rate: 847_500),
    frame(259, 259, "12:01", flags: 0x48, rate: 423_750),
    frame(260, 258, "26:01:00:F6:0A", rate: 26_484),
    frame(513, 0x211, "00:A4:04:00"), frame(513, 0x212, "90:00"), frame(513, 0x201, "3B:00"),
    frame(256, 256, nil))

  @Test("Technologies, bit rates, flags, field and contact frames")
  func content() throws {
    let trace = try decode(Self.all, as: "nfc-laboratory")
    #expect(
      frameLines(trace.events).string
        == "R 52\nT 0a\nR 937088\nR 05000071ff\nT 1201\nR 260100f60a\nR 00a40400\nT 9000\n")
    let frames = trace.events.compactMap(radio)
    #expect(frames.map(\.technology) == [.a, .a, .a, .b, .f, .v])
    #expect(frames.map(\.kilobitsPerSecond) == [106, 106, 212, 848, 424, 26])
    #expect(frames.map(\.lastByteBits) == [7, 4, 8, 8, 8, 8])
    #expect(frames.map(\.isEncrypted) == [false, false, true, false, false, false])
    #expect(frames.map(\.crc) == [nil, nil, nil, .bad, nil, nil])
    #expect(frames[4].isTruncated && frames[4].isCollision)
    #expect(trace.events[3].comment != nil)
    #expect(trace.events[0].content == .field(FieldChange(isOn: true)))
    #expect(trace.events[10].content == .field(FieldChange(isOn: false)))
    #expect(trace.events[9].content == .application(.inbound, "ATR 3B 00"))
    #expect(trace.header?.role == .sniff)
    #expect(trace.header?.clock == TraceClock(tickUnit: "1/10 MHz", origin: "start of recording"))
    #expect(trace.ending?.isComplete == true)
  }

  @Test(
    "Times are exact: from sample numbers, else from the decimal text of the seconds",
    arguments: [
      ("10806", "11566", "10000000", 1_080_600, 1_156_600),
      ("1", "3", "3", 333_333_333, 1_000_000_000),
      ("2", "4", "3", 666_666_667, 1_333_333_333),
      (
        "90071992547409931", "90071992547409933", "10000000", 9_007_199_254_740_993_100,
        9_007_199_254_740_993_300
      ),
      ("13560001", "13560003", "13560000", 1_000_000_074, 1_000_000_221),
    ])
  func sampleTimes(first: String, last: String, rate: String, start: Int64, end: Int64) throws {
    let text = Self.file(Self.frame(257, 258, "52", start: first, end: last, sampleRate: rate))
    let trace = try decode(text, as: "nfc-laboratory")
    if start > TraceLimits.time {
      // Beyond 126 years the sample numbers are no time; the seconds beside them are.
      #expect(trace.events[0].start.count == 100_000)
    } else {
      #expect(trace.events[0].start.count == start)
      #expect(trace.events[0].end?.count == end)
    }
  }

  @Test(
    "Decimal seconds become nanoseconds without a binary fraction in between",
    arguments: [
      ("0.0010806", 1_080_600), ("12.345678900000001", 12_345_678_900), ("1.5e-05", 15_000),
      ("0.0000000005", 1), ("0.00000000049999", 0), ("-0.25", -250_000_000), ("3", 3_000_000_000),
      ("1E2", 100_000_000_000), ("0e9999", 0), ("1e9999", nil), ("9223372037", nil),
      ("9007199.254740993", 9_007_199_254_740_993), ("x", nil), ("1e99999", nil),
    ] as [(String, Int64?)])
  func decimalText(text: String, nanoseconds: Int64?) {
    #expect(DecimalText.scaled(text, power: 9) == nanoseconds)
  }

  @Test("Seconds serve where there are no sample numbers; without any the time is unknown")
  func secondsOnly() throws {
    let trace = try decode(
      """
      {"frames": [{"techType": 257, "frameType": 258, "timeStart": 0.5, "timeEnd": 0.5000001},
        {"techType": 257, "frameType": 259, "frameData": "4:0"}]}
      """, as: "nfc-laboratory")
    #expect(trace.events.map(\.start.count) == [500_000_000, 0])
    #expect(trace.events[0].end?.count == 500_000_100)
    #expect(trace.events.map(\.isTimeUnknown) == [false, true])
    #expect(frameLines(trace.events).string == "R \nT 0400\n")
  }

  @Test("A file written again has the same events; A, B, F, V, field and contact frames")
  func roundTrip() throws {
    let trace = try decode(Self.all, as: "nfc-laboratory")
    let again = try decode(encode(trace, as: "nfc-laboratory"), as: "nfc-laboratory")
    #expect(again.events == trace.events)
    #expect(again.header?.clock == trace.header?.clock)
  }

  @Test("What the program has no place for survives in members of our own")
  func extras() throws {
    var trace = DecodedTrace()
    trace.header = TraceHeader(technology: .a)
    let bytes: [UInt8] = [0x93, 0x35, 0x01]
    trace.events = [
      TraceEvent(
        start: Nanoseconds(1), end: Nanoseconds(123_456_789),
        .radio(
          .outbound,
          RadioFrame(
            bytes, lastByteBits: 3, technology: .a, parity: ParityBits([true, false, true]),
            crc: .absent)), comment: "a \"split\" byte\\"),
      TraceEvent(
        start: Nanoseconds(7),
        .radio(.inbound, RadioFrame([0x0A], lastByteBits: 4, technology: .a)),
        isTimeUnknown: true),
    ]
    let again = try decode(encode(trace, as: "nfc-laboratory"), as: "nfc-laboratory")
    #expect(again.events.map(\.content) == trace.events.map(\.content))
    #expect(again.events.map(\.start) == trace.events.map(\.start))
    #expect(again.events.map(\.end) == trace.events.map(\.end))
    #expect(again.events.map(\.comment) == trace.events.map(\.comment))
    #expect(again.events.map(\.isTimeUnknown) == [false, true])
  }

  @Test("A transfer or a frame without technology cannot be written")
  func cannotExpress() throws {
    var trace = DecodedTrace()
    trace.header = TraceHeader()
    trace.events = [TraceEvent(start: .zero, .link(LinkTransfer(.outbound, [0])))]
    #expect(throws: TraceError.self) { try encode(trace, as: "nfc-laboratory") }
    trace.events = [TraceEvent(start: .zero, .radio(.outbound, RadioFrame([0x26])))]
    #expect(throws: TraceError.self) { try encode(trace, as: "nfc-laboratory") }
    trace.header?.technology = .b
    #expect(try encode(trace, as: "nfc-laboratory").contains("\"techType\": 258"))
  }

  @Test(
    "JSON that is cut off, wrong or of others is bad input at its byte",
    arguments: [
      ("", 0), ("[]", 0), ("{\"frames\": [", 12), ("{\"frames\": [{]}", 13), ("{}", 0),
      ("{\"frames\": []} x", 15), ("{\"frames\": [7]}", 12),
      ("{\"frames\": [{\"techType\": 257}]}", 12),
      ("{\"frames\": [{\"techType\": 257, \"frameType\": 258, \"frameData\": \"zz\"}]}", 12),
      ("{\"frames\": [{\"techType\": 1e, ", 27), ("{\"frames\": \"\u{1}\"}", 11),
      ("{\"frames\": [{\"techType\": 01}]}", 27),
    ])
  func badJSON(text: String, offset: Int) {
    #expect(place(of: text, as: "nfc-laboratory") == .byte(offset))
  }

  @Test("Nesting is bounded")
  func depth() {
    func nested(_ count: Int) -> String {
      "{\"x\": " + String(repeating: "[", count: count) + String(repeating: "]", count: count)
        + ", \"frames\": []}"
    }
    #expect(place(of: nested(JSONReader.maximumDepth - 1), as: "nfc-laboratory") == nil)
    #expect(place(of: nested(JSONReader.maximumDepth), as: "nfc-laboratory") == .byte(70))
  }

  @Test("Strings of JSON: escapes and surrogate pairs")
  func strings() throws {
    var reader = JSONReader(Array(#"["a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800"]"#.utf8))
    #expect(
      try reader.readValue()
        == .array([.string("a\"\\/\u{8}\u{C}\n\r\té😀\u{FFFD}")]))
  }

  @Test("A .trz is a gzipped tar; other entries are passed over; the frames are the same")
  func archive() throws {
    let signal = [UInt8](repeating: 0x5A, count: 70_000)
    let tar =
      Packing.tarEntry("./PaxHeader", Array("17 mtime=1\n".utf8), type: 0x78)
      + Packing.tarEntry("radio-0.apcm", signal)
      + Packing.tarEntry("frame.json", Array(Self.all.utf8)) + [UInt8](repeating: 0, count: 1_024)
    let packed = Packing.gzip(tar)
    let plain = try decode(Self.all, as: "nfc-laboratory")
    for cut in SplitVerifier.cuts(of: packed, maximumSplits: 20) {
      #expect(try decode(cut, as: "nfc-laboratory-trz") == plain)
    }
    let first = Packing.gzip(Packing.tarEntry("frame.json", Array(Self.all.utf8)))
    let recognise = try format("nfc-laboratory-trz").recognise
    #expect(recognise(FileSample(bytes: first, isWhole: true)) == .certain)
    #expect(recognise(FileSample(bytes: packed, isWhole: true)) == .no)
    #expect(recognise(FileSample(bytes: packed, isWhole: true, name: "a.TRZ")) == .likely)
  }

  @Test("Archives that are cut off, damaged or of others are bad input")
  func badArchives() throws {
    let entry = Packing.tarEntry("frame.json", Array(Self.all.utf8))
    let packed = Packing.gzip(entry)
    var wrongSum = entry
    wrongSum[0] = 0x47
    let bad: [[UInt8]] = [
      Array(packed.prefix(600)), Array("plain text".utf8), [0x1F, 0x8B, 0x08],
      Packing.gzip(Packing.tarEntry("other.txt", [1, 2, 3])), Packing.gzip(wrongSum), [],
      Packing.gzip(Packing.tarEntry("frame.json", [])), Packing.gzip([UInt8](1...200)),
    ]
    for file in bad { #expect(place(of: file, as: "nfc-laboratory-trz") != nil) }
  }
}
