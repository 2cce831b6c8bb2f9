import HostIO
import NFCProtocols
import NFCTrace
import Replay
import Reports

/// `retap replay`: plays a trace and compares.
enum ReplayCommand: Command {
  static let syntax = CommandSyntax(
    name: "replay", abstract: "play a trace into code, on a virtual clock, and compare",
    discussion: """
      Without code under test the trace is played against itself: its reader against its card.
      Exit code 0: agreed; 1: diverged, or a limit of --max-used was passed.
      """,
    arguments: [.init("TRACE", "a trace of any known format")],
    options: ReplayRequest.declarations + [
      .init("--junit", value: "FILE", "write the verdict as JUnit XML"),
      .init("--log", value: "FILE", "write the run log"),
      .init("--quiet", short: "-q", "print only the verdict"),
    ],
    examples: [
      "retap replay captures/type4-ndef-read.retap --read",
      "retap replay captures/type4-ndef-read.retap --exec './reader --stdio'",
      "retap replay captures/terminal.retap --emulate --faults 'late(2,+5ms)'",
    ])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    var request = try ReplayRequest(arguments)
    // The text of a log costs time; the hash alone does not.
    request.options.keepsLogText = arguments.value("--log") != nil
    let path = arguments.positionals[0]
    let trace = try InputOptions.readAll(path, arguments)
    console.show(trace.warnings, of: path)
    request = request.fitted(to: trace.header)
    let job = ReplayJob(request: request)
    let whole: ReplayScript
    do throws(ReplayError) {
      whole = try job.wholeScript(of: trace.header, trace.events)
    } catch {
      throw error.commandError(file: path)
    }
    try request.checkFaults(whole, of: path, arguments)
    let script = job.cut(whole)
    let started = MonotonicClock.now()
    let result = try job.run(script)
    let milliseconds = (MonotonicClock.now() - started).count / 1_000_000
    let report = ReplayReport(
      result, request, repeatCommand: ReplayReport.repeatCommand(path, positionals: [path]))
    try console.print(report.text(isQuiet: arguments.flag("--quiet")))
    if let ending = result.childEnding { console.warn("retap: \(ending)") }
    if let file = arguments.value("--log") { try write(result.outcome.log.text, to: file) }
    if let file = arguments.value("--junit") {
      let junit = JUnitReport(
        suite: "retap replay", cases: [report.junitCase(path, milliseconds: milliseconds)])
      try write(Array(junit.xml.utf8), to: file)
    }
    return report.isGood ? .success : .findings
  }

  static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
    do throws(HostError) {
      var file = try OutputFile(path: path)
      try file.write(bytes)
      try file.commit()
    } catch {
      throw .host(error)
    }
  }
}

extension ReplayError {
  /// The error as one of a command: a trace without exchanges is bad input.
  func commandError(file: String) -> CommandError {
    switch self {
    case .badText: .usage(message, remedy: nil)
    case .nothingToReplay(let found, let expected, let remedy):
      .unfit(
        input: file, "nothing to replay: found \(found), expected \(expected)", remedy: remedy)
    }
  }
}
