import NFCProtocols
import NFCTrace

/// `retap check --personal`: the search for personal data.
enum PersonalDataCheck {
  /// Looks through one file and prints what it finds.
  ///
  /// - Returns: The number of findings.
  static func run(
    _ path: String, isNamed: Bool, _ arguments: ParsedArguments, _ console: inout Console
  ) throws(CommandError) -> Int {
    var stream = try InputOptions.open(path, arguments)
    var batch = TraceBatch()
    var finder: PersonalDataFinder?
    var events = 0
    var found = 0
    while try stream.next(into: &batch) {
      var findings: [PersonalDataFinding] = []
      // Before the first event the header may still change.
      guard !batch.events.isEmpty else { continue }
      var running = finder ?? start(stream.header, arguments, &findings)
      for event in batch.events { running.take(event, into: &findings) }
      finder = running
      events += batch.events.count
      found += findings.count
      try print(findings, of: path, arguments, isNamed: isNamed, &console)
    }
    var findings: [PersonalDataFinding] = []
    var running = finder ?? start(stream.header, arguments, &findings)
    running.finish(stream.ending ?? TraceEnding(isComplete: nil), into: &findings)
    found += findings.count
    try print(findings, of: path, arguments, isNamed: isNamed, &console)
    if found == 0, !arguments.flag("--json") {
      try console.print("\(path): \(events) events, no personal data found\n")
    }
    console.show(stream.warnings, of: path)
    return found
  }

  private static func start(
    _ header: TraceHeader?, _ arguments: ParsedArguments, _ findings: inout [PersonalDataFinding]
  ) -> PersonalDataFinder {
    var finder = PersonalDataFinder(
      header: header ?? TraceHeader(), findsIdentifiers: arguments.flag("--uid"))
    finder.takeHeader(into: &findings)
    return finder
  }

  private static func print(
    _ findings: [PersonalDataFinding], of path: String, _ arguments: ParsedArguments,
    isNamed: Bool, _ console: inout Console
  ) throws(CommandError) {
    for finding in findings {
      if arguments.flag("--json") {
        var json = JSONLineWriter()
        json.beginObject()
        json.member("file", path)
        if let event = finding.event { json.member("event", Int64(event)) }
        json.member("kind", finding.kind.rawValue)
        json.member("location", finding.location)
        json.member("masked", finding.masked)
        json.endObject()
        json.endLine()
        try console.print(json.buffer.bytes)
      } else {
        let name = isNamed ? path + ":" : ""
        try console.print(
          "\(name)\(finding.place)  \(finding.kind.name) \(finding.masked)\n")
      }
    }
  }
}
