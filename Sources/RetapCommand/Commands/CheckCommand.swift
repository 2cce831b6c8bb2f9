import NFCProtocols
import NFCTrace
import TraceFormats

/// `retap check`: the protocol lint.
enum CheckCommand: Command {
  static let syntax = CommandSyntax(
    name: "check", abstract: "compare traces with the standards",
    discussion: """
      CRC, BCC, parity, block numbers, S(WTX), frame delays and waiting times, lengths of APDUs,
      checksums of host frames. A finding names the event (from 1), and the standard and clause.
      What the trace cannot tell is passed over: missing CRCs, encrypted bytes, coarse times.
      With --personal it looks for personal data instead: card numbers, tracks, names, machine
      readable zones, contacts, phone numbers, e-mail addresses; retap redact replaces them.
      """,
    arguments: [
      .init("FILE", "a trace of any known format, or - for standard input"),
      .init("MORE", "more of them", repeats: true, isOptional: true),
    ],
    options: [
      .init("--json", "one JSON object a finding, one a line"),
      .init("--personal", "look for personal data, not for faults; exit 1 if there is any"),
      .init("--uid", "with --personal: UIDs of cards as well"),
    ] + InputOptions.declarations,
    examples: [
      "retap check captures/type4-ndef-read.retap", "retap check --json tap.trace",
      "retap check --personal captures/*.retap",
    ])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let paths = arguments.positionals
    let isForPersonalData = arguments.flag("--personal")
    guard isForPersonalData || !arguments.flag("--uid") else {
      throw arguments.usage("--uid goes with --personal")
    }
    var total = 0
    var failures = FileFailures()
    for path in paths {
      do throws(CommandError) {
        let isNamed = paths.count > 1
        total +=
          isForPersonalData
          ? try PersonalDataCheck.run(path, isNamed: isNamed, arguments, &console)
          : try check(path, isNamed: isNamed, arguments, &console)
      } catch {
        try failures.note(error, &console)
      }
    }
    return failures.code(total == 0 ? .success : .findings)
  }

  /// Checks one file and prints what it finds.
  ///
  /// - Returns: The number of findings.
  private static func check(
    _ path: String, isNamed: Bool, _ arguments: ParsedArguments, _ console: inout Console
  ) throws(CommandError) -> Int {
    var stream = try InputOptions.open(path, arguments)
    var batch = TraceBatch()
    var lint: ProtocolLint?
    var events = 0
    var found = 0
    var findings: [LintFinding] = []
    while try stream.next(into: &batch) {
      var running = lint ?? ProtocolLint(header: stream.header ?? TraceHeader())
      for event in batch.events { running.check(event, into: &findings) }
      events += batch.events.count
      // Before the first event the header may still change.
      if events > 0 { lint = running }
      found += findings.count
      try print(&findings, of: path, arguments, isNamed: isNamed, console: &console)
    }
    lint?.finish(into: &findings)
    found += findings.count
    try print(&findings, of: path, arguments, isNamed: isNamed, console: &console)
    if found == 0, !arguments.flag("--json") {
      try console.print("\(path): \(events) events, nothing found\n")
    }
    if stream.header?.isLowFrequency ?? false {
      console.warn("retap: \(path): the trace is low frequency, its frames are not interpreted")
    }
    console.show(stream.warnings, of: path)
    return found
  }

  private static func print(
    _ findings: inout [LintFinding], of path: String, _ arguments: ParsedArguments,
    isNamed: Bool, console: inout Console
  ) throws(CommandError) {
    for finding in findings {
      if arguments.flag("--json") {
        var json = JSONLineWriter()
        finding.write(file: path, into: &json)
        try console.print(json.buffer.bytes)
      } else {
        try console.print((isNamed ? path + ":" : "") + finding.line + "\n")
      }
    }
    findings.removeAll(keepingCapacity: true)
  }
}
