import NFCProtocols
import NFCTrace

/// Reads the tables of Proxmark3's `trace list`: in ticks, with `-u` in microseconds, with `-r`
/// relative.
struct ListParser: LogParser {
  static let formatName = "a Proxmark3 trace list"
  static let expectation = "rows like \"   2228 |   4596 | Tag |44  00   |     |\""

  /// The longest frame a record can hold: 15 bits of length (Proxmark3 trace record).
  static let maximumFrameLength = 32_767
  /// Bytes that the client shows of one frame: 18 rows of 18; what is longer is cut there.
  static let shownFrameLength = 324

  private let options: ImportOptions
  private var technology: Technology?
  private var isRelative = false
  private var ticker = ListTicker()
  private var pending: PendingFrame?
  private var decryptedFollows = false

  init(_ options: ImportOptions) {
    self.options = options
    technology = options.technology
  }

  /// A frame whose further rows may still come.
  private struct PendingFrame {
    var line: LogLine
    var time: ListTicker.Time
    var direction: Direction
    var data = ListData()
    var crc: CRCState?
    var notes: [String] = []
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    var text = line.bytes
    // Some versions of the client put a level mark (`[=] `, `[+] `) in front of their lines.
    if text.first == 0x5B, text.count > 4, text[text.startIndex + 2] == 0x5D {
      text = text.dropFirst(4)
    }
    guard let row = ListRow(text) else {
      readLegend(text)
      return
    }
    switch row.kind {
    case .heading(let isRelative):
      output.hasRecognisedLine = true
      self.isRelative = isRelative
    case .frame(let direction):
      output.hasRecognisedLine = true
      flush(into: &output)
      try begin(row, direction, line)
    case .continuation:
      try goOn(row, line, &output)
    case .decrypted:
      decryptedFollows = true
      var note = "decrypted \(LogText.string(row.data))"
      if !row.annotation.isEmpty { note += " \(LogText.string(row.annotation))" }
      pending?.notes.append(note)
    case .frameDelay:
      break
    case .other:
      guard ListRow.time(row.start) != nil, ListRow.time(row.end) != nil else { return }
      throw line.fault(
        found: "\"\(LogText.excerpt(row.source))\" as source", expected: "Rdr, Tag or *",
        remedy: "list the trace again with the Proxmark3 client")
    }
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) { flush(into: &output) }

  /// Takes unit and technology from a line like `ISO14443A - all times are in carrier periods`.
  private mutating func readLegend(_ text: ArraySlice<UInt8>) {
    guard
      LogText.containsIgnoringCase("times are in", in: text)
        || LogText.containsIgnoringCase("timings are in", in: text)
    else { return }
    if LogText.containsIgnoringCase("etu", in: text) { ticker.tickLength = .etu8us }
    guard options.technology == nil else { return }
    if LogText.containsIgnoringCase("14443a", in: text) { technology = .a }
    if LogText.containsIgnoringCase("14443b", in: text) { technology = .b }
    if LogText.containsIgnoringCase("15693", in: text) { technology = .v }
    if LogText.containsIgnoringCase("felica", in: text) { technology = .f }
  }

  private mutating func begin(
    _ row: ListRow, _ direction: Direction, _ line: LogLine
  ) throws(TraceError) {
    guard let first = ListRow.time(row.start), let second = ListRow.time(row.end) else {
      throw line.fault(
        found: "\"\(LogText.excerpt(row.start)) | \(LogText.excerpt(row.end))\" as times",
        expected: "two numbers of ticks or of microseconds with one decimal",
        remedy: "list the trace again with the Proxmark3 client")
    }
    guard first.isMicroseconds == second.isMicroseconds,
      ticker.isMicroseconds == nil || ticker.isMicroseconds == first.isMicroseconds
    else {
      throw line.fault(
        expected: "one unit of time in all rows",
        remedy: "keep lists made with and without -u apart")
    }
    ticker.isMicroseconds = first.isMicroseconds
    let time = ticker.time(first.count, second.count, isRelative: isRelative)
    var frame = PendingFrame(line: line, time: time, direction: direction)
    try append(row, to: &frame, line)
    pending = frame
    decryptedFollows = false
  }

  private mutating func goOn(
    _ row: ListRow, _ line: LogLine, _ output: inout LogOutput
  ) throws(TraceError) {
    guard !row.data.isEmpty || !row.crc.isEmpty || !row.annotation.isEmpty else { return }
    guard var frame = pending else {
      if !row.data.isEmpty {
        output.warn(line: line.number, "a continuation row has no frame in front of it")
      }
      return
    }
    if decryptedFollows {
      frame.notes[frame.notes.count - 1] += " \(LogText.string(row.data))"
    } else {
      try append(row, to: &frame, line)
    }
    pending = frame
  }

  private func append(
    _ row: ListRow, to frame: inout PendingFrame, _ line: LogLine
  ) throws(TraceError) {
    guard frame.data.append(row.data) else {
      throw line.fault(
        found: "\"\(LogText.excerpt(row.data))\" as data",
        expected: "bytes as two hexadecimal digits, ! behind one with a parity error",
        remedy: "list the trace again; old clients spoil bytes when marking the CRC with -c")
    }
    guard frame.data.bytes.count <= Self.maximumFrameLength else {
      throw line.fault(
        found: "a frame of more than \(Self.maximumFrameLength) bytes",
        expected: "the frame of one trace record", remedy: "check that no rows are missing")
    }
    if let state = row.crcState { frame.crc = state }
    if !row.annotation.isEmpty { frame.notes.append(LogText.string(row.annotation)) }
  }

  private mutating func flush(into output: inout LogOutput) {
    guard let frame = pending else { return }
    pending = nil
    if !output.isHeaderFinal {
      output.header.clock = TraceClock(tickUnit: ticker.unitName, origin: "first record")
    }
    if frame.data.bytes.count == Self.shownFrameLength {
      output.warn(
        line: frame.line.number,
        "the client shows no more than \(Self.shownFrameLength) bytes: the frame may be longer")
    }
    var notes = frame.notes
    if let note = frame.data.note { notes.insert(note, at: 0) }
    let radio = RadioFrame(
      frame.data.bytes, lastByteBits: frame.data.lastByteBits, technology: technology,
      parity: frame.data.parity, crc: frame.crc)
    output.append(
      TraceEvent(
        start: frame.time.start, end: frame.time.end, .radio(frame.direction, radio),
        sourceTicks: frame.time.ticks, isTimeUnknown: frame.time.isUnknown,
        comment: notes.isEmpty ? nil : notes.joined(separator: "; ")))
  }
}
