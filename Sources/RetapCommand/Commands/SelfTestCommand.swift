import HostIO
import NFCProtocols
import NFCTrace
import PN53x
import Replay
import USBLink

/// `retap selftest`: the command table on a chip and on its model, side by side.
enum SelfTestCommand: Command {
  static let syntax = CommandSyntax(
    name: "selftest", abstract: "try a reader's commands and timing against the chip model",
    discussion: """
      Opens the reader, has its chip do what it can do without a card, some of it several times, and
      has the chip model do the same. Answers that depend on nothing but the commands must be equal;
      times are medians, printed beside the model's. Take all cards away first.
      The evidence file holds every transfer with its time and no personal data; the model gets
      better by it. Its name ends in .retap (a trace) or .json (the table).
      Exit code 0: all answers as the model's; 1: at least one is not.
      """,
    arguments: [.init("ADDRESS", "the reader: \(ReaderAddress.examples)")],
    options: [
      .init("--output", short: "-o", value: "FILE", "write the evidence to send in"),
      .init("--json", "print the table as JSON lines"),
    ],
    examples: ["retap selftest usb: -o evidence.retap", "retap selftest serial:/dev/ttyUSB0"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let address: ReaderAddress
    do throws(HostLinkError) { address = try ReaderAddress(arguments.positionals[0]) } catch {
      throw .link(error)
    }
    let interruption: Interruption
    do throws(HostError) { interruption = try Interruption() } catch { throw .host(error) }
    let signals = SignalWatch(interruption)
    let result = try test(address, interruption)
    _ = consume signals
    try console.print(
      arguments.flag("--json") ? result.report.jsonLines : Array(result.report.text.utf8))
    if let failure = result.closing { console.warn("retap: closing the reader: \(failure)") }
    if let path = arguments.value("--output") {
      try write(result, to: path)
      console.warn("retap: wrote \(path)")
    }
    return result.report.comparison.differences == 0 ? .success : .findings
  }

  private struct Result {
    var report: SelfTestReport
    var transfers: [TraceEvent]
    /// What kept the reader from being left in good order.
    var closing: String?
  }

  private static func test(
    _ address: ReaderAddress, _ interruption: Interruption
  ) throws(CommandError) -> Result {
    let link = try OpenedLink(address, interruption: interruption)
    let reader = link.reader
    let log = TransferLog(reader.configuration.link, origin: link.now)
    var session = ReaderSession(
      link, reader.configuration, descriptors: reader.descriptors, recorder: log)
    var isBehindCCID = false
    if case .ccid = reader.configuration.link { isBehindCCID = true }
    var agenda: SelfTestAgenda
    do throws(ReaderSessionError) {
      try session.open()
      agenda = SelfTestAgenda(
        SelfTestStep.all(for: session.chip, isBehindCCID: isBehindCCID),
        settings: session.settings)
      try session.run(&agenda)
    } catch {
      throw .session(error)
    }
    let chip = session.chip
    var name = reader.title
    if let firmware = session.firmware { name += " \(firmware.version).\(firmware.revision)" }
    let transfers = (session.recorder as? TransferLog)?.events ?? []
    session.recorder = nil
    let closing = session.close()
    let comparison = SelfTestComparison(
      steps: agenda.steps, on: chip, chip: agenda.outcomes,
      model: modelOutcomes(chip, reader.configuration, agenda.steps))
    return Result(
      report: SelfTestReport(
        reader: ReaderIdentity(address: reader.address, name: name), comparison: comparison),
      transfers: transfers, closing: closing?.message)
  }

  /// The same steps on the model, in virtual time.
  private static func modelOutcomes(
    _ chip: Chip, _ configuration: HostEngineConfiguration, _ steps: [SelfTestStep]
  ) -> [[CommandOutcome]] {
    guard let model = modelConfiguration(of: chip) else { return steps.map { _ in [] } }
    let timing: HostLinkTiming
    switch configuration.link {
    case .serial(let baud): timing = .serial(baud: baud)
    case .usb, .ccid: timing = .usbFullSpeed
    }
    // The model stands alone: an ACR122U in front of it would only wrap its answers.
    var session = SimulatedSession(
      HostEngine(HostEngineConfiguration(.usb, chip: chip)),
      SimulatedReader(chip: ChipModel(model), link: timing, keepsLogText: false))
    var opening = LinkPlan.opening(.usb)
    session.run(&opening)
    var agenda = SelfTestAgenda(steps, settings: session.settings)
    session.run(&agenda)
    return agenda.outcomes
  }

  static func modelConfiguration(of chip: Chip) -> ChipModelConfiguration? {
    switch chip {
    case .pn531: .pn531()
    case .pn532: .pn532()
    case .pn533: .pn533()
    case .rcS956: .rcS956()
    case .rcS380: nil
    }
  }

  private static func write(_ result: Result, to path: String) throws(CommandError) {
    guard path.hasSuffix(".retap") || path.hasSuffix(".json") else {
      throw .usage(
        "'\(path)' is no name for the evidence", remedy: "-o evidence.retap, or -o evidence.json")
    }
    if path.hasSuffix(".json") {
      return try ReplayCommand.write(result.report.jsonLines, to: path)
    }
    let bytes: [UInt8]
    do throws(TraceError) {
      bytes = try result.report.trace(
        result.transfers, madeBy: "retap \(CommandLineTool.version) selftest")
    } catch {
      throw .badInput(file: path, error)
    }
    try ReplayCommand.write(bytes, to: path)
  }
}
