import NFCProtocols
import NFCTrace

/// `retap diff`: how the frames of two traces differ, in bytes and in time.
enum DiffCommand: Command {
  static let syntax = CommandSyntax(
    name: "diff", abstract: "how two traces differ, frame by frame, in bytes and in time",
    discussion: """
      The traces may be of different formats. Frames are aligned by sender and bytes; times are
      compared as the time since the frame before, so that one late frame is told once.
      - and + are frames of A and B, ~ is a frame that came at another time.
      Exit code: 0 same, 1 different.
      """,
    arguments: [.init("A", "the first trace"), .init("B", "the second trace")],
    options: [
      .init(
        "--tolerance", value: "TIME",
        "let times differ by up to this, for example 100us or 6.2ms (default 1us:\nwhat formats lose by rounding)"
      ),
      .init("--bytes-only", "leave times aside"),
      .init("--json", "one JSON object a difference, and a summary, one a line"),
    ] + InputOptions.declarations,
    examples: [
      "retap diff before.retap after.retap --tolerance 100us",
      "retap diff tap.trace tap.pcapng --bytes-only",
    ])

  /// What microsecond formats lose of a time.
  static let defaultTolerance = Nanoseconds.microseconds(1)

  static func run(
    _ arguments: ParsedArguments, console: inout Console
  ) throws(CommandError) -> ExitCode {
    let tolerance = try self.tolerance(arguments)
    let names = arguments.positionals
    guard names[0] != "-" || names[1] != "-" else {
      throw arguments.usage("only one of the traces can be standard input")
    }
    let first = try frames(names[0], arguments, &console)
    let second = try frames(names[1], arguments, &console)
    let comparison = TraceComparison(first, second, tolerance: tolerance)
    let report = ComparisonReport(
      comparison, firstName: names[0], secondName: names[1], tolerance: tolerance)
    if arguments.flag("--json") {
      var json = JSONLineWriter()
      report.appendJSON(to: &json)
      try console.print(json.buffer.bytes)
    } else {
      var text = TextBuffer(capacity: 4_096)
      report.appendText(to: &text)
      try console.print(text.bytes)
    }
    return comparison.isSame ? .success : .findings
  }

  private static func tolerance(
    _ arguments: ParsedArguments
  ) throws(CommandError) -> Nanoseconds? {
    if arguments.flag("--bytes-only") {
      guard arguments.value("--tolerance") == nil else {
        throw arguments.usage("--bytes-only leaves times aside: --tolerance says nothing then")
      }
      return nil
    }
    guard let text = arguments.value("--tolerance") else { return defaultTolerance }
    guard let tolerance = Nanoseconds(durationText: text), tolerance >= .zero else {
      throw arguments.usage(
        "'\(text)' is no tolerance: a time with its unit is needed, for example 100us")
    }
    return tolerance
  }

  private static func frames(
    _ path: String, _ arguments: ParsedArguments, _ console: inout Console
  ) throws(CommandError) -> [FrameRecord] {
    var stream = try InputOptions.open(path, arguments)
    var batch = TraceBatch()
    var collector = FrameCollector()
    while try stream.next(into: &batch) {
      for event in batch.events { collector.append(event) }
    }
    console.show(stream.warnings, of: path)
    return collector.frames
  }
}
