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
  func wholeScript(
    of header: TraceHeader, _ events: [TraceEvent]
  ) throws(ReplayError) -> ReplayScript {
    var lifting = TraceLifting(header: header)
    for event in events { lifting.add(event) }
    return try chosenScript(lifting)
  }

  /// The part of a script that `--until` asks for.
  func cut(_ script: ReplayScript) -> ReplayScript {
    request.until.map { script.prefix($0) } ?? script
  }

  private func chosenScript(_ lifting: TraceLifting) throws(ReplayError) -> ReplayScript {
    if request.role == .chip { return try filled(.chip, of: lifting) }
    if let layer = request.layer { return try filled(layer, of: lifting) }
    switch request.code {
    case .recording:
      let script = try lifting.lowestScript()
      // Asked for as a card or a terminal, a link trace is played at its APDUs.
      return script.layer == .chip && request.role != nil
        ? try filled(.apdu, of: lifting) : script
    case .reader:
      let apdus = lifting.script(.apdu)
      return apdus.entries.isEmpty ? try filled(.radio, of: lifting) : apdus
    case .emulator, .child:
      return try filled(.apdu, of: lifting)
    }
  }

  /// The script of a layer, unless it is empty: then it is told what the trace holds instead.
  private func filled(
    _ layer: ReplayLayer, of lifting: TraceLifting
  ) throws(ReplayError) -> ReplayScript {
    let script = lifting.script(layer)
    guard script.entries.isEmpty else { return script }
    var held: [String] = []
    for other in ReplayLayer.allCases where other != layer {
      let count = lifting.script(other).entries.count
      if count > 0 { held.append("\(count) at the layer \(other.rawValue)") }
    }
    let chip = lifting.script(.chip)
    if held.count == 1, layer != .chip, !chip.entries.isEmpty {
      let isPN53x = chip.framing == .hostFrames
      throw .nothingToReplay(
        found: (isPN53x ? "PN53x host frames" : "messages of a reader (CCID or NCI)")
          + " in which no \(layer == .apdu ? "APDU" : "frame of the air") was found",
        expected: Self.needs(layer),
        remedy: "play it with --role chip, or look at it with retap show")
    }
    let found = held.isEmpty ? "" : ", but " + held.joined(separator: " and ")
    throw .nothingToReplay(
      found: "no exchange at the layer \(layer.rawValue)\(found)",
      expected: Self.needs(layer), remedy: remedy(layer, isEmpty: held.isEmpty))
  }

  private static func needs(_ layer: ReplayLayer) -> String {
    switch layer {
    case .apdu: "APDUs: a Type 4 tag or another card with ISO-DEP"
    case .radio: "frames on the air"
    case .chip: "what a host and a PN53x say to each other"
    }
  }

  private func remedy(_ layer: ReplayLayer, isEmpty: Bool) -> String {
    if isEmpty { return "look at the trace with retap show" }
    switch request.code {
    case .recording: return "choose another --layer or --role"
    case .reader: return "play the trace against itself, without --read"
    case .emulator: return "play the trace against itself, or use one of a Type 4 tag"
    case .child:
      return request.role == .chip
        ? "use --role card or --role terminal" : "use a trace of a Type 4 tag, or --role chip"
    }
  }

  /// Plays the script.
  func run(_ script: ReplayScript) throws(CommandError) -> ReplayResult {
    switch request.code {
    case .recording:
      return ReplayResult(outcome: script.playAgainstItself(request.options), product: "")
    case .reader: return read(script)
    case .emulator: return emulate(script)
    case .child(let command):
      switch request.role {
      case .terminal: return try ChildCard(request: request, script: script).run(command)
      case .chip: return try ChildDriver(request: request, script: script).run(command)
      case .card, nil: return try ChildReader(request: request, script: script).run(command)
      }
    }
  }

  private func read(_ script: ReplayScript) -> ReplayResult {
    var run = script.run(
      reader: TagReader(request.readerConfiguration(script.technology)), request.options)
    let stop = run.run()
    var failure: String?
    var product = ""
    switch run.reader.base.result {
    case .success(let result)?: product = ReadTagText.lines(result)
    case .failure(let error)?: failure = "the reader gave up: \(error.message)"
    case nil:
      if stop == .idle { failure = "the reader waits and nothing is left to happen" }
    }
    let outcome = script.outcome(of: &run, request.options, stop: stop, failure: failure)
    return ReplayResult(outcome: outcome, product: product)
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
