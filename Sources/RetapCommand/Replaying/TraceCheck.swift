import HostIO
import NFCProtocols
import NFCTrace
import Replay
import Reports

/// One trace of `retap test`: read, played twice, compared, and told in one line.
struct TraceCheck: Sendable {
  /// How a trace fared.
  enum Mark: String, Sendable {
    case ok = "ok   "
    case failed = "FAIL "
    case flaky = "FLAKE"
    case skipped = "skip "
    case bad = "BAD  "
  }

  /// What is told of a trace.
  struct Row: Sendable {
    var mark: Mark
    var path: String
    var words: String
    var report: String
    var milliseconds: Int64
    /// The exit code that the row asks for.
    var code = ExitCode.success
    /// The fault rules that struck nothing; `nil` if nothing was played.
    var unusedFaults: [FaultRule]?
    /// The fault rules that fit nothing in the trace.
    var misfits: [FaultRule] = []
    /// True if the trace is for another kind of code.
    var isForOtherCode = false
  }

  var request: ReplayRequest
  var input: TraceInput
  /// Where evidence of failures goes.
  var evidenceFolder: String

  /// How traces are read; the same for all.
  struct TraceInput: Sendable {
    var arguments: ParsedArguments
    /// True if files of no known format are passed over: those found in a folder.
    var skipsUnknown: Bool
  }

  /// Checks one file; nothing is printed.
  func row(_ path: String) -> Row {
    let started = MonotonicClock.now()
    var row = checked(path)
    row.milliseconds = (MonotonicClock.now() - started).count / 1_000_000
    return row
  }

  private func checked(_ path: String) -> Row {
    do throws(CommandError) {
      return try played(path)
    } catch {
      if input.skipsUnknown, error.saysUnknownFormat {
        return Row(
          mark: .skipped, path: path, words: Self.noTrace, report: error.message + "\n",
          milliseconds: 0)
      }
      if case .host(.cannotWrite) = error {} else { keepDamage(path, error.message) }
      let line = error.message.split(separator: "\n").first.map(String.init) ?? ""
      // The row names the file already.
      let words = line.hasPrefix(path + ": ") ? String(line.dropFirst(path.count + 2)) : line
      return Row(
        mark: .bad, path: path, words: words, report: error.message + "\n", milliseconds: 0,
        code: error.exitCode)
    }
  }

  private func played(_ path: String) throws(CommandError) -> Row {
    let trace = try InputOptions.readAll(path, input.arguments)
    var job = ReplayJob(request: request)
    if case .child = request.code {} else { job.request.options.keepsLogText = false }
    if let reason = request.misfit(trace.header) {
      return Row(
        mark: .skipped, path: path, words: reason, report: reason + "\n", milliseconds: 0,
        isForOtherCode: true)
    }
    let whole: ReplayScript
    do throws(ReplayError) {
      whole = try job.wholeScript(of: trace.header, trace.events)
    } catch {
      return Row(
        mark: .skipped, path: path, words: "nothing to replay", report: error.message + "\n",
        milliseconds: 0)
    }
    let script = job.cut(whole)
    let first = try job.run(script)
    let second = try job.run(script)
    var row = try judged(path, first, second, job, script)
    row.unusedFaults = first.outcome.unusedFaults
    row.misfits = request.options.faults.filter { whole.misfit(of: $0) != nil }
    return row
  }

  /// The row of a trace after it was played twice; evidence is kept of what is not as it should be.
  private func judged(
    _ path: String, _ first: ReplayResult, _ second: ReplayResult, _ job: ReplayJob,
    _ script: ReplayScript
  ) throws(CommandError) -> Row {
    let report = ReplayReport(
      first, request,
      repeatCommand: ReplayReport.repeatCommand(
        path, positionals: input.arguments.positionals))
    if first.outcome.log.hash != second.outcome.log.hash {
      let words =
        "run logs differ: \(first.outcome.log.hashText) and \(second.outcome.log.hashText)"
      try keepEvidence(path, words + "\n" + report.text(isQuiet: false), first, job, script)
      return Row(
        mark: .flaky, path: path, words: words, report: words + "\n", milliseconds: 0,
        code: .findings)
    }
    guard report.isGood else {
      let text = report.text(isQuiet: false)
      try keepEvidence(path, text, first, job, script)
      return Row(
        mark: .failed, path: path, words: first.childEnding ?? report.line, report: text,
        milliseconds: 0, code: .findings)
    }
    return Row(
      mark: .ok, path: path,
      words: "\(first.outcome.agreed.count) of \(script.entries.count) exchanges, "
        + "\(DurationText.seconds(first.outcome.duration)), run log \(first.outcome.log.hashText)",
      report: "", milliseconds: 0)
  }

  /// Report, run log and a copy of the trace, in a folder of their own.
  private func keepEvidence(
    _ path: String, _ report: String, _ result: ReplayResult, _ job: ReplayJob,
    _ script: ReplayScript
  ) throws(CommandError) {
    let folder = evidenceFolder + "/" + Self.folderName(path)
    var log = result.outcome.log
    if !log.keepsText {
      var again = job
      again.request.options.keepsLogText = true
      log = try again.run(script).outcome.log
    }
    do throws(HostError) {
      try write(path, to: folder, [("report.txt", Array(report.utf8)), ("run.log", log.text)])
    } catch {
      throw .host(error)
    }
  }

  /// What is wrong with a trace, and the trace as far as it can be read.
  ///
  /// That it cannot be kept is not told: the row tells what is wrong already.
  private func keepDamage(_ path: String, _ message: String) {
    let folder = evidenceFolder + "/" + Self.folderName(path)
    do throws(HostError) {
      try write(path, to: folder, [("report.txt", Array("retap: \(message)\n".utf8))])
    } catch {}
  }

  /// Writes files into a folder, and last a copy of the trace.
  private func write(
    _ path: String, to folder: String, _ files: [(name: String, bytes: [UInt8])]
  ) throws(HostError) {
    try Folder.make(folder)
    for file in files where !file.bytes.isEmpty {
      var output = try OutputFile(path: folder + "/" + file.name)
      try output.write(file.bytes)
      try output.commit()
    }
    guard let trace = try InputFile.readAll(path: path, limit: Self.largestCopy) else { return }
    let name = path.split(separator: "/").last.map(String.init) ?? "trace"
    var output = try OutputFile(path: folder + "/" + name)
    try output.write(trace)
    try output.commit()
  }

  /// What is said of a file that is of no known format.
  static let noTrace = "no trace"

  /// The largest trace that is copied into evidence, in bytes.
  static let largestCopy = 16 * 1_048_576

  /// A path as one name of a folder.
  static func folderName(_ path: String) -> String {
    let name = path.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }
    return String(name.drop { $0 == "." || $0 == "_" }.suffix(120))
  }
}
