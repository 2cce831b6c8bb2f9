import HostIO
import NFCTrace
import TraceFormats

/// `retap info`: what a trace holds, in a few lines.
enum InfoCommand: Command {
  static let syntax = CommandSyntax(
    name: "info", abstract: "what a trace or card dump holds, in a few lines",
    arguments: [
      .init(
        "FILE", "a trace of any known format, or - for standard input",
        repeats: true, isOptional: true)
    ],
    options: [
      .init("--json", "one JSON object for each file"),
      .init("--formats", "list the formats that can be read and written"),
    ] + InputOptions.declarations,
    examples: ["retap info captures/type4-ndef-read.retap", "retap info --json capture.trace"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    if arguments.flag("--formats") {
      try console.print(formatTable)
      return .success
    }
    guard !arguments.positionals.isEmpty else { throw arguments.usage("FILE is missing") }
    for path in arguments.positionals {
      var stream = try InputOptions.open(path, arguments)
      var batch = TraceBatch()
      var count = 0
      while try stream.next(into: &batch) { count += batch.events.count }
      try console.print("\(path): \(stream.format.name), \(count) events\n")
      console.show(stream.warnings, of: path)
    }
    return .success
  }

  private static var formatTable: String {
    let formats = TraceFormat.all
    let width = (formats.map(\.name.count).max() ?? 0) + 2
    return formats.map { format in
      let ways = (format.makeDecoder != nil ? "r" : "-") + (format.makeEncoder != nil ? "w" : "-")
      let padding = String(repeating: " ", count: width - format.name.count)
      return "  \(format.name)\(padding)\(ways)  \(format.summary)\n"
    }.joined()
  }
}
