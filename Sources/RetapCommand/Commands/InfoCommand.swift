import HostIO
import NFCProtocols
import NFCTrace
import TraceFormats

/// `retap info`: what a trace holds, in a few lines.
enum InfoCommand: Command {
  static let syntax = CommandSyntax(
    name: "info", abstract: "what a trace or card dump holds, in a few lines",
    arguments: [
      .init(
        "FILE", "a trace or card dump of any known format, or - for standard input",
        repeats: true, isOptional: true)
    ],
    options: [
      .init("--json", "one JSON object a file, one a line"),
      .init("--formats", "list the formats that can be read and written"),
    ] + InputOptions.declarations,
    examples: [
      "retap info captures/type4-ndef-read.retap", "retap info --json capture.pcapng",
      "retap info --formats",
    ])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    if arguments.flag("--formats") {
      try console.print(formatTable)
      return .success
    }
    guard !arguments.positionals.isEmpty else { throw arguments.usage("FILE is missing") }
    var failures = FileFailures()
    for (index, path) in arguments.positionals.enumerated() {
      if index > 0 && !arguments.flag("--json") { try console.print("\n") }
      do throws(CommandError) {
        try tell(path, arguments, &console)
      } catch {
        try failures.note(error, &console)
      }
    }
    return failures.code(.success)
  }

  private static func tell(
    _ path: String, _ arguments: ParsedArguments, _ console: inout Console
  ) throws(CommandError) {
    if arguments.value("--format") == nil, let dump = try DumpFile.read(path) {
      return try show(dump, arguments, &console)
    }
    var stream = try InputOptions.open(path, arguments)
    var batch = TraceBatch()
    var summary = TraceSummary()
    while try stream.next(into: &batch) {
      for index in batch.events.indices { summary.count(batch.events[index]) }
    }
    if arguments.flag("--json") {
      var json = JSONLineWriter()
      summary.write(
        file: path, format: stream.format.name, header: stream.header, ending: stream.ending,
        warnings: stream.warnings.count, into: &json)
      try console.print(json.buffer.bytes)
    } else {
      let page = InfoPage(
        path: path, format: stream.format, byteCount: stream.byteCount, header: stream.header,
        ending: stream.ending, summary: summary)
      try console.print(page.text)
    }
    console.show(stream.warnings, of: path)
  }

  private static func show(
    _ dump: DumpFile, _ arguments: ParsedArguments, _ console: inout Console
  ) throws(CommandError) {
    if arguments.flag("--json") {
      var json = JSONLineWriter()
      dump.write(into: &json)
      try console.print(json.buffer.bytes)
    } else {
      try console.print(dump.text)
    }
  }

  private static var formatTable: String {
    let formats = TraceFormat.all
    let width = (formats.map(\.name.count).max() ?? 0) + 2
    let rows = formats.map { format in
      let ways = (format.makeDecoder != nil ? "r" : "-") + (format.makeEncoder != nil ? "w" : "-")
      let padding = String(repeating: " ", count: width - format.name.count)
      return "  \(format.name)\(padding)\(ways)  \(format.summary)\n"
    }
    let dumps = CardDumpFormat.allCases.map { "  \($0.rawValue): \($0.summary)\n" }
    return "traces (r: retap reads it, w: retap writes it)\n" + rows.joined()
      + "\ncard dumps (read by retap info)\n" + dumps.joined()
  }
}
