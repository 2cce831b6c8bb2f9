import NFCProtocols
import NFCTrace
import Testing

@Suite struct TraceSummaryTests {
  @Test func countsATrace() {
    var summary = TraceSummary()
    let events: [TraceEvent] = [
      TraceEvent(start: Nanoseconds(0), .field(FieldChange(isOn: true, technology: .a))),
      TraceEvent(
        start: Nanoseconds(5_000), end: Nanoseconds(6_000),
        .radio(.outbound, RadioFrame([0x26], lastByteBits: 7, technology: .a))),
      TraceEvent(
        start: Nanoseconds(6_500), .radio(.inbound, RadioFrame([0x44, 0], technology: .a))),
      TraceEvent(start: Nanoseconds(6_400), .apdu(.outbound, [0]), isOutOfOrder: true),
      TraceEvent(start: Nanoseconds(9_000), .apdu(.inbound, [0x90, 0])),
      TraceEvent(
        start: Nanoseconds(9_500), .link(LinkTransfer(.outbound, [0, 0, 0xFF, 0, 0xFF, 0]))),
      TraceEvent(start: .zero, .application(nil, "x"), isTimeUnknown: true),
    ]
    for event in events { summary.count(event) }
    var json = JSONLineWriter()
    summary.write(
      file: "a \"b\".retap", format: "retap", header: TraceHeader(role: .reader),
      ending: TraceEnding(isComplete: true), warnings: 0, into: &json)
    #expect(
      json.buffer.string == #"{"file":"a \"b\".retap","format":"retap","version":1,"#
        + #""complete":true,"role":"reader","made_by":null,"events":7,"#
        + #""frames":{"reader":2,"card":2,"host":1,"chip":0},"technologies":["A"],"#
        + #""frames_by_technology":{"A":2},"duration_ns":9500,"longest_gap_ns":5000,"#
        + #""out_of_order":1,"time_unknown":1,"field_changes":1,"bad_crc":0,"warnings":0}"# + "\n")
    #expect(summary.longestGap?.beforeEvent == 2)
  }

  @Test func survivesTimesAtTheBounds() {
    var summary = TraceSummary()
    for start in [Int64.min, Int64.max, 0] {
      summary.count(
        TraceEvent(start: Nanoseconds(start), end: Nanoseconds(start), .apdu(.outbound, [])))
    }
    #expect(summary.events == 3)
  }
}
