import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct ProxmarkExportTests {
  private func encode(_ events: [TraceEvent], _ header: TraceHeader) throws(TraceError) -> [UInt8] {
    var trace = DecodedTrace()
    trace.header = header
    trace.events = events
    return try CaptureDecoding.encode(trace, with: ProxmarkEncoder())
  }

  @Test func aTraceComesBackByteForByte() throws {
    let trace = try DecodedTrace.decode(
      ProxmarkTests.activation, with: ProxmarkDecoder(ImportOptions()))
    #expect(try CaptureDecoding.encode(trace, with: ProxmarkEncoder()) == ProxmarkTests.activation)
  }

  @Test(.enabled(if: SharedFolder.isExpected, "no shared folder beside this checkout"))
  func publishedTracesComeBackByteForByte() throws {
    let rows = CaptureCorpusTests.rows.filter {
      $0.path.hasPrefix("pm3-trace/hf_14a") || $0.path.hasPrefix("pm3-trace/hf_mf")
        || $0.path.contains("pm3_edge")
    }
    #expect(rows.count >= 11)
    for row in rows {
      let bytes = try SharedFolder.bytes("corpus/" + row.path)
      let trace = try DecodedTrace.decode(bytes, with: ProxmarkDecoder(ImportOptions()))
      #expect(
        try CaptureDecoding.encode(trace, with: ProxmarkEncoder()) == bytes, "\(row.path)")
    }
  }

  /// Without ticks of a Proxmark3 the times and durations are computed.
  @Test func framesOfOtherSourcesGetDurationsThatKeepShortFrames() throws {
    let events = [
      TraceEvent(start: .zero, .field(FieldChange(isOn: true))),
      TraceEvent(
        start: .milliseconds(5),
        .radio(.outbound, RadioFrame([0x26], lastByteBits: 7, technology: .a))),
      TraceEvent(
        start: .milliseconds(6), .radio(.inbound, RadioFrame([0x44, 0x00], technology: .a))),
      TraceEvent(
        start: .milliseconds(7),
        .radio(.inbound, RadioFrame([0x0A], lastByteBits: 4, technology: .a))),
    ]
    let bytes = try encode(events, TraceHeader())
    let expected =
      CaptureBytes.proxmark(67_800, 1_056, tag: false, "26", parity: "00")
      + CaptureBytes.proxmark(81_360, 2_368, tag: true, "44 00", parity: "C0")
      + CaptureBytes.proxmark(94_920, 576, tag: true, "0A", parity: "00")
    #expect(bytes == expected)
  }

  /// Link type 264 does not name the technology; a REQA of seven bits does.
  @Test func aShortFrameTellsTheTechnologyOfWhatFollows() throws {
    let events = [
      TraceEvent(start: .zero, .radio(.outbound, RadioFrame([0x26], lastByteBits: 7))),
      TraceEvent(start: .milliseconds(1), .radio(.inbound, RadioFrame([0x44, 0x00]))),
    ]
    let expected =
      CaptureBytes.proxmark(0, 1_056, tag: false, "26", parity: "00")
      + CaptureBytes.proxmark(13_560, 2_368, tag: true, "44 00", parity: "C0")
    #expect(try encode(events, TraceHeader()) == expected)
  }

  @Test func aCRCThatWasNotCapturedIsComputed() throws {
    let event = TraceEvent(
      start: .zero, .radio(.outbound, RadioFrame([0x30, 0x04], crc: .notCaptured)))
    let bytes = try encode([event], TraceHeader(technology: .a))
    // READ of page 4 with CRC_A 26 EE, as in published traces.
    #expect(Array(bytes[8..<12]) == [0x30, 0x04, 0x26, 0xEE])
    #expect(throws: TraceError.self) { try encode([event], TraceHeader()) }
  }

  @Test func computedCRCsAndEventsLeftOutAreTold() throws {
    let frame = RadioFrame([0x30, 0x04], technology: .a, crc: .notCaptured)
    var encoder = ProxmarkEncoder()
    var output: [UInt8] = []
    try encoder.begin(TraceHeader(), into: &output)
    #expect(encoder.remarks.isEmpty)
    try encoder.encode(
      TraceEvent(start: .zero, .field(FieldChange(isOn: true))), into: &output)
    try encoder.encode(TraceEvent(start: .zero, .radio(.outbound, frame)), into: &output)
    try encoder.finish(TraceEnding(isComplete: nil), into: &output)
    #expect(
      encoder.remarks == [
        "the CRC of 1 frames was not captured and has been computed",
        "1 events that the format has no place for were left out",
      ])
  }

  @Test(arguments: ["pm3-trace", "apdu4j", "nfc-laboratory", "nfcgate"])
  func aTraceOfWhichNothingIsLeftIsAnError(name: String) throws {
    let format = try #require(TraceFormat.all.first { $0.name == name })
    let makeEncoder = try #require(format.makeEncoder)
    var encoder = makeEncoder(ExportOptions())
    var output: [UInt8] = []
    try encoder.begin(TraceHeader(), into: &output)
    try encoder.encode(TraceEvent(start: .zero, .application(.inbound, "hello")), into: &output)
    do throws(TraceError) {
      try encoder.finish(TraceEnding(isComplete: nil), into: &output)
      Issue.record("a file without events was written")
    } catch {
      guard case .cannotExpress(_, name, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func whatTheFormatHasNoPlaceForIsAnError() {
    let link = TraceEvent(start: .zero, .link(LinkTransfer(.outbound, [0x00])))
    let apdu = TraceEvent(start: .zero, .apdu(.outbound, [0x00, 0xA4, 0x04, 0x00]))
    for event in [link, apdu] {
      #expect {
        try encode([event], TraceHeader())
      } throws: { error in
        guard case .cannotExpress(_, "pm3-trace", let remedy)? = error as? TraceError else {
          return false
        }
        return remedy.contains("retap")
      }
    }
  }

  /// The client counts in 16 bits: 65,535 bytes are the most, one more is an error.
  @Test func theFileLimitIsTheClients() throws {
    func frame(_ count: Int) -> TraceEvent {
      TraceEvent(start: .zero, .radio(.inbound, RadioFrame([UInt8](repeating: 1, count: count))))
    }
    // 8 bytes in front, n data, (n - 1) / 8 + 1 parity: 29,120 data bytes take 32,768.
    let half = 29_120
    #expect(try encode([frame(half)], TraceHeader()).count == 32_768)
    #expect(try encode([frame(half), frame(half - 1)], TraceHeader()).count == 65_535)
    #expect(throws: TraceError.self) { try encode([frame(half), frame(half)], TraceHeader()) }
  }
}
