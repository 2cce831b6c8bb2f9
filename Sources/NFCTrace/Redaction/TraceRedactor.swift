import NFCProtocols

/// Replaces personal data in a trace by values that are made up.
///
/// The same value becomes the same made-up one wherever it stands, of the same length; CRCs, BCC,
/// parity bits, check digits and the checksums of host frames are right again where they were
/// right before. Memory grows with the trace, since a value may show late what stood early.
public struct TraceRedactor: Sendable {
  private let kinds: Set<PersonalDataKind>

  /// Makes a redactor for some kinds of personal data.
  public init(kinds: [PersonalDataKind]) { self.kinds = Set(kinds) }

  /// What is replaced unless the user says otherwise: everything but UIDs.
  public static let usualKinds = PersonalDataKind.allCases.filter { $0 != .uid }

  /// A value that was replaced.
  public struct Entry: Hashable, Sendable {
    /// What it is, and where it was first found.
    public var finding: PersonalDataFinding
    /// The events it was found in, from 1, in order; 0 stands for the header and the last lines.
    public var events: [Int]
  }

  /// Replaces what is found, and says so in the header.
  ///
  /// - Parameter program: The name and version of the program, for the header.
  /// - Returns: What was replaced, one entry a value, in the order of their first places.
  public func redact(
    _ header: inout TraceHeader, _ events: inout [TraceEvent], _ ending: inout TraceEnding,
    program: String
  ) -> [Entry] {
    var values = MadeUpValues()
    var known = KnownValues()
    var found: [Replacement] = []
    pass(header, events, ending) { data, _, _ in
      for datum in data {
        let made = values.replacement(for: datum)
        known.add(datum, replacement: made)
        found.append(Replacement(datum: datum, made: made))
      }
    }
    guard !found.isEmpty else { return [] }
    var patches = TracePatches()
    var checksums: [ChecksumSpan] = []
    pass(header, events, ending) { _, views, event in
      // Also bytes that no layer understands.
      if let event { known.find(in: event, isText: false) { patches.add(event[$0], $1) } }
      for view in views.views {
        let isText = view.source == .words
        known.find(in: view.content, isText: isText) { patches.add(view.content[$0], $1) }
      }
      for step in views.anticollisions { Self.patch(step, found, &patches) }
      checksums += views.checksums
    }
    for item in found { patches.add(item.datum.content, item.made) }
    Self.write(patches, &header, &events, &ending, checksums)
    let entries = Self.entries(found)
    header.redaction = Self.note(header.redaction, entries, program: program)
    return entries
  }

  /// A piece of personal data and what is written in its place.
  struct Replacement {
    var datum: PersonalDatum
    var made: [UInt8]
  }

  /// Goes through the trace once.
  ///
  /// - Parameter visit: Gets what was found, what there was to look at, and the event's own bytes.
  private func pass(
    _ header: TraceHeader, _ events: [TraceEvent], _ ending: TraceEnding,
    visit: ([PersonalDatum], TracedViews, TracedBytes?) -> Void
  ) {
    var scanner = PersonalDataScanner(header: header, kinds: kinds)
    let ofHeader = scanner.takeHeader()
    visit(ofHeader, scanner.views, nil)
    for (index, event) in events.enumerated() {
      let found = scanner.take(event)
      visit(found, scanner.views, TracedBytes(event.content.bytes, event: index))
    }
    let ofEnding = scanner.finish(ending)
    visit(ofEnding, scanner.views, nil)
  }

  // MARK: Writing

  private static func write(
    _ patches: TracePatches, _ header: inout TraceHeader, _ events: inout [TraceEvent],
    _ ending: inout TraceEnding, _ checksums: [ChecksumSpan]
  ) {
    var texts = header.texts
    patches.apply(to: &texts, of: TracePlace.header)
    header.replace(texts: texts)
    patches.apply(to: &ending.trailingLines, of: TracePlace.ending)
    let before = events.map(\.content.bytes)
    let technology = header.technology
    var isChanged = events.indices.map {
      patches.apply(to: &events[$0], index: $0, technology: technology)
    }
    for span in checksums { renew(span, &events, &isChanged, technology) }
    copyToTwins(before, isChanged, &events, technology)
  }

  /// Makes a checksum fit again whose bytes have changed.
  private static func renew(
    _ span: ChecksumSpan, _ events: inout [TraceEvent], _ isChanged: inout [Bool],
    _ technology: Technology?
  ) {
    guard span.covered.runs.contains(where: { isChanged[$0.place.event] }) else { return }
    let value = span.value(of: read(span.covered, events))
    for run in span.check.runs {
      var bytes = events[run.place.event].content.bytes
      bytes.replaceSubrange(
        run.place.offset..<(run.place.offset + run.place.count), with: value[run.start..<run.end])
      events[run.place.event].replace(bytes: bytes, technology: technology)
      isChanged[run.place.event] = true
    }
  }

  private static func read(_ traced: TracedBytes, _ events: [TraceEvent]) -> [UInt8] {
    var bytes = traced.bytes
    for run in traced.runs {
      let source = events[run.place.event].content.bytes
      bytes.replaceSubrange(
        run.start..<run.end,
        with: source[run.place.offset..<(run.place.offset + run.place.count)])
    }
    return bytes
  }

  /// The shortest repetition in bytes that is recognised: shorter frames are alike by chance.
  private static let shortestTwin = 8

  /// A frame that was sent again, with the same bytes, is part of no message of its own.
  private static func copyToTwins(
    _ before: [[UInt8]], _ isChanged: [Bool], _ events: inout [TraceEvent],
    _ technology: Technology?
  ) {
    var changed: [[UInt8]: [UInt8]] = [:]
    for index in events.indices
    where isChanged[index] && before[index].count >= shortestTwin {
      changed[before[index]] = events[index].content.bytes
    }
    for index in events.indices where !isChanged[index] {
      guard let bytes = changed[before[index]] else { continue }
      events[index].replace(bytes: bytes, technology: technology)
    }
  }

  // MARK: Report

  private static func entries(_ found: [Replacement]) -> [Entry] {
    var entries: [Entry] = []
    var places: [EntryKey: Int] = [:]
    for item in found {
      let finding = PersonalDataFinding(item.datum)
      let key = EntryKey(kind: item.datum.kind, value: item.datum.value)
      let event = finding.event ?? 0
      if let place = places[key] {
        if entries[place].events.last != event { entries[place].events.append(event) }
      } else {
        places[key] = entries.count
        entries.append(Entry(finding: finding, events: [event]))
      }
    }
    return entries
  }

  private struct EntryKey: Hashable {
    var kind: PersonalDataKind
    var value: [UInt8]
  }

  private static func note(_ old: String?, _ entries: [Entry], program: String) -> String {
    let counts = PersonalDataKind.allCases.compactMap { kind in
      let count = entries.count { $0.finding.kind == kind }
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    let new = "made up by \(program): \(counts.joined(separator: ", "))"
    return old.map { "\($0); \(new)" } ?? new
  }
}
