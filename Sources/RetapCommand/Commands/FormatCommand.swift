import HostIO
import NFCTrace
import TraceFormats

/// `retap format`: the canonical form of a text trace.
enum FormatCommand: Command {
  static let syntax = CommandSyntax(
    name: "format", abstract: "bring text traces into their canonical form and renew their seal",
    arguments: [
      .init(
        "FILE", "a .retap file, or - for standard input to standard output",
        repeats: true)
    ],
    options: [.init("--check", "change nothing; exit 1 if a file is not in canonical form")],
    examples: ["retap format captures/*.retap"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let format = try TraceFormat.named("retap")
    guard let makeEncoder = format.makeEncoder else {
      throw .internalFault("the text format has no writer")
    }
    var verdict = ExitCode.success
    for path in arguments.positionals {
      let stream = try TraceStream(path: path, formatName: format.name)
      let conversion = Conversion(
        stream: stream, encoder: makeEncoder(ExportOptions()), path: path)
      if arguments.flag("--check") {
        if try !conversion.isUnchanged() {
          try console.print("\(path): not in canonical form\n")
          verdict = .findings
        }
      } else {
        let warnings = try conversion.write(to: path, console: &console)
        console.show(warnings.filter { !$0.message.contains("edited") }, of: path)
      }
    }
    return verdict
  }
}
