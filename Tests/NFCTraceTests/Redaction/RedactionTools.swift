import NFCProtocols
import NFCTrace
import PN53x
import ProtocolTesting
import Testing

/// A trace from its text, for tests that read like one.
struct SampleTrace {
  var header: TraceHeader
  var events: [TraceEvent]
  var ending: TraceEnding

  init(_ text: String) throws {
    let whole = "retap 1\nclock ns, monotonic\n\n" + text + "\nend\n"
    let decoded = try DecodedTrace.decode(Array(whole.utf8), with: TextTraceDecoder())
    header = try #require(decoded.header)
    events = decoded.events
    ending = try #require(decoded.ending)
  }

  init(_ contents: [TraceEvent.Content]) {
    header = TraceHeader()
    ending = TraceEnding(isComplete: true)
    events = contents.enumerated().map { index, content in
      TraceEvent(start: .milliseconds(Int64(index)), content)
    }
  }

  /// What there is of personal data.
  func findings(identifiers: Bool = false) -> [PersonalDataFinding] {
    var finder = PersonalDataFinder(header: header, findsIdentifiers: identifiers)
    var found: [PersonalDataFinding] = []
    finder.takeHeader(into: &found)
    for event in events { finder.take(event, into: &found) }
    finder.finish(ending, into: &found)
    return found
  }

  /// The trace after redaction, and what was replaced.
  func redacted(
    _ kinds: [PersonalDataKind] = TraceRedactor.usualKinds
  ) -> (trace: SampleTrace, entries: [TraceRedactor.Entry]) {
    var trace = self
    let entries = TraceRedactor(kinds: kinds).redact(
      &trace.header, &trace.events, &trace.ending, program: "test 1")
    return (trace, entries)
  }

  /// What the lint says, without the numbers of events.
  func lint() -> [String] {
    var lint = ProtocolLint(header: header)
    var found: [LintFinding] = []
    for event in events { lint.check(event, into: &found) }
    lint.finish(into: &found)
    return found.map(\.message)
  }

  /// All bytes of all events, one event behind the other.
  var bytes: [UInt8] { events.flatMap(\.content.bytes) }
}

/// Bytes from hexadecimal digits with blanks between them.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  return stride(from: 0, to: digits.count, by: 2).map { offset in
    let start = digits.index(digits.startIndex, offsetBy: offset)
    return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
  }
}

/// A data object.
func object(_ tag: String, _ value: [UInt8]) -> [UInt8] {
  let length =
    value.count < 0x80
    ? [UInt8(value.count)]
    : value.count < 0x100
      ? [0x81, UInt8(value.count)]
      : [0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)]
  return hex(tag) + length + value
}

extension [UInt8] {
  /// True if the bytes stand somewhere.
  func holds(_ wanted: [UInt8]) -> Bool {
    guard wanted.count <= count else { return false }
    return (0...(count - wanted.count)).contains { self[$0..<($0 + wanted.count)] == wanted[...] }
  }
}

/// Invented card data with a number from a scheme's own list of test numbers.
enum TestCard {
  static let number = "4761739001010010"
  static let track = hex("47 61 73 90 01 01 00 10 D2 21 22 01 12 34 56 78 9F")
  static let record = object(
    "70",
    object("57", track) + object("5A", hex(number)) + object("5F24", hex("22 12 31"))
      + object("5F20", Array("DOE/JOHN".utf8)) + object("5F34", hex("01"))
      + object("9F07", hex("FF 00")))
}
