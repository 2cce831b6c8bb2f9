import HostIO
import NFCTrace
import TraceFormats

/// `retap redact`: a trace without personal data.
enum RedactCommand: Command {
  static let syntax = CommandSyntax(
    name: "redact", abstract: "replace personal data in a trace by made-up values",
    discussion: """
      Card numbers, tracks, names, machine readable zones, contacts, phone numbers, e-mail
      addresses and the like are replaced over the whole trace, on every layer: the same value
      by the same made-up one, of the same length, with all checksums right again. What was
      replaced is listed, never in full, and noted in the header.
      Kinds: \(PersonalDataKind.allCases.map(\.rawValue).joined(separator: ", ")).
      Enciphered bytes and free text without a mark of what it is are not looked through.
      """,
    arguments: [
      .init("IN", "a trace of any known format, or - for standard input"),
      .init("OUT", "the file to write, its format as for 'retap convert'; or -"),
    ],
    options: [
      .init("--uid", "replace UIDs of cards, PUPI and IDm as well"),
      .init("--keep", value: "KIND", "leave data of this kind; may be repeated"),
      .init("--to", value: "NAME", "the format to write"),
    ] + InputOptions.declarations,
    examples: [
      "retap redact tap.retap tap-redacted.retap", "retap redact --uid --keep phone in.pcapng -",
    ])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let kinds = try kinds(arguments)
    let format = try OutputFormat.choose(arguments, target: target)
    guard let makeEncoder = format.makeEncoder else {
      throw arguments.usage("'\(format.name)' can only be read")
    }
    var trace = try InputOptions.readAll(source, arguments)
    let entries = TraceRedactor(kinds: kinds).redact(
      &trace.header, &trace.events, &trace.ending, program: "retap \(CommandLineTool.version)")
    try write(trace, to: target, makeEncoder(ExportOptions()), source, &console)
    var lines = entries.map(line)
    lines.append("\(target): \(summary(entries))")
    for text in lines {
      if target == "-" { console.warn(text) } else { try console.print(text + "\n") }
    }
    console.show(trace.warnings, of: source)
    return .success
  }

  private static func kinds(
    _ arguments: ParsedArguments
  ) throws(CommandError) -> [PersonalDataKind] {
    var kept: [PersonalDataKind] = []
    for word in arguments.values("--keep") {
      guard let kind = PersonalDataKind(rawValue: word) else {
        let names = PersonalDataKind.allCases.map(\.rawValue)
        let guess = NearGuess.best(for: word, among: names).map { "; did you mean \($0)?" } ?? ""
        throw arguments.usage(
          "'\(word)' is no value of --keep (\(names.joined(separator: ", ")))\(guess)")
      }
      kept.append(kind)
    }
    let all =
      arguments.flag("--uid") ? PersonalDataKind.allCases : TraceRedactor.usualKinds
    return all.filter { !kept.contains($0) }
  }

  private static func write(
    _ trace: WholeTrace, to target: String, _ encoder: any TraceEncoder, _ source: String,
    _ console: inout Console
  ) throws(CommandError) {
    var encoder = encoder
    var bytes: [UInt8] = []
    do throws(TraceError) {
      try encoder.begin(trace.header, into: &bytes)
      for event in trace.events { try encoder.encode(event, into: &bytes) }
      try encoder.finish(trace.ending, into: &bytes)
    } catch {
      throw .badInput(file: source, error)
    }
    if target == "-" { return try console.print(bytes) }
    do throws(HostError) {
      var output = try OutputFile(path: target)
      try output.write(bytes)
      try output.commit()
    } catch {
      throw .host(error)
    }
    for remark in encoder.remarks { console.warn("retap: \(target): \(remark)") }
  }

  private static func line(_ entry: TraceRedactor.Entry) -> String {
    let shown = entry.events.prefix(8).map { $0 == 0 ? "header" : String($0) }
    let more = entry.events.count > shown.count ? ", …" : ""
    return "  \(entry.finding.kind.name) \(entry.finding.masked)  \(entry.finding.location), "
      + "event \(shown.joined(separator: ", "))\(more)"
  }

  private static func summary(_ entries: [TraceRedactor.Entry]) -> String {
    switch entries.count {
    case 0: "no personal data found"
    case 1: "1 value replaced"
    default: "\(entries.count) values replaced"
    }
  }
}
