import HostIO
import NFCProtocols
import NFCTrace

/// `retap show`: the timeline of a trace with the meaning of every frame.
enum ShowCommand: Command {
  static let syntax = CommandSyntax(
    name: "show", abstract: "timeline with the meaning of every frame, APDU and NDEF message",
    discussion: """
      One line an event: time (s.mmm µµµ), sender, bytes, meaning. R→ is a reader (or a command
      APDU), H→ a host, ←C a card or chip; what was lifted out of a lower layer is indented.
      26'7 is a byte of which 7 bits were sent.
      """,
    arguments: [.init("FILE", "a trace of any known format, or - for standard input")],
    options: [
      .init(
        "--level", value: "LAYERS",
        "only these layers: link, radio, apdu, ndef, application, all\n(with commas between them)"),
      .init("--events", value: "A..B", "only these events, counted from 1: 5..9, 5.., ..9, 5"),
      .init("--numbers", "number the events"),
      .init("--json", "one JSON object a line"),
      .init("--color", value: "WHEN", "auto (on a terminal), always or never"),
    ] + InputOptions.declarations,
    examples: [
      "retap show tap.trace", "retap show --level apdu,ndef capture.pcapng",
      "retap show --json tap.retap | head",
    ])

  /// How much text is collected before it is printed, in bytes.
  private static let outputPiece = 32_768

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let layers = try layers(arguments)
    let events = try range(arguments)
    let isColored = try isColored(arguments, console.terminal)
    let stream = try InputOptions.open(arguments.positionals[0], arguments)
    let path = stream.path
    var reader = InterpretedTrace(stream)
    var batch = InterpretedBatch()
    var number = 0
    let isJSON = arguments.flag("--json")
    var timeline = TimelineWriter(
      layers: layers, isColored: isColored,
      terminalColumns: console.terminal.outputIsTerminal ? console.terminal.columns : nil,
      showsNumbers: arguments.flag("--numbers"))
    let objects = TimelineJSON(layers: layers)
    var isStart = true
    var text = TextBuffer(capacity: outputPiece + 4_096)
    var json = JSONLineWriter()
    while number < events.upperBound - 1, try reader.next(into: &batch) {
      let found = batch.trace.events.span
      for index in found.indices {
        number += 1
        guard events.contains(number) else { continue }
        if isJSON {
          objects.write(
            found[index], batch.interpretation, at: index, number: number, to: &json)
        } else {
          if isStart {
            countTimes(from: found[index], &timeline, &text)
            isStart = found[index].isTimeUnknown
          }
          timeline.write(found, at: index, batch.interpretation, number: number, to: &text)
        }
        if text.bytes.count >= outputPiece {
          try console.print(text.bytes)
          text.removeAll()
        }
        if json.buffer.bytes.count >= outputPiece {
          try console.print(json.buffer.bytes)
          json.buffer.removeAll()
        }
      }
    }
    try console.print(text.bytes)
    try console.print(json.buffer.bytes)
    console.show(reader.warnings, of: path)
    return .success
  }

  /// Times that do not fit into their column, such as times of day, are counted from this event.
  private static func countTimes(
    from event: TraceEvent, _ timeline: inout TimelineWriter, _ text: inout TextBuffer
  ) {
    guard !event.isTimeUnknown, event.start >= .seconds(1_000) else { return }
    timeline.origin = event.start
    text.append("  times are counted from ")
    text.append(decimal: event.start.count / 1_000_000_000)
    text.append(".")
    text.append(decimal: event.start.count % 1_000_000_000, width: 9, pad: 0x30)
    text.append(" s\n")
  }

  private static func layers(_ arguments: ParsedArguments) throws(CommandError) -> Layer {
    guard let value = arguments.value("--level") else { return .all }
    var layers: Layer = []
    for word in value.split(separator: ",") {
      if word == "all" {
        layers.formUnion(.all)
        continue
      }
      guard let found = Layer.named.first(where: { $0.name == word }) else {
        let names = Layer.named.map(\.name) + ["all"]
        let guess = NearGuess.best(for: String(word), among: names).map { "; did you mean \($0)?" }
        throw arguments.usage("unknown level '\(word)'\(guess ?? "")")
      }
      layers.formUnion(found.layer)
    }
    guard !layers.isEmpty else { throw arguments.usage("--level needs a layer") }
    return layers
  }

  /// The events to show; the upper bound is exclusive.
  private static func range(_ arguments: ParsedArguments) throws(CommandError) -> Range<Int> {
    guard let value = arguments.value("--events") else { return 1..<Int.max }
    let wrong = arguments.usage("--events takes A..B, A.., ..B or A, not '\(value)'")
    let separator = value.firstRange(of: "..")
    let first = separator.map { value[..<$0.lowerBound] } ?? value[...]
    let last = separator.map { value[$0.upperBound...] } ?? value[...]
    guard let from = first.isEmpty ? 1 : Int(first),
      let to = last.isEmpty ? Int.max - 1 : Int(last),
      from >= 1, to >= from, to < Int.max, !(first.isEmpty && last.isEmpty)
    else { throw wrong }
    return from..<(to + 1)
  }

  private static func isColored(
    _ arguments: ParsedArguments, _ terminal: Terminal
  ) throws(CommandError) -> Bool {
    switch arguments.value("--color") ?? "auto" {
    case "auto": terminal.outputIsTerminal && !terminal.wantsNoColor
    case "always": true
    case "never": false
    case let other: throw arguments.usage("--color takes auto, always or never, not '\(other)'")
    }
  }
}
