import NFCProtocols
import ProtocolTesting
import Testing

@testable import NFCTrace

/// A made-up activation, compared with variants of itself.
@Suite("Comparison of traces")
struct TraceComparisonTests {
  private static func frame(
    _ sender: FrameSender, _ bytes: [UInt8], at microseconds: Int64?, lasting length: Int64? = nil
  ) -> FrameRecord {
    FrameRecord(
      sender, bytes, start: microseconds.map { .microseconds($0) },
      end: microseconds.flatMap { start in length.map { .microseconds(start + $0) } })
  }

  static let trace = [
    frame(.reader, [0x26], at: 0, lasting: 78), frame(.card, [0x44, 0x00], at: 164),
    frame(.reader, [0x93, 0x20], at: 520), frame(.card, [0x08, 0x01, 0x02, 0x03, 0x08], at: 780),
  ]

  private func text(
    _ first: [FrameRecord], _ second: [FrameRecord], tolerance: Nanoseconds? = .microseconds(1)
  ) -> String {
    let report = ComparisonReport(
      TraceComparison(first, second, tolerance: tolerance), firstName: "a.retap",
      secondName: "b.retap", tolerance: tolerance)
    var text = TextBuffer()
    report.appendText(to: &text)
    return text.string
  }

  private func json(_ first: [FrameRecord], _ second: [FrameRecord]) -> String {
    let tolerance = Nanoseconds.microseconds(1)
    let report = ComparisonReport(
      TraceComparison(first, second, tolerance: tolerance), firstName: "a", secondName: "b",
      tolerance: tolerance)
    var json = JSONLineWriter()
    report.appendJSON(to: &json)
    return json.buffer.string
  }

  @Test("A trace is the same as itself, also at another time of day")
  func same() {
    let later = Self.trace.map { frame in
      var frame = frame
      frame.start = frame.start.map { $0 + .seconds(3_600) }
      frame.end = frame.end.map { $0 + .seconds(3_600) }
      return frame
    }
    #expect(TraceComparison(Self.trace, later, tolerance: .zero).isSame)
    #expect(
      text(Self.trace, later)
        == "same: 4 frames agree in bytes; times of 3 compared, 0 differ by more than 1us\n")
    #expect(TraceComparison([], [], tolerance: .zero).isSame)
  }

  @Test("Another byte, a frame more, a late frame: each is told once")
  func differences() {
    var second = Self.trace
    second[1].bytes = [0x44, 0x03]
    second.insert(Self.frame(.reader, [0x52], at: 400), at: 2)
    for index in 4..<second.count { second[index].start? += .microseconds(6_200) }
    #expect(
      text(Self.trace, second) == """
        --- a.retap
        +++ b.retap
               1      1  R 26
        -      2         T 44 00
        +             2  T 44 03
                              ^^ byte 2
        +             3  R 52
               3      4  R 93 20
        ~      4      5  T 08 01 02 03 08
                           starts 260us → 6.46ms (+6.2ms) after the frame before
        different: 3 frames agree in bytes, 1 changed, 1 only in b.retap; times of 3 compared, \
        1 differ by more than 1us

        """)
  }

  @Test("The same as JSON, one object a line")
  func jsonLines() {
    var second = Self.trace
    second.removeLast()
    second[2].start? += .microseconds(50)
    #expect(
      json(Self.trace, second) == """
        {"kind":"time","first":{"frame":3,"sender":"R","bytes":"9320","start_ns":520000},\
        "second":{"frame":3,"sender":"R","bytes":"9320","start_ns":570000},\
        "interval":{"first_ns":356000,"second_ns":406000}}
        {"kind":"onlyFirst","first":{"frame":4,"sender":"T","bytes":"0801020308",\
        "start_ns":780000}}
        {"kind":"summary","same":false,"agreed":3,"changed":0,"only_first":1,"only_second":0,\
        "times_compared":2,"times_differing":1,"tolerance_ns":1000,"shortest_alignment":true}

        """)
  }

  @Test("A difference of just the tolerance does not count, one nanosecond more does")
  func tolerance() {
    var second = Self.trace
    second[3].start? += .microseconds(100)
    #expect(TraceComparison(Self.trace, second, tolerance: .microseconds(100)).isSame)
    #expect(!TraceComparison(Self.trace, second, tolerance: Nanoseconds(99_999)).isSame)
    #expect(TraceComparison(Self.trace, second, tolerance: nil).isSame)
    second[3].start? += .microseconds(-200)
    #expect(TraceComparison(Self.trace, second, tolerance: .microseconds(100)).isSame)
    second[0].end? += .microseconds(3)
    let comparison = TraceComparison(Self.trace, second, tolerance: .microseconds(100))
    #expect(comparison.isSame)
    #expect(
      TraceComparison(Self.trace, second, tolerance: .microseconds(2)).entries[0].length != nil)
  }

  @Test("Frames without a time have no difference of time")
  func unknownTimes() {
    let second = Self.trace.map { FrameRecord($0.sender, $0.bytes) }
    let comparison = TraceComparison(Self.trace, second, tolerance: .zero)
    #expect(comparison.isSame)
    #expect(comparison.timedPairs == 0)
  }

  @Test("Times at the ends of the range do not overflow")
  func extremeTimes() {
    let limit = Nanoseconds(TraceLimits.time)
    let low = Nanoseconds(-TraceLimits.time)
    let first = [FrameRecord(.reader, [1], start: low), FrameRecord(.card, [2], start: limit)]
    let second = [FrameRecord(.reader, [1], start: limit), FrameRecord(.card, [2], start: low)]
    let comparison = TraceComparison(first, second, tolerance: .zero)
    #expect(comparison.timeDifferences == 1)
    #expect(text(first, second).contains("different"))
  }

  @Test("Long frames are shown around the first difference")
  func longFrames() {
    let left = FrameRecord(.card, (0..<60).map { UInt8($0) })
    var bytes = left.bytes
    bytes[40] = 0xFF
    let report = text([left], [FrameRecord(.card, bytes)], tolerance: nil)
    #expect(report.contains("-      1         T … 20 21 22"))
    #expect(report.contains("^^ byte 41"))
    #expect(report.contains("… (60 bytes)"))
    let lines = report.split(separator: "\n").map(Array.init)
    let column = lines[4].firstIndex(of: "^") ?? 0
    #expect(String(lines[2][column...].prefix(2)) == "28")
    #expect(String(lines[3][column...].prefix(2)) == "FF")
  }

  @Test("Frames between host and chip are compared as whole frames, not as transfers")
  func linkFrames() {
    var whole = FrameCollector()
    var pieces = FrameCollector()
    let bytes: [UInt8] = [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00]
    whole.append(TraceEvent(start: .zero, .link(LinkTransfer(.outbound, bytes))))
    for piece in [bytes[..<5], bytes[5...]] {
      pieces.append(
        TraceEvent(
          start: .zero, .link(LinkTransfer(.outbound, Array(piece), transport: .serial)),
          isTimeUnknown: true))
    }
    let ack = LinkTransfer(.inbound, [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00])
    whole.append(TraceEvent(start: .zero, .link(ack)))
    pieces.append(TraceEvent(start: .zero, .link(ack)))
    #expect(whole.frames.map(\.mark) == [nil, "ack"])
    #expect(TraceComparison(whole.frames, pieces.frames, tolerance: .zero).isSame)
  }

  @Test(
    "Tolerances as text",
    arguments: [
      ("100us", 100_000), ("6.2ms", 6_200_000), ("1s", 1_000_000_000), ("5", nil), ("x", nil),
    ] as [(String, Int64?)])
  func durationText(text: String, count: Int64?) {
    #expect(Nanoseconds(durationText: text)?.count == count)
  }
}
