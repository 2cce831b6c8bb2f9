import Exploration
import NFCProtocols
import NFCTrace
import Replay
import TagAccess

/// What one replay came to, in words and as values.
struct ReplayResult: Sendable {
  var outcome: ReplayOutcome
  /// What the code under test has to show, for example what was read.
  var product: String
  /// How a child ended, if it did not end well; apart from the verdict of the trace.
  var childEnding: String?
  /// True if the child ended with a failure of its own.
  var childFailed = false
}

/// One trace with one request: everything but the printing.
struct ReplayJob: Sendable {
  var request: ReplayRequest

  /// Takes the script that the request needs out of a trace.
  func script(
    of header: TraceHeader, _ events: [TraceEvent]
  ) throws(ReplayError) -> ReplayScript {
    var lifting = TraceLifting(header: header)
    for event in events { lifting.add(event) }
    var script = try chosenScript(lifting)
    if let until = request.until { script = script.prefix(until) }
    return script
  }

  private func chosenScript(_ lifting: TraceLifting) throws(ReplayError) -> ReplayScript {
    if request.role == .chip { return try Self.filled(lifting.script(.chip)) }
    if let layer = request.layer { return try Self.filled(lifting.script(layer)) }
    switch request.code {
    case .recording:
      let script = try lifting.lowestScript()
      // Asked for as a card or a terminal, a link trace is played at its APDUs.
      return script.layer == .chip && request.role != nil
        ? try Self.filled(lifting.script(.apdu)) : script
    case .reader:
      let apdus = lifting.script(.apdu)
      return apdus.entries.isEmpty ? try Self.filled(lifting.script(.radio)) : apdus
    case .emulator, .child:
      return try Self.filled(lifting.script(.apdu))
    }
  }

  private static func filled(_ script: ReplayScript) throws(ReplayError) -> ReplayScript {
    guard script.entries.isEmpty else { return script }
    throw .nothingToReplay(
      found: "no exchange at the layer \(script.layer.rawValue)", expected: "at least one command",
      remedy: "look at the trace with retap show, or choose another --layer")
  }

  /// Plays the script.
  func run(_ script: ReplayScript) throws(CommandError) -> ReplayResult {
    switch request.code {
    case .recording:
      return ReplayResult(outcome: script.playAgainstItself(request.options), product: "")
    case .reader: return read(script)
    case .emulator: return emulate(script)
    case .child(let command):
      return try request.role == .terminal
        ? ChildCard(request: request, script: script).run(command)
        : ChildReader(request: request, script: script).run(command)
    }
  }

  private func read(_ script: ReplayScript) -> ReplayResult {
    var run = script.run(
      reader: TagReader(TagReaderConfiguration([script.technology])), request.options)
    let stop = run.run()
    var failure: String?
    var product = ""
    switch run.reader.base.result {
    case .success(let result)?: product = Self.describe(result)
    case .failure(let error)?: failure = "the reader gave up: \(error.message)"
    case nil:
      if stop == .idle { failure = "the reader waits and nothing is left to happen" }
    }
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: failure)
    return ReplayResult(outcome: outcome, product: product)
  }

  private static func describe(_ result: TagReadResult) -> String {
    var text = "  tag   \(result.tag.technology) \(Hexadecimal.pairs(result.tag.identifier))\n"
    if let ats = result.tag.ats { text += "  ATS   \(Hexadecimal.pairs(ats.bytes))\n" }
    guard let message = result.ndef else { return text + "  NDEF  none\n" }
    var words = TextBuffer(capacity: 120)
    NDEFSummary.write(message.bytes, to: &words)
    return text + "  \(words.string)\n"
  }

  private func emulate(_ script: ReplayScript) -> ReplayResult {
    // The message that the recorded card held, so that only the code is tested.
    let message = script.recordedMessage ?? Self.exampleMessage.bytes
    var card = NDEFCard(bytes: message, processing: request.work)
    var run = script.run(
      card: CardEmulator(nil, configuration: script.emulation(asksForTime: request.asksForTime)),
      request.options)
    var stop = run.run()
    while case .application(.card, let command) = stop {
      let answer = card.respond(to: command)
      run.answer(.card, answer.bytes, after: answer.processing)
      stop = run.run()
    }
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: nil)
    return ReplayResult(outcome: outcome, product: "")
  }

  /// What the built-in card holds where the trace does not tell: one Text record "hello" in English.
  static let exampleMessage = NDEFMessage([.text(NDEFText("hello", language: "en"))])
}

extension ReplayScript {
  /// How a card under test presents itself: as the recorded one did, so that the terminal finds
  /// the same frame waiting time.
  func emulation(asksForTime: Bool) -> CardEmulatorConfiguration {
    var configuration = cardConfiguration
    configuration.waiting = asksForTime ? .standard : .off
    return configuration
  }
}
