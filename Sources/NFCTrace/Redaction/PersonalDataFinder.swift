/// Personal data that was found in a trace; never the value itself in full.
public struct PersonalDataFinding: Hashable, Sendable {
  /// What it is.
  public var kind: PersonalDataKind
  /// The event that it begins in, from 1; `nil` for the header and the lines behind the last event.
  public var event: Int?
  /// Where in the event, in words: `tag 5A`, `vCard TEL`.
  public var location: String
  /// The value with all but a few characters hidden.
  public var masked: String

  /// The event and the place in it, for people.
  public var place: String { event.map { "\($0): \(location)" } ?? "header: \(location)" }

  init(_ datum: PersonalDatum) {
    kind = datum.kind
    event = datum.content.event >= 0 ? datum.content.event + 1 : nil
    location = datum.location
    masked = datum.masked
  }
}

/// Finds personal data in the events of a trace, on every layer and across frames.
///
/// It looks into PN53x frames, CCID messages and NCI packets, joins chained blocks and APDUs, and
/// puts together what was read from files and tags. What `TraceRedactor` made up is passed over.
/// Values that are read in pieces are told when the file or card is done with, so at the latest by
/// `finish`. Enciphered bytes, and free text without a mark of what it is, are not looked through.
public struct PersonalDataFinder: Sendable {
  private var scanner: PersonalDataScanner

  /// Makes a finder for the events of one trace, in their order.
  ///
  /// - Parameter findsIdentifiers: Find UIDs of cards as well.
  public init(header: TraceHeader, findsIdentifiers: Bool = false) {
    var kinds = Set(PersonalDataKind.allCases)
    if !findsIdentifiers { kinds.remove(.uid) }
    scanner = PersonalDataScanner(header: header, kinds: kinds)
  }

  /// Looks at the header itself.
  public mutating func takeHeader(into findings: inout [PersonalDataFinding]) {
    findings += scanner.takeHeader().map(PersonalDataFinding.init)
  }

  /// Takes the next event and appends what it brings to light.
  public mutating func take(_ event: TraceEvent, into findings: inout [PersonalDataFinding]) {
    findings += scanner.take(event).map(PersonalDataFinding.init)
  }

  /// Tells that no more events come, and appends what is left.
  public mutating func finish(
    _ ending: TraceEnding = TraceEnding(isComplete: nil),
    into findings: inout [PersonalDataFinding]
  ) {
    findings += scanner.finish(ending).map(PersonalDataFinding.init)
  }
}

extension PersonalDatum {
  /// The value with all but a few characters hidden.
  var masked: String {
    switch (kind, form) {
    case (.cardNumber, _), (.trackData, _):
      let all = value
      let parts = kind == .trackData ? TrackData.parts(of: all) : nil
      let digits = (parts.map { all[$0.number] } ?? all[...]).filter(Characters.isDigit)
      return "…" + String(decoding: digits.suffix(4), as: UTF8.self)
    case (.uid, _):
      return Self.hex(content.bytes.prefix(1)) + "… (\(content.count) bytes)"
    case (_, .binary):
      return "\(content.count) bytes"
    case (_, .packedDigits):
      return "\(value.count) digits"
    case (_, .characters):
      let start = content.bytes.prefix { $0 < 0x80 }.prefix(1)
      return String(decoding: start, as: UTF8.self) + "… (\(content.count) characters)"
    }
  }

  private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }
}
