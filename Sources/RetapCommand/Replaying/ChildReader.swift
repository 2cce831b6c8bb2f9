import Exploration
import NFCProtocols
import Replay
import TagAccess

/// A child that reads tags, set in front of the card of a trace.
struct ChildReader {
  let request: ReplayRequest
  let script: ReplayScript

  func run(_ command: String) throws(CommandError) -> ReplayResult {
    var lines = try ChildLines(command, request)
    var run = script.run(
      reader: APDUSession(request.readerConfiguration(.a)), request.options)
    var failure: String?
    var isFaulty = false
    var isOver = false
    var stop = run.run()
    if let tag = run.reader.base.tag, stop == .idle {
      let ats = tag.ats.map { Hexadecimal.pairs($0.bytes).filter { $0 != " " } } ?? ""
      lines.tell("activated \(Hexadecimal.pairs(tag.identifier).filter { $0 != " " }) \(ats)")
    }
    lines.start(at: run.now)
    loop: while true {
      switch stop {
      case .application(.reader, let response): lines.send(response)
      case .application(.card, _): break
      case .idle where !isOver: break
      case .idle, .finished, .budgetExhausted: break loop
      }
      lines.keepPace(run.now)
      switch lines.next() {
      case .message(let apdu, let cost): run.answer(.reader, apdu, after: cost)
      case .ended:
        isOver = true
        run.endApplication(.reader)
      case .fault(let reason):
        failure = reason
        isFaulty = true
        break loop
      }
      stop = run.run()
    }
    if case .failure(let error)? = run.reader.base.result, failure == nil {
      failure = "the session ended: \(error.message)"
    }
    lines.tell("field-off")
    var ending = try lines.finish(afterFault: isFaulty)
    // A child that was stopped in the middle by --until may well complain.
    if run.card.matcher.hasReachedCut { ending = nil }
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: failure)
    return ReplayResult(
      outcome: outcome, product: "", childEnding: ending, childFailed: ending != nil)
  }
}
