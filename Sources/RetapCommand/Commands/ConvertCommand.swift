import HostIO
import NFCTrace
import TraceFormats

/// `retap convert`: one format into another.
enum ConvertCommand: Command {
  static let syntax = CommandSyntax(
    name: "convert", abstract: "write a trace in another format",
    discussion: """
      The format of OUT follows from its ending (.retap, .pcapng, .trace, .json) or from --to;
      standard output takes the text form unless --to says otherwise.
      OUT appears under its name only when it is complete; - is standard output.
      """,
    arguments: [
      .init("IN", "a trace of any known format, or - for standard input"),
      .init("OUT", "the file to write, or - for standard output"),
    ],
    options: [.init("--to", value: "NAME", "the format to write")] + InputOptions.declarations,
    examples: ["retap convert tap.trace tap.retap", "retap convert tap.retap tap.pcapng"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let format = try OutputFormat.choose(arguments, target: target)
    guard let makeEncoder = format.makeEncoder else {
      throw arguments.usage("'\(format.name)' can only be read")
    }
    let stream = try InputOptions.open(source, arguments)
    let conversion = Conversion(
      stream: stream, encoder: makeEncoder(ExportOptions()), path: source)
    let warnings = try conversion.write(to: target, console: &console)
    console.show(warnings, of: source)
    return .success
  }
}
