import NFCTrace

/// What a text format makes of its lines.
protocol LogParser: SendableMetatype {
  /// The name of the format, for messages.
  static var formatName: String { get }
  /// What a line of the format looks like, for messages.
  static var expectation: String { get }

  /// Takes one line. A parser passes over lines that are none of its own.
  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError)
  /// Takes the end of the text.
  mutating func finish(into output: inout LogOutput) throws(TraceError)
}

/// Reads a text format line by line; memory holds one line and what the parser keeps.
struct LineTraceDecoder<Parser: LogParser>: TraceDecoder {
  private var splitter = LineSplitter()
  private var parser: Parser
  private var output: LogOutput
  private var lineCount = 0

  init(_ parser: Parser, header: TraceHeader) {
    self.parser = parser
    output = LogOutput(header: header)
  }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    swap(&batch, &output.batch)
    defer { swap(&batch, &output.batch) }
    var rest = chunk
    while !rest.isEmpty {
      guard let line = try splitter.next(from: &rest) else { continue }
      lineCount = line.number
      try parser.parse(line, into: &output)
    }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    swap(&batch, &output.batch)
    defer { swap(&batch, &output.batch) }
    if let line = splitter.last() {
      lineCount = line.number
      try parser.parse(line, into: &output)
    }
    try parser.finish(into: &output)
    guard output.hasRecognisedLine else {
      throw .badInput(
        BadInput(
          at: .line(1),
          found: lineCount == 0 ? "an empty file" : "\(lineCount) lines and none of its own",
          expected: Parser.expectation,
          remedy: "check that this is \(Parser.formatName), or name another format"))
    }
    output.sendHeader()
    output.batch.ending = TraceEnding(isComplete: nil)
  }
}
