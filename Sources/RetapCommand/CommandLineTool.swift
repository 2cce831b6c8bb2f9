import HostIO
import Glibc

/// The program `retap`: finds the command, runs it, and turns errors into lines and exit codes.
public enum CommandLineTool {
  /// The version of the program.
  public static let version = "0.1.0"

  /// All commands, in the order of the help page.
  public static let commands: [CommandEntry] = [
    CommandEntry(InfoCommand.self),
    CommandEntry(ShowCommand.self),
    CommandEntry(FramesCommand.self),
    CommandEntry(DiffCommand.self),
    CommandEntry(CheckCommand.self),
    CommandEntry(ConvertCommand.self),
    CommandEntry(FormatCommand.self),
    CommandEntry(RedactCommand.self),
    CommandEntry(ReplayCommand.self),
    CommandEntry(TestCommand.self),
    CommandEntry(SimulateCommand.self),
    CommandEntry(DevicesCommand.self),
    CommandEntry(DoctorCommand.self),
    CommandEntry(SelfTestCommand.self),
  ]

  /// Runs the command line of this process and ends it.
  public static func main() -> Never {
    signal(SIGPIPE, SIG_IGN)
    var console = Console.standard()
    let code = run(Array(CommandLine.arguments.dropFirst()), console: &console)
    exit(code.rawValue)
  }

  /// Runs one command line.
  public static func run(_ words: [String], console: inout Console) -> ExitCode {
    do throws(CommandError) {
      let code = try dispatch(words, console: &console)
      try console.flush()
      return code
    } catch {
      if error != .host(.outputClosed) {
        do { try console.flush() } catch {}
        console.warn("retap: " + error.message)
      }
      return error.exitCode
    }
  }

  private static func dispatch(
    _ words: [String], console: inout Console
  ) throws(CommandError) -> ExitCode {
    guard let name = words.first else {
      try console.print(help)
      return .usage
    }
    let rest = Array(words.dropFirst())
    switch name {
    case "-h", "--help":
      try console.print(help)
      return .success
    case "help":
      return try dispatch(rest.isEmpty ? ["--help"] : [rest[0], "--help"], console: &console)
    case "--version", "version":
      try console.print("retap \(version)\n")
      return .success
    default:
      return try run(command: name, rest, console: &console)
    }
  }

  private static func run(
    command name: String, _ words: [String], console: inout Console
  ) throws(CommandError) -> ExitCode {
    guard let command = commands.first(where: { $0.syntax.name == name }) else {
      let guess = NearGuess.best(for: name, among: commands.map(\.syntax.name))
      let hint = guess.map { "; did you mean '\($0)'?" } ?? ""
      throw .usage("unknown command '\(name)'\(hint)", remedy: "retap --help")
    }
    let own = words.prefix { $0 != "--" }
    if own.contains("--help") || own.contains("-h") {
      try console.print(command.syntax.help)
      return .success
    }
    let arguments = try ParsedArguments(words, syntax: command.syntax)
    return try command.run(arguments, &console)
  }

  /// The page of `retap --help`.
  static var help: String {
    let rows = commands.map { (name: $0.syntax.name, abstract: $0.syntax.abstract) }
    let width = (rows.map(\.name.count).max() ?? 0) + 3
    var text = """
      retap \(version): record what an NFC reader and a card say to each other, and play it back

      usage: retap COMMAND [options] …


      """
    for row in rows {
      text +=
        "  \(row.name)" + String(repeating: " ", count: width - row.name.count) + row.abstract
        + "\n"
    }
    text += """

      retap COMMAND --help   explains a command
      exit codes: 0 agreed · 1 diverged or findings · 64 usage · 65 bad input ·
                  69 a needed program or reader is missing · 70 our fault · 74 cannot write

      """
    return text
  }
}
