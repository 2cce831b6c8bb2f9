import NFCProtocols
import NFCTrace

/// `retap frames`: one line a frame, for comparing traces by tools.
enum FramesCommand: Command {
  static let syntax = CommandSyntax(
    name: "frames", abstract: "one line a frame: direction and bytes, for comparing by tools",
    discussion: """
      R and T are reader and card (or command and response APDU), H and C are host and chip.
      Pieces of one host frame are joined; an ACK frame is 'ack', a wake-up is 'wake'.
      """,
    arguments: [.init("FILE", "a trace of any known format, or - for standard input")],
    options: InputOptions.declarations,
    examples: ["retap frames captures/type2-ndef-read.retap", "retap frames tap.trace | sha256sum"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    var stream = try InputOptions.open(arguments.positionals[0], arguments)
    var batch = TraceBatch()
    var lister = FrameLister()
    var lines = TextBuffer(capacity: 65_536)
    while try stream.next(into: &batch) {
      lines.removeAll()
      for event in batch.events { lister.append(event, to: &lines) }
      try console.print(lines.bytes)
    }
    console.show(stream.warnings, of: stream.path)
    return .success
  }
}
