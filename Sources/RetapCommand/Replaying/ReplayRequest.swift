import NFCProtocols
import NFCTrace
import Replay
import TagAccess

/// What the command line asks of a replay; the same for one trace and for many.
struct ReplayRequest: Sendable {
  /// Which side of the trace is played.
  enum Role: String, CaseIterable, Sendable {
    /// The card is played: tag-reading code is tested.
    case card
    /// The terminal is played: card emulation code is tested.
    case terminal
    /// The PN53x chip is played: a driver is tested.
    case chip
  }

  /// The layer names of the command line.
  enum Layer: String, CaseIterable, Sendable {
    case radio, apdu, chip

    var replayLayer: ReplayLayer {
      switch self {
      case .radio: .radio
      case .apdu: .apdu
      case .chip: .chip
      }
    }
  }

  /// What is set against the trace.
  enum Code: Hashable, Sendable {
    /// The recorded other side.
    case recording
    /// The built-in tag reader.
    case reader
    /// The built-in card emulator with this NDEF message.
    case emulator
    /// A child process.
    case child(String)
  }

  var code = Code.recording
  var role: Role?
  /// True if `--role` was given.
  var isRoleGiven = false
  var layer: ReplayLayer?
  var options = ReplayOptions()
  var maximumUsed: Int?
  var until: Int?
  /// `--retries`, if it was given.
  var retries: Int?
  var isRealTime = false
  var asksForTime = false
  var work = Nanoseconds.zero
  var patience = Nanoseconds.seconds(5)

  static let declarations: [CommandSyntax.Option] =
    [
      .init(
        "--exec", value: "CMD",
        "test a program that speaks hex APDUs on stdin and stdout, or with\n"
          + "--role chip the frames of a PN53x driver (docs/exec-protocol.md)"),
      .init("--read", "test the built-in tag reader, and show what it read"),
      .init("--emulate", "test the built-in card emulator with an NDEF message"),
      .init("--role", value: "ROLE", "what the trace plays: card, terminal or chip"),
      .init("--layer", value: "LAYER", "what is matched: radio, apdu or chip"),
      .init(
        "--faults", value: "RULES",
        "for example 'late(14,+6.2ms)', 'drop(3)', 'corrupt(5,17)', 'dup(2)'"),
      .init("--mask", value: "NAMES", "fields that may differ, commas between them:\n" + maskNames),
      .init("--policy", value: "NAMES", "looser matching, commas between them:\n" + policyNames),
      .init("--max-used", value: "PERCENT", "fail if an answer uses more of its limit, as 80%"),
      .init(
        "--retries", value: "N",
        "how often a reader asks for one block again, 2 by default as in\nEMV Contactless Book D"),
      .init(
        "--fwt-margin", value: "TIME",
        "ΔFWT: what a reader adds to every frame waiting time, 0 by default\n"
          + "(ISO/IEC 14443-4 has none; NFC Forum Digital: 49152/fc, 3.625ms)"),
      .init("--until", value: "N", "play only the first N exchanges"),
      .init("--realtime", "let virtual time pass as fast as real time"),
      .init("--wtx", "let the card under test ask for more time by itself when it is slow"),
      .init("--work", value: "TIME", "declared work of each answer of --emulate, as 5ms"),
      .init("--patience", value: "TIME", "how long a child may think in real time, 5s by default"),
    ] + InputOptions.declarations

  private static var maskNames: String { list(MaskSet.named.map(\.name)) }
  private static var policyNames: String { list(MatchPolicy.named.map(\.name)) }

  /// Names for a help page, five a line.
  private static func list(_ names: [String]) -> String {
    stride(from: 0, to: names.count, by: 5)
      .map { names[$0..<min($0 + 5, names.count)].joined(separator: ", ") }
      .joined(separator: ",\n")
  }

  init(_ arguments: ParsedArguments) throws(CommandError) {
    var codes: [Code] = []
    if let command = arguments.value("--exec") { codes.append(.child(command)) }
    if arguments.flag("--read") { codes.append(.reader) }
    if arguments.flag("--emulate") { codes.append(.emulator) }
    guard codes.count <= 1 else {
      throw arguments.usage("only one of --exec, --read and --emulate can be tested at a time")
    }
    code = codes.first ?? .recording
    role = try arguments.choice("--role", of: Role.self)
    isRoleGiven = role != nil
    layer = try arguments.choice("--layer", of: Layer.self)?.replayLayer
    until = try arguments.integer("--until", in: 1...Int(Int32.max))
    retries = try arguments.integer("--retries", in: 0...Self.maximumRetries)
    if let retries { options.retries = retries }
    if let text = arguments.value("--fwt-margin") {
      options.waitingTimeMargin = try Self.duration(text, arguments)
    }
    isRealTime = arguments.flag("--realtime")
    asksForTime = arguments.flag("--wtx")
    do throws(ReplayError) {
      if let text = arguments.value("--faults") { options.faults = try FaultText.parse(text) }
      if let text = arguments.value("--mask") { options.masks = try MaskSet.parse(text) }
      if let text = arguments.value("--policy") { options.policy = try MatchPolicy.parse(text) }
    } catch {
      throw arguments.usage(Self.words(for: error))
    }
    if let text = arguments.value("--work") { work = try Self.duration(text, arguments) }
    if let text = arguments.value("--patience") { patience = try Self.duration(text, arguments) }
    if let text = arguments.value("--max-used") {
      let number = text.hasSuffix("%") ? String(text.dropLast()) : text
      guard let percent = Int(number), (1...1_000).contains(percent) else {
        throw arguments.usage("'\(text)' is no value of --max-used: a percentage as 80% is needed")
      }
      maximumUsed = percent
    }
    try checkRole(arguments)
  }

  /// The most repetitions that can be asked for; EMV and NFC Forum Digital have 2, libraries 3.
  static let maximumRetries = 100

  /// How the reader under test is set up.
  func readerConfiguration(_ technology: Technology) -> TagReaderConfiguration {
    var configuration = TagReaderConfiguration([technology])
    configuration.recovery.attempts = options.retries
    configuration.waitingTimeMargin = options.waitingTimeMargin
    // Of a read command of Type 2, 3 and 5 tags the first try is not a repetition.
    if let retries { configuration.readAttempts = retries + 1 }
    return configuration
  }

  private static func duration(
    _ text: String, _ arguments: ParsedArguments
  ) throws(CommandError) -> Nanoseconds {
    guard let duration = DurationText.parse(text) else {
      throw arguments.usage("'\(text)' is no time: a number with s, ms, us or ns is needed")
    }
    return duration
  }

  private mutating func checkRole(_ arguments: ParsedArguments) throws(CommandError) {
    switch (code, role) {
    case (.reader, .terminal), (.reader, .chip):
      throw arguments.usage("--read tests a reader, so the trace plays the card: --role card")
    case (.emulator, .card), (.emulator, .chip):
      throw arguments.usage("--emulate tests a card, so the trace plays the terminal")
    case (.reader, nil), (.child, nil): role = .card
    case (.emulator, nil): role = .terminal
    default: break
    }
    if role == .chip, let layer, layer != .chip {
      throw arguments.usage("--role chip is matched at --layer chip")
    }
    if case .child = code, role != .chip, let layer, layer != .apdu {
      throw arguments.usage("--exec is matched at --layer apdu, or with --role chip at chip")
    }
    if code != .recording, role != .chip, layer == .chip {
      throw arguments.usage("--layer chip is for a trace played against itself")
    }
  }

  /// A text that was not understood, with the word that was likely meant.
  private static func words(for error: ReplayError) -> String {
    guard case .badText(var text) = error else { return error.message }
    let candidates =
      switch text.what {
      case "mask": MaskSet.named.map(\.name)
      case "policy": MatchPolicy.named.map(\.name)
      default: FaultText.kinds
      }
    let word = text.found.filter { $0 != "'" }
    if let guess = NearGuess.best(for: word, among: candidates) {
      text.found += " (did you mean \(guess)?)"
    }
    return "--" + ReplayError.badText(text).message
  }

  /// The request with the role that a trace is for, unless `--role` tells it.
  ///
  /// Where the recorder was the card, the trace is a terminal and a child is a card.
  func fitted(to header: TraceHeader) -> ReplayRequest {
    guard case .child = code, !isRoleGiven, header.role == .card else { return self }
    var request = self
    request.role = .terminal
    return request
  }

  /// Why a trace is not for the code under test, or `nil` if it is.
  func misfit(_ header: TraceHeader) -> String? {
    guard code != .recording else { return nil }
    switch (role, header.role) {
    case (.card, .card): return "recorded as a card: it tests card programs (--role terminal)"
    case (.terminal, .reader): return "recorded as a reader: it tests readers (--role card)"
    default: return nil
    }
  }

  /// Refuses fault rules that cannot strike anything in a script.
  func checkFaults(
    _ script: ReplayScript, of path: String, _ arguments: ParsedArguments
  ) throws(CommandError) {
    for rule in options.faults {
      guard let misfit = script.misfit(of: rule) else { continue }
      let start = "--faults: \(FaultText.text(of: rule)) fits nothing in \(path): "
      switch misfit {
      case .noSuchExchange(let count):
        throw arguments.usage(
          start + "it has \(count) exchange\(count == 1 ? "" : "s") at the layer "
            + "\(script.layer.rawValue)")
      case .noSuchBit(let count):
        throw arguments.usage(
          start + "the longest frame that it is for has \(count) bits, counted from 0")
      case .noSuchCommand(let name, let known):
        let guess = NearGuess.best(for: name, among: known).map { "; did you mean \($0)?" } ?? ""
        let shown = known.prefix(Self.shownCommands).joined(separator: ", ")
        let more = known.count > Self.shownCommands ? " …" : ""
        throw arguments.usage(
          start + "no command there is called \(name), but \(shown)\(more)\(guess)")
      }
    }
  }

  /// How many command names a message lists.
  static let shownCommands = 8

  /// The words of the command line that a repetition needs: without files and where reports go.
  static func repetition(of words: [String], positionals: [String]) -> [String] {
    var kept: [String] = []
    var rest = words[...]
    let dropped = ["--junit", "--log", "--evidence", "--jobs", "-j"]
    let valued = declarations.filter { $0.value != nil }.map(\.name)
    while let word = rest.popFirst() {
      if word == "-q" || word == "--quiet" || word == "--" { continue }
      if dropped.contains(word) {
        rest = rest.dropFirst()
      } else if valued.contains(word) {
        kept += [word] + rest.prefix(1)
        rest = rest.dropFirst()
      } else if !dropped.contains(where: { word.hasPrefix($0 + "=") }),
        !positionals.contains(word)
      {
        kept.append(word)
      }
    }
    return kept
  }
}
