import NFCProtocols
import NFCTrace
import PN53x
import Replay
import VirtualCards
import VirtualReaders

/// What a simulated reader is made of: its chip and what is in its field.
enum SimulatedField {
  /// Nothing in front of a modelled chip.
  case empty
  /// A card of a dump.
  case card(CardImage, path: String)
  /// The chip of a trace.
  case chip(ReplayScript)
  /// The card of a trace.
  case recordedCard(ReplayScript)
  /// The terminal of a trace.
  case terminal(ReplayScript)

  /// The recorded exchanges, if there are any.
  var script: ReplayScript? {
    switch self {
    case .empty, .card: nil
    case .chip(let script), .recordedCard(let script), .terminal(let script): script
    }
  }

  /// Reads the files that a request names.
  static func read(
    _ request: SimulateRequest, _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> SimulatedField {
    if let path = request.cardPath {
      if let sample = SampleCard(rawValue: path) { return .card(try image(of: sample), path: path) }
      guard let dump = try DumpFile.read(path) else {
        throw .unfit(
          input: path, "this is no card dump",
          remedy: "play a trace with --trace, or see docs/cards.md for what a card may be")
      }
      return .card(dump.image, path: path)
    }
    guard let path = request.tracePath else { return .empty }
    let trace = try InputOptions.readAll(path, arguments)
    console.show(trace.warnings, of: path)
    var lifting = TraceLifting(header: trace.header)
    for event in trace.events { lifting.add(event) }
    return try recorded(lifting, request, path)
  }

  private static func image(of sample: SampleCard) throws(CommandError) -> CardImage {
    do throws(CardImageError) { return try sample.image() } catch {
      throw .unfit(input: sample.rawValue, error.message.problem, remedy: error.message.remedy)
    }
  }

  private static func recorded(
    _ lifting: TraceLifting, _ request: SimulateRequest, _ path: String
  ) throws(CommandError) -> SimulatedField {
    let chip = lifting.script(.chip)
    let role = request.role ?? (chip.entries.isEmpty ? .card : .chip)
    if role == .chip {
      guard !chip.entries.isEmpty else {
        throw .unfit(
          input: path, "it holds nothing that a host and a chip said",
          remedy: "--role card or --role terminal")
      }
      return .chip(cut(chip, request))
    }
    let apdus = lifting.script(.apdu)
    let script = apdus.entries.isEmpty ? lifting.script(.radio) : apdus
    guard !script.entries.isEmpty else {
      throw .unfit(
        input: path, "it holds no frames on the air and no APDUs", remedy: "--role chip")
    }
    return role == .card
      ? .recordedCard(cut(script, request)) : .terminal(cut(script, request))
  }

  private static func cut(_ script: ReplayScript, _ request: SimulateRequest) -> ReplayScript {
    request.until.map { script.prefix($0) } ?? script
  }

  /// The reader that has just got power, and what is to happen to it.
  func makeReader(
    _ request: SimulateRequest
  ) throws(CommandError) -> sending (reader: any VirtualReader, timeline: [TimedAction]) {
    var timeline: [TimedAction] = []
    var card: (any RadioEndpoint)?
    var terminal: (any RadioEndpoint)?
    switch self {
    case .empty, .chip: break
    case .card(let image, let path): card = try Self.makeCard(image, path)
    case .recordedCard(let script): card = RecordedCard(script, request.options)
    case .terminal(let script): terminal = RecordedTerminal(script, request.options)
    }
    if let arriving = card, let arrival = request.arrival {
      timeline.append(TimedAction(.insert(arriving), at: arrival))
      card = nil
    }
    if let departure = request.departure {
      timeline.append(TimedAction(.removeCard, at: departure))
    }
    if let time = request.unplugging { timeline.append(TimedAction(.unplug(), at: time)) }
    if let time = request.plugging { timeline.append(TimedAction(.plug, at: time)) }
    let base = SimulatedReader(
      chip: chip(request), card: card, terminal: terminal, link: Self.timing(request),
      faults: ReaderFaultPlan(request.faults), keepsLogText: request.options.keepsLogText)
    // A recording of CCID messages is answered as it stands.
    let needsFirmware = request.reader == .acr122u && script?.framing != .messages
    return (needsFirmware ? ACR122Reader(base) : base, timeline)
  }

  private static func makeCard(
    _ image: CardImage, _ path: String
  ) throws(CommandError) -> any CardModel {
    do throws(CardImageError) { return try image.makeCard() } catch {
      throw .unfit(
        input: path, error.message.problem, remedy: error.message.remedy)
    }
  }

  private func chip(_ request: SimulateRequest) -> any ChipEndpoint {
    if case .chip(let script) = self {
      return RecordedChip(
        script, policy: request.options.policy, masks: request.options.masks,
        isForgiving: !request.faults.isEmpty)
    }
    let latency: ChipLatency = request.pace == .fast ? .zero : .measured
    switch request.reader {
    case .pn533, .scl3711: return ChipModel(.pn533(latency: latency))
    case .pn531: return ChipModel(.pn531(latency: latency))
    case .acr122u, .pn532: return ChipModel(.pn532(latency: latency))
    }
  }

  private static func timing(_ request: SimulateRequest) -> HostLinkTiming {
    if request.pace == .fast { return .instant }
    // A PN532 starts with 115,200 bit/s and most programs leave it there.
    return request.reader == .pn532 ? .serial(baud: 115_200) : .usbFullSpeed
  }
}

extension CardImageError {
  /// What is wrong with an image, and what can be done about it.
  fileprivate var message: (problem: String, remedy: String) {
    switch self {
    case .missing(let what, let remedy): ("the card lacks \(what)", remedy)
    case .notModelled(let kind):
      ("there is no model of \(kind) cards", "use a dump of another card, or play a trace")
    }
  }
}
