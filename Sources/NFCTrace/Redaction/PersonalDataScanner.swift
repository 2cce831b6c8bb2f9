/// Follows the events of a trace and gives the personal data in them, each place once.
struct PersonalDataScanner: Sendable {
  /// What the last event gave to look at.
  private(set) var views = TracedViews()
  private var tracer: LayerTracer
  private var known: Set<Mark> = []
  private var index = 0
  private let kinds: Set<PersonalDataKind>
  /// Values that this program made up in place of others are passed over unless asked for.
  private let header: TraceHeader

  /// What makes a find the same as another.
  private struct Mark: Hashable {
    var kind: PersonalDataKind
    var place: TracePlace
  }

  /// Makes a scanner for the events of one trace, in their order.
  init(header: TraceHeader, kinds: Set<PersonalDataKind>) {
    self.header = header
    self.kinds = kinds
    tracer = LayerTracer(header: header)
  }

  /// Looks at the header.
  mutating func takeHeader() -> [PersonalDatum] {
    views.removeAll()
    for (number, text) in header.texts.enumerated() {
      views.add(
        TracedBytes(Array(text.utf8), event: TracePlace.header, part: .line(number)), .words)
    }
    return look()
  }

  /// Looks at the next event.
  mutating func take(_ event: TraceEvent) -> [PersonalDatum] {
    views.removeAll()
    tracer.take(event, index: index, into: &views)
    index += 1
    return look()
  }

  /// Looks at what is left when the trace has ended.
  mutating func finish(_ ending: TraceEnding) -> [PersonalDatum] {
    views.removeAll()
    tracer.finish(into: &views)
    for (number, text) in ending.trailingLines.enumerated() {
      views.add(
        TracedBytes(Array(text.utf8), event: TracePlace.ending, part: .line(number)), .words)
    }
    return look()
  }

  private mutating func look() -> [PersonalDatum] {
    var found: [PersonalDatum] = []
    for view in views.views {
      for datum in Self.data(in: view) where kinds.contains(datum.kind) { add(datum, &found) }
    }
    guard kinds.contains(.uid) else { return found }
    for identifier in views.identifiers where identifier.count >= 4 {
      add(
        PersonalDatum(kind: .uid, form: .binary, content: identifier, location: "UID"), &found)
    }
    return found
  }

  private mutating func add(_ datum: PersonalDatum, _ found: inout [PersonalDatum]) {
    guard let place = datum.content.runs.first?.place,
      known.insert(Mark(kind: datum.kind, place: place)).inserted,
      !MadeUpValues.isMadeUp(datum)
    else { return }
    found.append(datum)
  }

  /// The personal data in a view.
  static func data(in view: TracedView) -> [PersonalDatum] {
    let content = view.content
    var found: [PersonalDatum] = []
    switch view.source {
    case .words: return TextRule.find(in: content, .words)
    case .commandData, .responseData:
      found += CardDataRule.find(in: content, allowsCut: false)
      if let digits = PackedDigits.number(content.bytes), CardNumber.isPlausible(digits) {
        found.append(
          PersonalDatum(
            kind: .cardNumber, form: .packedDigits, content: content, location: "data"))
      }
    case .memory:
      found += CardDataRule.find(in: content, allowsCut: true)
    case .frame: break
    }
    if found.isEmpty { found += packedTracks(in: content) }
    return found + NDEFRule.find(in: content) + TextRule.find(in: content, .unknown)
  }

  /// Track 2 outside of tags: old cards keep it in records without any.
  private static func packedTracks(in view: TracedBytes) -> [PersonalDatum] {
    var found: [PersonalDatum] = []
    var place = 0
    while place + 11 <= view.count {
      let length = TrackData.length(ofPacked: view.bytes, at: place, end: view.count)
      if length > 0 {
        found.append(
          PersonalDatum(
            kind: .trackData, form: .packedDigits, content: view[place..<(place + length)],
            location: "data"))
      }
      place += max(length, 1)
    }
    return found
  }
}

extension TraceHeader {
  /// All words of the header in which a person's data may stand.
  var texts: [String] {
    [reader?.name ?? "", madeBy ?? ""] + extensions.map(\.value) + trailingLines
  }

  /// Puts other words in the place of `texts`.
  mutating func replace(texts: [String]) {
    precondition(texts.count == self.texts.count, "the header has as many texts as before")
    if reader?.name != nil { reader?.name = texts[0] }
    if madeBy != nil { madeBy = texts[1] }
    for index in extensions.indices { extensions[index].value = texts[2 + index] }
    for index in trailingLines.indices {
      trailingLines[index] = texts[2 + extensions.count + index]
    }
  }
}
