import NFCProtocols
import NFCTrace
import Replay

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
  var layer: ReplayLayer?
  var options = ReplayOptions()
  var maximumUsed: Int?
  var until: Int?
  var isRealTime = false
  var asksForTime = false
  var work = Nanoseconds.zero
  var patience = Nanoseconds.seconds(5)

  static let declarations: [CommandSyntax.Option] =
    [
      .init(
        "--exec", value: "CMD",
        "test a program that speaks hex APDUs on stdin and stdout\n(docs/exec-protocol.md)"),
      .init("--read", "test the built-in tag reader, and show what it read"),
      .init("--emulate", "test the built-in card emulator with an NDEF message"),
      .init("--role", value: "ROLE", "what the trace plays: card, terminal or chip"),
      .init("--layer", value: "LAYER", "what is matched: radio, apdu or chip"),
      .init(
        "--faults", value: "RULES",
        "for example 'late(14,+6.2ms)', 'drop(3)', 'corrupt(5,17)', 'dup(2)'"),
      .init("--mask", value: "NAMES", "fields that may differ: " + maskNames),
      .init("--policy", value: "NAMES", "looser matching: " + policyNames),
      .init("--max-used", value: "PERCENT", "fail if an answer uses more of its limit, as 80%"),
      .init("--until", value: "N", "play only the first N exchanges"),
      .init("--realtime", "let virtual time pass as fast as real time"),
      .init("--wtx", "let the card under test ask for more time by itself when it is slow"),
      .init("--work", value: "TIME", "declared work of each answer of --emulate, as 5ms"),
      .init("--patience", value: "TIME", "how long a child may think in real time, 5s by default"),
    ] + InputOptions.declarations

  private static var maskNames: String { MaskSet.named.map(\.name).joined(separator: ", ") }
  private static var policyNames: String {
    MatchPolicy.named.map(\.name).joined(separator: ", ")
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
    layer = try arguments.choice("--layer", of: Layer.self)?.replayLayer
    until = try arguments.integer("--until", in: 1...Int(Int32.max))
    isRealTime = arguments.flag("--realtime")
    asksForTime = arguments.flag("--wtx")
    do throws(ReplayError) {
      if let text = arguments.value("--faults") { options.faults = try FaultText.parse(text) }
      if let text = arguments.value("--mask") { options.masks = try MaskSet.parse(text) }
      if let text = arguments.value("--policy") { options.policy = try MatchPolicy.parse(text) }
    } catch {
      throw arguments.usage(error.message)
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
    case (.child, .chip):
      throw arguments.usage("--exec speaks APDUs; --role card or --role terminal is needed")
    case (.reader, nil), (.child, nil): role = .card
    case (.emulator, nil): role = .terminal
    default: break
    }
    if role == .chip, let layer, layer != .chip {
      throw arguments.usage("--role chip is matched at --layer chip")
    }
    if case .child = code, let layer, layer != .apdu {
      throw arguments.usage("--exec is matched at --layer apdu")
    }
    if code != .recording, layer == .chip {
      throw arguments.usage("--layer chip is for a trace played against itself")
    }
  }

  /// The words of the command line that a repetition needs, without `--until` and the file.
  static func repetition(of words: [String]) -> [String] {
    var kept: [String] = []
    var rest = words[...]
    let dropped = ["--until", "--junit", "--log", "--evidence"]
    while let word = rest.popFirst() {
      if dropped.contains(word) {
        rest = rest.dropFirst()
      } else if !dropped.contains(where: { word.hasPrefix($0 + "=") }) {
        kept.append(word)
      }
    }
    return kept
  }
}
