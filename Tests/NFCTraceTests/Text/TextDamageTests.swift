import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@Suite struct TextDamageTests {
  private func fault(_ text: String) -> BadInput? {
    do throws(TraceError) {
      _ = try TextTraceTests.decode(text)
      return nil
    } catch {
      guard case .badInput(let fault) = error else { return nil }
      return fault
    }
  }

  @Test(arguments: [
    ("retap 1\nraeder usb:1:2 x\n", 2, "did you mean `reader`?"),
    ("retap 1\n0 feild on\n", 2, "did you mean `field`?"),
    ("retap 1\n0 rf > 26'7 colision\n", 2, "did you mean `collision`?"),
    ("retap 1\n0 rf > 26'7 parit=odd\n", 2, "did you mean `parity`?"),
    ("retap 1\n0 link > 00 paylod=ccid\n", 2, "did you mean `payload`?"),
    ("retap 1\nrole sniffer\n", 2, "did you mean `sniff`?"),
    ("retap 1\n\n0 field on\nennd events=1\n", 4, "did you mean `end`?"),
  ])
  func guessesTheWordThatWasMeant(text: String, line: Int, remedy: String) {
    let fault = fault(text)
    #expect(fault?.place == .line(line))
    #expect(fault?.remedy == remedy)
  }

  @Test(
    arguments: [
      ("", 1), ("retap\n", 1), ("Retap 1\n", 1), ("retap 0\n", 1), ("\nretap 1\n", 1),
      ("hello world\n", 1), ("retap 1\nreader a:b\nreader c:d\n", 3), ("retap 1\n0 rf 26\n", 2),
      ("retap 1\n0 rf >\n", 2), ("retap 1\n0 rf > 2\n", 2), ("retap 1\n0 rf > 26'9\n", 2),
      ("retap 1\n0 rf > 26'\n", 2), ("retap 1\n0 apdu > 00 A\n", 2), ("retap 1\n0 app x\n", 2),
      ("retap 1\n0 app \"x\n", 2), ("retap 1\n0 app \"\\q\"\n", 2), ("retap 1\n0 field up\n", 2),
      ("retap 1\n0 rf > 00 crc=maybe\n", 2), ("retap 1\n0 rf > 00 rate=70000\n", 2),
      ("retap 1\n0 rf > 00 parity=012\n", 2), ("retap 1\n0 rf > 00 tech=C\n", 2),
      ("retap 1\n0 link > 00 ep=123\n", 2), ("retap 1\n0 link > 00 via=air\n", 2),
      ("retap 1\n0 rf > 00 +12\n", 2), ("retap 1\n0 rf > 00 ticks=1+x\n", 2),
      ("retap 1\nend events=x hash=0\n", 2), ("retap 1\n0 rf > 00\u{0}\n", 2),
      ("retap 1\n0 rf > 00 \u{1B}[31m\n", 2), ("retap 1\n# \u{7F}\n", 2),
      ("retap 1\nend events=0 hash=cbf29ce484222325\n0 field on\n", 3),
      ("retap 1\n0 rf > 00\n\u{0}", 3), ("reta", 1), ("retap 1\n0 field on AB\n", 2),
    ] as [(String, Int)])
  func refusesDamageWithItsLine(text: String, line: Int) {
    let fault = fault(text)
    #expect(fault?.place == .line(line))
    #expect(fault?.remedy.isEmpty == false)
  }

  @Test func refusesBytesThatAreNoUTF8() {
    #expect(throws: TraceError.self) {
      try DecodedTrace.decode(
        Array("retap 1\n# ".utf8) + [0xFF, 0xFE, 0x0A], with: TextTraceDecoder())
    }
  }

  @Test func tellsOfANewerVersion() {
    #expect(throws: TraceError.newerVersion(found: 2, newestKnown: 1)) {
      try TextTraceTests.decode("retap 2\nwhatever\n")
    }
  }

  /// A recording cut at any byte after its first line is read up to the cut.
  @Test func readsACutRecordingUpToTheCut() throws {
    var generator = TraceGenerator(seed: 11)
    let events = (0..<6).map { _ in generator.event() }
    let bytes = try text(TraceHeader(), events, TraceEnding(isComplete: true))
    for length in 8..<bytes.count - 1 {
      let trace = try DecodedTrace.decode(Array(bytes[..<length]), with: TextTraceDecoder())
      #expect(trace.ending?.isComplete == (length == bytes.count - 1))
      #expect(!trace.warnings.isEmpty)
    }
  }

  @Test func takesAnEditedTraceWithAWarning() throws {
    let bytes = try text(
      TraceHeader(), [TraceEvent(start: .zero, .apdu(.inbound, [0x90, 0x00]))],
      TraceEnding(isComplete: true))
    let whole = String(decoding: bytes, as: UTF8.self)
    let recoloured = whole.replacingFirst("90 00", by: "90 00 ; fine")
    #expect(try TextTraceTests.decode(recoloured).warnings.isEmpty)
    let edited = try TextTraceTests.decode(whole.replacingFirst("90 00", by: "6A 82"))
    #expect(edited.ending?.isComplete == true)
    #expect(
      edited.warnings.map(\.message) == [
        "edited since recorded; `retap format` renews the seal"
      ])
  }

  @Test func keepsTheBoundOfBytes() throws {
    let most = TraceEvent(
      start: .zero, .apdu(.outbound, Array(repeating: 0xA5, count: TraceLimits.bytesPerEvent)))
    let bytes = try text(TraceHeader(), [most], TraceEnding(isComplete: true))
    #expect(try DecodedTrace.decode(bytes, with: TextTraceDecoder()).events == [most])
    let more = TraceEvent(
      start: .zero, .apdu(.outbound, Array(repeating: 0xA5, count: TraceLimits.bytesPerEvent + 1)))
    #expect(throws: TraceError.self) {
      try text(TraceHeader(), [more], TraceEnding(isComplete: true))
    }
    let hex = String(repeating: "A5", count: TraceLimits.bytesPerEvent + 1)
    #expect(fault("retap 1\n0 apdu > \(hex)\n")?.place == .line(2))
  }

  @Test func keepsTheBoundsOfLinesAndComments() {
    let longest = String(repeating: "x", count: TraceLimits.commentLength - 1)
    #expect(fault("retap 1\n#\(longest)\n") == nil)
    #expect(fault("retap 1\n#\(longest)x\n")?.place == .line(2))
    #expect(fault("retap 1\n0 field on ; \(longest)x\n") == nil)
    #expect(fault("retap 1\n0 field on ; \(longest)xx\n")?.place == .line(2))
    let line = String(repeating: " ", count: TraceLimits.lineLength)
    #expect(fault("retap 1\n\(line)\n") == nil)
    #expect(fault("retap 1\n\(line) \n")?.place == .line(2))
    let lines = String(repeating: "#\n", count: TraceLimits.commentLinesTogether)
    #expect(fault("retap 1\n" + lines) == nil)
    #expect(fault("retap 1\n" + lines + "#\n")?.place == .line(10_002))
  }
}

extension String {
  /// The text with the first occurrence of a part replaced.
  func replacingFirst(_ part: String, by other: String) -> String {
    guard let range = self.range(of: part) else { return self }
    return String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
  }

  private func range(of part: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) {
        return start..<index(start, offsetBy: part.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
