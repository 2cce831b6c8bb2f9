import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

/// Files of format versions that were written once are read for ever.
@Suite struct CompatibilityTests {
  @Test func readsVersionOneInBothEncodings() throws {
    let text = try PackageFile.bytes("captures/compat/v1/sample.retap")
    let pcapng = try PackageFile.bytes("captures/compat/v1/sample.pcapng")
    let first = try DecodedTrace.decode(text, with: TextTraceDecoder())
    let second = try DecodedTrace.decode(pcapng, with: PcapngTraceDecoder())
    #expect(first.events.count == 46)
    #expect(first.warnings == [])
    #expect(first == second)
    #expect(first.ending == TraceEnding(isComplete: true, trailingLines: ["", "# the end"]))
    let header = try #require(first.header)
    #expect(header.extensions.last?.value == " blank at both ends, é ")
    #expect(
      try encode(header, first.events, #require(first.ending), with: TextTraceEncoder()) == text)
    #expect(
      try encode(header, first.events, #require(first.ending), with: PcapngTraceEncoder())
        == pcapng)
    #expect(
      first.events[1]
        == TraceEvent(
          start: Nanoseconds(5_121_000), end: Nanoseconds(5_198_876),
          .radio(
            .outbound,
            RadioFrame([0x26], lastByteBits: 7, technology: .a, crc: .absent)),
          sourceTicks: SourceTicks(start: 69_440, length: 1_056),
          uncertainty: Nanoseconds(1_000), comment: "REQA"))
  }

  @Test func readsTheCapturesWithoutAWarning() throws {
    let captures = try PackageFile.captures()
    #expect(captures.count >= 6)
    for path in captures {
      let bytes = try PackageFile.bytes(path)
      let trace = try DecodedTrace.decode(bytes, with: TextTraceDecoder())
      #expect(trace.warnings == [], "\(path)")
      #expect(trace.ending?.isComplete == true, "\(path)")
      let canonical = try text(
        #require(trace.header), trace.events, #require(trace.ending))
      #expect(canonical == bytes, "\(path) is not in canonical form")
      for case .radio(_, let frame) in trace.events.map(\.content) where frame.crc == .good {
        #expect(CRC16.a.check(frame.bytes), "\(path)")
      }
    }
  }
}
