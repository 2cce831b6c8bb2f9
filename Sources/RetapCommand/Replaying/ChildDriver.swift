import Exploration
import NFCProtocols
import Replay

/// A child that drives a PN53x, set in front of the chip of a trace.
struct ChildDriver {
  let request: ReplayRequest
  let script: ReplayScript

  func run(_ command: String) throws(CommandError) -> ReplayResult {
    var lines = try ChildLines(command, request, unit: "a transfer")
    lines.takesListening = true
    var run = script.runDriver(request.options)
    var failure: String?
    var isFaulty = false
    var hasSpoken = false
    var stop = run.run()
    lines.start(at: run.now, hasBeenTold: false)
    loop: while true {
      switch stop {
      case .application(_, let transfer) where !transfer.isEmpty:
        lines.keepPace(run.now)
        lines.send(transfer)
        if run.card.isWorking {
          stop = run.run()
          continue loop
        }
      case .application: lines.tell("silence")
      case .idle where hasSpoken: lines.tell("silence")
      case .idle: break
      case .finished, .budgetExhausted: break loop
      }
      hasSpoken = true
      lines.keepPace(run.now)
      switch lines.next() {
      case .message(let transfer, let cost):
        run.reader.base.listening = lines.listening
        run.answer(.reader, transfer, after: cost)
      case .ended: run.endApplication(.reader)
      case .fault(let reason):
        failure = reason
        isFaulty = true
        break loop
      }
      stop = run.run()
    }
    var ending = try lines.finish(afterFault: isFaulty)
    // A child that was stopped in the middle by --until may well complain.
    if run.card.matcher.hasReachedCut { ending = nil }
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: failure)
    return ReplayResult(
      outcome: outcome, product: "", childEnding: ending, childFailed: ending != nil)
  }
}
