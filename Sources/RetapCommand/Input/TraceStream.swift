import HostIO
public import NFCTrace
public import TraceFormats

/// A trace file of any known format, read in pieces.
public struct TraceStream: ~Copyable {
  /// The path as the user gave it; `-` is standard input.
  public let path: String
  /// The format that was recognised or named.
  public let format: TraceFormat
  /// The header, once `next` has come to it.
  public private(set) var header: TraceHeader?
  /// The warnings so far.
  public private(set) var warnings: [TraceWarning] = []
  /// How the trace ended, once `next` has said so.
  public private(set) var ending: TraceEnding?
  /// How many bytes have been read.
  public private(set) var byteCount = 0
  private var file: InputFile
  private var decoder: any TraceDecoder
  private var chunk: [UInt8]
  private var isFinished = false

  /// The size of the file in bytes, or `nil` for pipes.
  public var fileSize: Int? { file.size }

  /// How many bytes are read at once.
  static let pieceLength = TraceFormat.sampleLength

  /// Opens a file and recognises its format by its content.
  ///
  /// - Parameter formatName: The format to read it as, whatever the content looks like.
  public init(
    path: String, options: ImportOptions = ImportOptions(), formatName: String? = nil
  ) throws(CommandError) {
    let opened = try OpenedFile.open(path)
    let chosen = try Self.chooseFormat(opened.sample(path: path), path: path, named: formatName)
    guard let makeDecoder = chosen.makeDecoder else {
      throw .usage("'\(chosen.name)' can only be written", remedy: "retap convert --help")
    }
    self.path = path
    format = chosen
    decoder = makeDecoder(options)
    chunk = opened.start
    file = opened.file
  }

  private static func chooseFormat(
    _ sample: FileSample, path: String, named name: String?
  ) throws(CommandError) -> TraceFormat {
    if let name { return try TraceFormat.named(name) }
    var best: (format: TraceFormat, recognition: Recognition)?
    for format in TraceFormat.all where format.makeDecoder != nil {
      let recognition = format.recognise(sample)
      if recognition > best?.recognition ?? .no { best = (format, recognition) }
    }
    if let best { return best.format }
    throw .badInput(file: path, .badInput(unknownContent(sample)))
  }

  private static func unknownContent(_ sample: FileSample) -> BadInput {
    if sample.bytes.isEmpty {
      return BadInput(
        at: .byte(0), found: "an empty file", expected: "a trace or a card dump",
        remedy: "check how the file was made; recording may have failed")
    }
    if let dump = CardDump.recognise(sample) {
      return BadInput(
        at: .byte(0), found: "a card dump (\(dump.format.rawValue))",
        expected: "a trace: what a reader and a card said",
        remedy: "look at the card with retap info \(sample.name)")
    }
    let start = sample.bytes.prefix(16)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      .joined(separator: " ")
    let more = sample.bytes.count > 16 ? " …" : ""
    return BadInput(
      at: .byte(0), found: "bytes of no format that retap knows (\(start)\(more))",
      expected: "one of the formats of 'retap info --formats'",
      remedy: "name the format yourself with --format NAME, if you know it")
  }

  /// Reads on until there are events, the header is known or the trace ends.
  ///
  /// - Parameter batch: Takes the events; its older events are dropped first.
  /// - Returns: False if the trace has ended and `batch` holds nothing more.
  public mutating func next(into batch: inout TraceBatch) throws(CommandError) -> Bool {
    batch.removeEvents()
    // Another batch may have taken the header; this one says it as well.
    if batch.header == nil { batch.header = header }
    while batch.events.isEmpty && !isFinished {
      do throws(TraceError) {
        if chunk.isEmpty {
          try decoder.finish(into: &batch)
          isFinished = true
        } else {
          byteCount += chunk.count
          try decoder.decode(chunk[...], into: &batch)
        }
      } catch {
        throw .badInput(file: path, error)
      }
      if !isFinished {
        do { try file.read(into: &chunk, maximum: Self.pieceLength) } catch { throw .host(error) }
      }
    }
    warnings += batch.warnings
    header = batch.header
    ending = batch.ending
    return !batch.events.isEmpty || !isFinished
  }

  /// The whole trace at once, for commands that need all of it.
  public static func readAll(
    path: String, options: ImportOptions = ImportOptions(), formatName: String? = nil
  ) throws(CommandError) -> WholeTrace {
    var stream = try TraceStream(path: path, options: options, formatName: formatName)
    var batch = TraceBatch()
    var events: [TraceEvent] = []
    while try stream.next(into: &batch) { events += batch.events }
    return WholeTrace(
      header: stream.header ?? TraceHeader(), events: events, warnings: stream.warnings,
      ending: stream.ending ?? TraceEnding(isComplete: nil), formatName: stream.format.name)
  }
}

/// A file whose beginning has been read.
private struct OpenedFile: ~Copyable {
  var file: InputFile
  var start: [UInt8]

  static func open(_ path: String) throws(CommandError) -> OpenedFile {
    do throws(HostError) {
      var opened = OpenedFile(file: try InputFile(path: path), start: [])
      try opened.file.read(into: &opened.start, maximum: TraceStream.pieceLength)
      while opened.file.size == nil && opened.start.count < TraceStream.pieceLength {
        // Pipes give what they have; recognition wants more where there is more.
        var more: [UInt8] = []
        try opened.file.read(into: &more, maximum: TraceStream.pieceLength - opened.start.count)
        if more.isEmpty { break }
        opened.start += more
      }
      return opened
    } catch {
      throw .host(error)
    }
  }

  func sample(path: String) -> FileSample {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return FileSample(
      bytes: start, isWhole: start.count < TraceStream.pieceLength || file.size == start.count,
      name: path == "-" ? "" : name, fileSize: file.size)
  }
}

/// A trace in memory.
public struct WholeTrace: Sendable {
  /// What stands before the first event.
  public var header: TraceHeader
  /// The events in the order of the source.
  public var events: [TraceEvent]
  /// What the reader of the file thought worth telling.
  public var warnings: [TraceWarning]
  /// How it ended.
  public var ending: TraceEnding
  /// The format of the file.
  public var formatName: String
}

extension TraceFormat {
  /// The format of a name.
  ///
  /// - Throws: `CommandError.usage` with a near guess and the names that there are.
  public static func named(_ name: String) throws(CommandError) -> TraceFormat {
    let formats = all
    if let format = formats.first(where: { $0.name == name }) { return format }
    let names = formats.map(\.name)
    let guess = NearGuess.best(for: name, among: names).map { "; did you mean \($0)?" } ?? ""
    throw .usage(
      "unknown format '\(name)'\(guess)\n  formats: \(names.joined(separator: ", "))",
      remedy: "retap info --formats")
  }
}
