import HostIO
import NFCProtocols
import Replay
import VirtualReaders

/// `retap simulate`: an unmodified program in front of a reader in software.
enum SimulateCommand: Command {
  static let syntax = CommandSyntax(
    name: "simulate", abstract: "run an unmodified program in front of a reader in software",
    discussion: """
      The program finds the reader as it would find a real one: on USB through libusb or the device
      node (libumockdev-preload, Debian package umockdev), or as a serial line. {} in its
      arguments and RETAP_DEVICE in its environment name the reader (usb:04cc:2533, /dev/…);
      LIBNFC_DEVICE is set for serial lines.
      Exit code 0: the program ended well and agreed with the trace, if one was given; 1: it did
      not. How the program ended is told apart.
      """,
    options: SimulateRequest.declarations,
    examples: [
      "retap simulate --card card.nfc -- nfc-list -v",
      "retap simulate --reader pn532 --card card.mfd --card-leaves 600ms -- nfc-poll",
      "retap simulate --trace captures/pn533-type2-read.retap -- ./kiosk --once",
      "retap simulate --card card.nfc --faults 'drop(in 3)' --record out.retap -- nfc-list",
    ], takesProgram: true)

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let request = try SimulateRequest(arguments)
    let field = try SimulatedField.read(request, arguments, console: &console)
    let (reader, timeline) = try field.makeReader(request)
    let recording = request.recordPath.map { _ in LinkRecording(request.reader) }
    // The program writes to the same standard output.
    try console.flush()
    let result = try SimulateRun(request: request, recording: recording).run(reader, timeline)
    let report = SimulateReport(
      request: request, result: result,
      repeatCommand: (["retap", "simulate"] + CommandLine.arguments.dropFirst(2))
        .map(ReplayReport.quoted).joined(separator: " "))
    if let path = request.recordPath {
      try recording?.write(
        to: path, reader: "simulated \(request.reader.rawValue)",
        program: request.program.joined(separator: " "))
    }
    if let path = request.logPath { try ReplayCommand.write(result.log.text, to: path) }
    try console.print(report.text)
    if let ending = report.endingText { console.warn("retap: \(ending)") }
    return report.isGood ? .success : .findings
  }
}

extension VirtualReaderError {
  /// The error as one of a command.
  var commandError: CommandError {
    switch self {
    case .missingLibrary(let name):
      .missingProgram(
        name: name, remedy: "apt install umockdev, or a serial line with --reader pn532")
    case .host(let error): .host(error)
    case .failed(let step, let reason):
      .host(.cannotWrite(path: step, reason: reason))
    }
  }
}
