import NFCProtocols
import Replay
import Reports

/// What a replay has to say.
struct ReplayReport {
  let result: ReplayResult
  let request: ReplayRequest
  let repeatCommand: String

  init(_ result: ReplayResult, _ request: ReplayRequest, repeatCommand: String) {
    self.result = result
    self.request = request
    self.repeatCommand = repeatCommand
  }

  private var outcome: ReplayOutcome { result.outcome }

  /// The limits that used more than `--max-used` allows.
  private var exceeding: [LimitUse] {
    guard let maximum = request.maximumUsed else { return [] }
    return outcome.limitUses.exceeding(percent: maximum)
  }

  /// True if the exit code is 0.
  var isGood: Bool { outcome.verdict.isGood && exceeding.isEmpty && !result.childFailed }

  /// The verdict in one line.
  var line: String {
    guard outcome.verdict.isGood, let worst = exceeding.first else { return outcome.line }
    let place = worst.exchange > 0 ? "at exchange \(worst.exchange)" : "in activation or deselect"
    return "LIMIT \(place): \(worst.usedPercent ?? 0)% of "
      + "\(DurationText.rounded(worst.limit.duration)) used, more than "
      + "\(request.maximumUsed ?? 0)%"
  }

  /// The whole report.
  func text(isQuiet: Bool) -> String {
    var text = "retap: "
    switch outcome.verdict {
    case .diverged(let divergence): text += divergenceText(divergence)
    default: text += line + "\n"
    }
    if isQuiet { return text }
    text += result.product
    for rule in outcome.unusedFaults {
      text +=
        "  warning: fault \(FaultText.text(of: rule)) struck nothing, no such frame was sent\n"
    }
    for remark in outcome.script.remarks { text += "  note: \(remark)\n" }
    let table = LimitTable(outcome.limitUses) { outcome.script.commandName($0) }
    text += table.text()
    if case .diverged = outcome.verdict { return text }
    return isGood ? text : text + "  repeat: \(repeatCommand)\n"
  }

  private func divergenceText(_ divergence: Divergence) -> String {
    let describer = ScriptDescriber(outcome.script)
    return DivergenceReport(outcome, divergence, repeatCommand: repeatCommand) {
      describer.describe($0, $1, at: $2)
    }.text
  }

  /// The verdict as a case of JUnit.
  func junitCase(_ name: String, milliseconds: Int64) -> JUnitReport.Case {
    JUnitReport.Case(
      name, milliseconds: milliseconds,
      isGood
        ? .passed
        : .failed(message: result.childEnding ?? line, detail: text(isQuiet: false)))
  }

  /// The command line that plays one trace again, in the same way.
  static func repeatCommand(
    _ path: String, words: [String] = Array(CommandLine.arguments.dropFirst(2)),
    positionals: [String]
  ) -> String {
    let kept = ReplayRequest.repetition(of: words, positionals: positionals)
    return (["retap", "replay", path] + kept).map(quoted).joined(separator: " ")
  }

  /// A word as a shell takes it.
  static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x2F, 0x5F, 0x3A, 0x3D, 0x2C, 0x25, 0x2B].contains(byte)
    }
    if plain, !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
