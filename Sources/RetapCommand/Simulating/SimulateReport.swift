import HostIO
import NFCProtocols
import Replay

/// What a run of a program in front of a virtual reader has to say.
struct SimulateReport {
  let request: SimulateRequest
  let result: SimulateRun.Result
  let repeatCommand: String

  /// True if the exit code is 0.
  var isGood: Bool { (result.outcome?.verdict.isGood ?? true) && result.ending == .exited(0) }

  /// The verdict on a trace, or one line on the run.
  var text: String {
    var text = "retap: "
    if let outcome = result.outcome {
      if case .diverged(let divergence) = outcome.verdict {
        let describer = ScriptDescriber(outcome.script)
        text +=
          DivergenceReport(outcome, divergence, repeatCommand: repeatCommand) {
            describer.describe($0, $1, at: $2)
          }.text
      } else {
        text += outcome.line + "\n"
      }
    } else {
      let state = result.ending == .exited(0) ? "ended well" : "failed"
      text += "\(request.program[0]) \(state), \(DurationText.seconds(result.duration)), "
      text += "run log \(result.log.hashText)\n"
    }
    for fault in result.unusedFaults {
      text += "  warning: a fault struck nothing: \(ReaderFaultText.text(of: fault))\n"
    }
    return text
  }

  /// How the program ended, if it did not end well.
  var endingText: String? {
    let name = request.program[0]
    switch result.ending {
    case .exited(0): return nil
    case .exited(let code): return "\(name) ended with exit code \(code)"
    case .signalled(let number): return "\(name) was ended by signal \(number)"
    case .killedAfterTimeout: return "\(name) did not end and was killed"
    }
  }
}
