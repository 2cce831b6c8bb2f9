import Exploration
import NFCProtocols
import Replay
import TagAccess

/// A child that is a card, driven by the terminal of a trace.
struct ChildCard {
  let request: ReplayRequest
  let script: ReplayScript

  func run(_ command: String) throws(CommandError) -> ReplayResult {
    var lines = try ChildLines(command, request)
    let configuration = script.emulation(asksForTime: request.asksForTime)
    var run = script.run(
      card: CardEmulator(nil, configuration: configuration), request.options)
    var failure: String?
    var isFaulty = false
    var sessions = 0
    var stop = run.run()
    loop: while case .application(.card, let apdu) = stop {
      if run.card.base.sessions > sessions {
        if sessions > 0 { lines.tell("field-off") }
        sessions = run.card.base.sessions
        lines.tell("activated \(identity(configuration))")
        if sessions == 1 { lines.start(at: run.now) }
      }
      lines.keepPace(run.now)
      lines.send(apdu)
      switch lines.next() {
      case .message(let answer, let cost): run.answer(.card, answer, after: cost)
      case .ended:
        failure = "the child ended while an answer to \(Hexadecimal.pairs(apdu)) was due"
        break loop
      case .fault(let reason):
        failure = reason
        isFaulty = true
        break loop
      }
      stop = run.run()
    }
    lines.tell("field-off")
    let ending = try lines.finish(afterFault: isFaulty)
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: failure)
    return ReplayResult(
      outcome: outcome, product: "", childEnding: ending, childFailed: ending != nil)
  }

  private func identity(_ configuration: CardEmulatorConfiguration) -> String {
    let uid = configuration.uids.first?.bytes ?? CardEmulatorConfiguration.exampleUID
    var text = TextBuffer(capacity: 60)
    text.append(compactHex: uid)
    text.append(ascii: 0x20)
    text.append(compactHex: configuration.ats.bytes)
    return text.string
  }
}
