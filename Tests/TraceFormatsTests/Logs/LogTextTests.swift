import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Lines and times, which all text formats share.
@Suite("Lines and times of logs")
struct LogTextTests {
  /// The lines of a text, as strings.
  private func lines(_ pieces: [ArraySlice<UInt8>]) throws -> [String] {
    var splitter = LineSplitter()
    var result: [String] = []
    for piece in pieces {
      var rest = piece
      while !rest.isEmpty {
        guard let line = try splitter.next(from: &rest) else { continue }
        result.append("\(line.number):" + String(decoding: line.bytes, as: UTF8.self))
      }
    }
    if let line = splitter.last() {
      result.append("\(line.number):" + String(decoding: line.bytes, as: UTF8.self))
    }
    return result
  }

  @Test("Lines end with LF or CRLF; mark, colours and the missing last end go")
  func splitting() throws {
    let text = Array("\u{FEFF}one\r\n\n\u{1B}[1;31mthree\u{1B}[0m\nfour".utf8)
    for cut in SplitVerifier.cuts(of: text) {
      #expect(try lines(cut) == ["1:one", "2:", "3:three", "4:four"])
    }
    #expect(try lines([[0x1B], [0x5B]]) == ["1:"])
  }

  @Test("A line of the longest length passes, one byte more is bad input")
  func longLines() throws {
    let longest = [UInt8](repeating: 0x61, count: LineSplitter.maximumLineLength)
    #expect(try lines([longest[...], [0x0A]]).count == 1)
    #expect(throws: TraceError.self) { try lines([longest[...], [0x61], [0x0A]]) }
    #expect(throws: TraceError.self) { try lines([(longest + [0x61, 0x0A])[...]]) }
  }

  @Test(
    "Every form of time",
    arguments: [
      ("[   12.345678] x", 12_345_678_000, .elapsed), ("[    0.000001]", 1_000, .elapsed),
      ("1970-01-02 00:00:01,5 x", 86_401_500_000_000, .date),
      ("2000-03-01T00:00:00 x", 951_868_800_000_000_000, .date),
      ("01-02 00:00:00.001 x", 86_400_001_000_000, .dateWithoutYear),
      ("Feb  1 00:00:01 host", 2_678_401_000_000_000, .dateWithoutYear),
      ("3:564:942 - x", 3_564_942_000, .elapsed), ("626 ms [x]", 626_000_000, .elapsed),
      ("0.25 x", 250_000_000, .elapsed), ("1732960000.123 x", 1_732_960_000_123_000_000, .unix),
    ] as [(String, Int64, LogTimestamp.Kind)])
  func timestamps(text: String, nanoseconds: Int64, kind: LogTimestamp.Kind) {
    var line = Array(text.utf8)[...]
    let stamp = LogTimestamp.take(from: &line)
    #expect(stamp?.nanoseconds == nanoseconds)
    #expect(stamp?.kind == kind)
  }

  @Test(
    "What is no time is left alone",
    arguments: [
      "", "debug", "[x] y", "[12] y", "13-02 00:00:00 x", "01-32 00:00:00", "2024-01-02 24:00:00",
      "3:1000:1 - x", "99999999999999999999 ms x", "9223372036.9 x", "Mar x", "12.1234567890 x",
    ])
  func noTimestamps(text: String) {
    var line = Array(text.utf8)[...]
    #expect(LogTimestamp.take(from: &line) == nil)
    #expect(line.elementsEqual(text.utf8))
  }

  @Test("Days of the calendar and back")
  func calendar() {
    #expect(CivilDate.days(year: 1970, month: 1, day: 1) == 0)
    #expect(CivilDate.days(year: 2024, month: 2, day: 29) == 19_782)
    for (day, text) in [(0, "1970-01-01"), (19_782, "2024-02-29"), (19_783, "2024-03-01")] {
      #expect(CivilDate.text(ofDay: Int64(day)) == text)
    }
  }

  @Test("Warnings of one file are bounded")
  func warnings() {
    var output = LogOutput(header: TraceHeader())
    for line in 1...LogOutput.maximumWarnings + 5 { output.warn(line: line, "x") }
    #expect(output.batch.warnings.count == LogOutput.maximumWarnings)
  }
}
