import HostIO
import NFCProtocols
import PN53x
import USBLink

/// `retap devices`: the readers that are plugged in.
enum DevicesCommand: Command {
  static let syntax = CommandSyntax(
    name: "devices", abstract: "the readers that are plugged in, their chips, and who uses them",
    discussion: """
      Each USB reader that is free is asked for its firmware. Serial lines are listed and not asked,
      since anything may hang on them; retap selftest serial:/dev/… asks one.
      Exit code 0: at least one reader was found; 1: none.
      """,
    options: [.init("--json", "one JSON object a reader, one a line")],
    examples: ["retap devices", "retap devices --json"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let readers: [ReaderCondition]
    do throws(HostLinkError) { readers = try ReaderCondition.survey() } catch {
      throw .link(error)
    }
    let ports = SerialPort.candidates()
    let listing = ReaderListing(readers: readers, ports: ports)
    try console.print(arguments.flag("--json") ? listing.jsonLines : Array(listing.text.utf8))
    if readers.isEmpty { console.warn(ReaderListing.nothingFound(hasPorts: !ports.isEmpty)) }
    return readers.isEmpty ? .findings : .success
  }
}
