import HostIO
import USBLink

/// `retap doctor`: what keeps readers from being used, and what to type about it.
enum DoctorCommand: Command {
  static let syntax = CommandSyntax(
    name: "doctor", abstract: "what keeps a reader from being used, and what to type to mend it",
    discussion: """
      Looks at libusb, at permissions and udev rules, at kernel drivers and programs that hold a
      reader, and asks each free reader for its firmware. Nothing is changed.
      As root it sees which programs of other users hold a reader.
      Exit code 0: all is well; 1: something is to be mended.
      """,
    options: [
      .init("--json", "one JSON object a check, one a line"),
      .init("--udev-rule", "print the udev rule that lets users open the readers"),
    ],
    examples: ["retap doctor", "retap doctor --udev-rule | sudo tee \(UdevRule.path)"])

  /// Where a rule of ours or of a package may be.
  private static let rulePaths = [
    UdevRule.path, "/usr/lib/udev/rules.d/60-retap.rules", "/lib/udev/rules.d/60-retap.rules",
  ]

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    if arguments.flag("--udev-rule") {
      try console.print(UdevRule.text)
      return .success
    }
    var facts = DoctorReport.Facts()
    facts.libraryVersion = USBDevices.libraryVersion
    facts.hasUSB = Folder.exists("/dev/bus/usb")
    facts.isRoot = HostProcess.isRoot
    facts.rulePath = rulePaths.first { FileKind($0).isRegular }
    do throws(HostLinkError) { facts.readers = try ReaderCondition.survey() } catch {
      throw .link(error)
    }
    facts.ports = SerialPort.candidates().map { ($0, HostProcess.mayUse($0.path)) }
    let report = DoctorReport(facts)
    try console.print(arguments.flag("--json") ? report.jsonLines : Array(report.text.utf8))
    return report.isGood ? .success : .findings
  }
}
