import NFCProtocols
import Replay
import VirtualReaders

/// What the command line asks of a simulated reader.
struct SimulateRequest {
  /// The readers that can be simulated.
  enum Reader: String, CaseIterable {
    case pn533, scl3711, pn531, acr122u, pn532

    /// What programs see on USB; `nil` for a serial line.
    var usbDevice: VirtualUSBDevice? {
      switch self {
      case .pn533: .pn533
      case .scl3711: .scl3711
      case .pn531: .pn531
      case .acr122u: .acr122u
      case .pn532: nil
      }
    }
  }

  /// Which side of a trace is played.
  enum Role: String, CaseIterable {
    case chip, card, terminal
  }

  var reader: Reader
  var cardPath: String?
  var tracePath: String?
  var role: Role?
  var faults: [ReaderFault] = []
  var options = ReplayOptions()
  var until: Int?
  var arrival: Nanoseconds?
  var departure: Nanoseconds?
  var unplugging: Nanoseconds?
  var plugging: Nanoseconds?
  var pace = ReaderPace.realTime
  var recordPath: String?
  var logPath: String?
  var patience = Nanoseconds.seconds(5)
  var program: [String]

  static let declarations: [CommandSyntax.Option] =
    [
      .init(
        "--reader", value: "NAME",
        "pn533 (default), scl3711, pn531 or acr122u on USB, pn532 on a serial line"),
      .init(
        "--card", value: "FILE",
        "the card in the field: a card dump (docs/cards.md), or a sample by name:\n"
          + SampleCard.allCases.map(\.rawValue).joined(separator: " ")),
      .init("--trace", value: "FILE", "play one side of a trace, and compare strictly"),
      .init(
        "--role", value: "ROLE",
        "what the trace plays: the chip, or a card or a terminal in front of a\n"
          + "modelled chip; by default the chip if the trace holds one"),
      .init("--card-arrives", value: "TIME", "put the card into the field after this time"),
      .init("--card-leaves", value: "TIME", "take it away after this time, as 1.5s"),
      .init("--unplug", value: "TIME", "pull the reader out after this time"),
      .init("--plug", value: "TIME", "plug it in again after this time (USB)"),
      .init(
        "--faults", value: "FAULTS",
        "what happens to the n-th transfer (in: from the chip, out: to it) or frame\n"
          + "on the air (reader, card): drop(in 3) dup(in 3) late(in 4..6,+20ms)\n"
          + "corrupt(card 2,17) truncate(in 3,4) split(in 3,6) merge(in 3) zlp(in 3)\n"
          + "replace(in 3,HEX) insert(in 3,HEX) status(in 9,13) stall(in 5)\n"
          + "unplug(out 12) completes-late(out 2,+3ms) leave(card 4)"),
      .init("--fast", "leave the waits of the chip out"),
      .init("--real-time", "let the chip take its time (default)"),
      .init("--record", value: "FILE", "write what program and reader said as a trace"),
      .init("--log", value: "FILE", "write the run log"),
      .init("--until", value: "N", "play only the first N exchanges of a trace"),
      .init("--mask", value: "NAMES", "fields that may differ from a trace (retap replay --help)"),
      .init("--policy", value: "NAMES", "looser matching (retap replay --help)"),
      .init(
        "--patience", value: "TIME",
        "how long the program may go on after it differs from a trace, 5s by default"),
    ] + InputOptions.declarations

  init(_ arguments: ParsedArguments) throws(CommandError) {
    reader = try arguments.choice("--reader", of: Reader.self) ?? .pn533
    cardPath = arguments.value("--card")
    tracePath = arguments.value("--trace")
    role = try arguments.choice("--role", of: Role.self)
    until = try arguments.integer("--until", in: 1...Int(Int32.max))
    recordPath = arguments.value("--record")
    logPath = arguments.value("--log")
    options.keepsLogText = logPath != nil
    program = arguments.program
    arrival = try Self.time("--card-arrives", arguments)
    departure = try Self.time("--card-leaves", arguments)
    unplugging = try Self.time("--unplug", arguments)
    plugging = try Self.time("--plug", arguments)
    if let time = try Self.time("--patience", arguments) { patience = time }
    if arguments.flag("--fast") { pace = .fast }
    do throws(ReplayError) {
      if let text = arguments.value("--faults") { faults = try ReaderFaultText.parse(text) }
      if let text = arguments.value("--mask") { options.masks = try MaskSet.parse(text) }
      if let text = arguments.value("--policy") { options.policy = try MatchPolicy.parse(text) }
    } catch {
      throw arguments.usage("--" + error.message)
    }
    try check(arguments)
  }

  private static func time(
    _ name: String, _ arguments: ParsedArguments
  ) throws(CommandError) -> Nanoseconds? {
    guard let text = arguments.value(name) else { return nil }
    guard let time = DurationText.parse(text) else {
      throw arguments.usage(
        "'\(text)' is no value of \(name): a number with s, ms, us or ns is needed")
    }
    return time
  }

  private func check(_ arguments: ParsedArguments) throws(CommandError) {
    if program.isEmpty {
      throw arguments.usage("the program to run is missing: -- PROGRAM …")
    }
    if arguments.flag("--fast"), arguments.flag("--real-time") {
      throw arguments.usage("only one of --fast and --real-time can be had")
    }
    if cardPath != nil, tracePath != nil {
      throw arguments.usage("only one of --card and --trace can be in the field")
    }
    if tracePath == nil {
      for name in ["--role", "--until", "--mask", "--policy"] where arguments.value(name) != nil {
        throw arguments.usage("\(name) is for --trace")
      }
    }
    if cardPath == nil, arrival != nil || departure != nil {
      throw arguments.usage("--card-arrives and --card-leaves need a --card")
    }
    if let arrival, let departure, departure <= arrival {
      throw arguments.usage("the card must arrive before it leaves")
    }
    if plugging != nil, reader.usbDevice == nil {
      throw arguments.usage("a serial line does not come back: --plug is for USB")
    }
  }
}
