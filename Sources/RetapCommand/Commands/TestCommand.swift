import HostIO
import NFCProtocols
import Replay
import Reports

/// `retap test`: replays many traces, each twice, and tells each in one line.
enum TestCommand: Command {
  static let syntax = CommandSyntax(
    name: "test", abstract: "replay many traces, one line each, evidence for every failure",
    discussion: """
      Each trace is played twice; run logs that differ count as flaky. A folder is searched with
      its subfolders; files in it that are no traces are passed over. For each failure there is a
      folder with report.txt, run.log and the trace.
      Exit code 0: all agreed; 1: a trace failed or was flaky; 65: one could not be read, or there
      was none.
      """,
    arguments: [.init("PATH", "trace files, or folders of them", repeats: true)],
    options: ReplayRequest.declarations + [
      .init("--junit", value: "FILE", "write all verdicts as JUnit XML"),
      .init("--evidence", value: "DIR", "where evidence goes, .build/retap by default"),
      .init("--jobs", short: "-j", value: "N", "traces at a time, one a processor by default"),
      .init("--quiet", short: "-q", "print only failures and the summary"),
    ],
    examples: ["retap test captures", "retap test captures --read --junit retap.xml"])

  /// The most traces in one call; more are likely a mistake in the path.
  static let maximumTraces = 100_000

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let request = try ReplayRequest(arguments)
    let jobs =
      try arguments.integer("--jobs", in: 1...256) ?? WorkerThreads.processorCount
    let started = MonotonicClock.now()
    var files: [(path: String, isFound: Bool)] = []
    for path in arguments.positionals {
      if Folder.exists(path) {
        do throws(HostError) {
          files += try Folder.regularFiles(below: path).map { ($0, true) }
        } catch {
          throw .host(error)
        }
      } else {
        files.append((path, false))
      }
    }
    guard files.count <= maximumTraces else {
      throw arguments.usage("\(files.count) files; at most \(maximumTraces) can be tested at once")
    }
    let rows = try check(files, request, arguments, jobs: jobs, console: &console)
    let elapsed = MonotonicClock.now() - started
    if let file = arguments.value("--junit") {
      try ReplayCommand.write(Array(junit(rows).xml.utf8), to: file)
    }
    guard rows.contains(where: { $0.mark != .skipped }) else {
      throw nothingFound(arguments.positionals, rows.count)
    }
    try refuseMisfits(request.options.faults, rows, arguments)
    for rule in request.options.faults where strikesNothing(rule, rows) {
      console.warn("retap: fault \(FaultText.text(of: rule)) struck nothing in any trace")
    }
    try console.print(summary(rows, elapsed))
    return code(rows)
  }

  /// Findings come first; then what kept us from a verdict, the gravest first.
  private static func code(_ rows: [TraceCheck.Row]) -> ExitCode {
    for code in [ExitCode.findings, .internalFault, .cannotWrite, .unavailable, .badInput]
    where rows.contains(where: { $0.code == code }) { return code }
    return .success
  }

  /// A fault that fits no trace at all is a mistake in the command line.
  private static func refuseMisfits(
    _ rules: [FaultRule], _ rows: [TraceCheck.Row], _ arguments: ParsedArguments
  ) throws(CommandError) {
    let played = rows.filter { $0.unusedFaults != nil }
    guard !played.isEmpty else { return }
    for rule in rules where played.allSatisfy({ $0.misfits.contains(rule) }) {
      throw arguments.usage(
        "--faults: \(FaultText.text(of: rule)) fits nothing in any trace; retap replay TRACE with "
          + "the same faults tells what there is")
    }
  }

  private static func strikesNothing(_ rule: FaultRule, _ rows: [TraceCheck.Row]) -> Bool {
    let unused = rows.compactMap(\.unusedFaults)
    return !unused.isEmpty && unused.allSatisfy { $0.contains(rule) }
  }

  /// No trace at all: a test that tests nothing must not pass.
  private static func nothingFound(_ paths: [String], _ count: Int) -> CommandError {
    let found =
      count == 0
      ? "no files" : "\(count) file\(count == 1 ? "" : "s"), none with an exchange to play"
    return .unfit(
      input: paths.joined(separator: ", "),
      "nothing to test: found \(found), expected traces of any format that retap reads, whatever "
        + "their names",
      remedy: "name a folder with traces in it or below it; retap show FILE tells what a file holds"
    )
  }

  /// Works in batches, so that lines come out in order while the work goes on.
  private static func check(
    _ files: [(path: String, isFound: Bool)], _ request: ReplayRequest,
    _ arguments: ParsedArguments, jobs: Int, console: inout Console
  ) throws(CommandError) -> [TraceCheck.Row] {
    let evidence = arguments.value("--evidence") ?? ".build/retap"
    let isQuiet = arguments.flag("--quiet")
    let hasStatusLine = console.terminal.errorIsTerminal
    // Somebody who watches wants to see it move; otherwise larger batches keep threads busier.
    let batchLength = jobs * (hasStatusLine ? 4 : 32)
    var rows: [TraceCheck.Row] = []
    var place = 0
    while place < files.count {
      if hasStatusLine { console.showStatus(status(rows, of: files.count)) }
      let batch = Array(files[place..<min(place + batchLength, files.count)])
      let found = WorkerThreads.map(count: batch.count, threads: jobs) { number in
        TraceCheck(
          request: request,
          input: .init(arguments: arguments, skipsUnknown: batch[number].isFound),
          evidenceFolder: evidence
        ).row(batch[number].path)
      }
      if hasStatusLine { console.showStatus("") }
      for row in found where !isQuiet || row.mark != .ok && row.mark != .skipped {
        try console.print("\(row.mark.rawValue) \(row.path)  \(row.words)\n")
      }
      rows += found
      place += batch.count
      if place < files.count { try console.flush() }
    }
    return rows
  }

  /// `640/1000, 2 failed`.
  private static func status(_ rows: [TraceCheck.Row], of total: Int) -> String {
    let failed = rows.count { $0.mark != .ok && $0.mark != .skipped }
    return "\(rows.count)/\(total), \(failed) failed"
  }

  private static func summary(_ rows: [TraceCheck.Row], _ elapsed: Nanoseconds) -> String {
    func count(_ mark: TraceCheck.Mark) -> Int { rows.count { $0.mark == mark } }
    let played = rows.count - count(.skipped)
    var text = "retap: \(count(.ok)) of \(played) traces agreed"
    text += ", \(count(.failed)) failed, \(count(.flaky)) flaky"
    if count(.bad) > 0 { text += ", \(count(.bad)) unreadable" }
    let strangers = rows.count { $0.mark == .skipped && $0.words == TraceCheck.noTrace }
    let others = rows.count { $0.isForOtherCode }
    let unfit = count(.skipped) - strangers - others
    if strangers > 0 {
      text += ", \(strangers) skipped that \(strangers == 1 ? "is" : "are") no trace"
    }
    if others > 0 { text += ", \(others) skipped for other code" }
    if unfit > 0 { text += ", \(unfit) skipped with nothing to replay" }
    return text + ", \(DurationText.seconds(elapsed))\n"
  }

  private static func junit(_ rows: [TraceCheck.Row]) -> JUnitReport {
    JUnitReport(
      suite: "retap test",
      cases: rows.map { row in
        let result: JUnitReport.Result =
          switch row.mark {
          case .ok: .passed
          case .failed, .flaky: .failed(message: row.words, detail: row.report)
          case .skipped: .skipped(message: row.words)
          case .bad: .errored(message: row.words)
          }
        return JUnitReport.Case(row.path, milliseconds: row.milliseconds, result)
      })
  }
}
