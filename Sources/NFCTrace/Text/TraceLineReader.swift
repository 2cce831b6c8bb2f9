import NFCProtocols

/// Makes a trace of its lines, one after the other.
struct TraceLineReader {
  private enum Stage {
    case first
    case header
    case events
    case ended
  }

  private var stage = Stage.first
  private var header = TraceHeader()
  private var pendingLines: [String] = []
  private var order = OrderKeeper()
  /// Rewrites events in canonical form to check the seal.
  private var sealWriter = EventLineWriter(technology: nil)
  private var buffer = TextBuffer()
  private var seal = TraceSeal()

  /// True once the first line was right.
  var hasBegun: Bool { stage != .first }

  /// True for bytes that no text has: control characters but tab and carriage return.
  static func isForbidden(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != 0x09 && byte != 0x0D) || byte == 0x7F
  }

  static func lineTooLong(at place: BadInput.Place) -> TraceError {
    .badInput(
      BadInput(
        at: place, found: "a line of more than \(TraceLimits.lineLength) bytes",
        expected: "lines up to \(TraceLimits.lineLength) bytes",
        remedy: "check that the file is a trace; events hold up to "
          + "\(TraceLimits.bytesPerEvent) bytes"))
  }

  /// Takes one line without its line feed.
  mutating func take(
    _ line: ArraySlice<UInt8>, at place: BadInput.Place, into batch: inout TraceBatch
  ) throws(TraceError) {
    var line = line
    if stage == .first, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    if line.last == 0x0D { line = line.dropLast() }
    guard line.count <= TraceLimits.lineLength else { throw Self.lineTooLong(at: place) }
    try Self.checkCharacters(of: line, at: place)
    let content = line.trimmingBlanks()
    if stage == .first {
      try HeaderText.version(of: content, at: place)
      stage = .header
      return
    }
    guard let first = content.first, first != 0x23 else {
      try takeComment(content, at: place)
      return
    }
    switch first {
    case 0x2D, 0x30...0x39, 0x2E: try takeEvent(content, at: place, into: &batch)
    default: try takeWord(content, at: place, into: &batch)
    }
  }

  /// Takes the end of the text.
  mutating func finish(
    isTorn: Bool, at place: BadInput.Place, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard stage != .first else {
      throw .badInput(
        BadInput(
          at: place, found: "an empty file",
          expected: "`retap \(FormatVersion.current.number)` as the first line of a trace",
          remedy: "check the name of the file"))
    }
    beginEvents(into: &batch)
    let isComplete = stage == .ended && !isTorn
    if stage != .ended, !isTorn {
      batch.warnings.append(
        TraceWarning(
          at: place,
          "no `end` line: the recording was cut; close a trace written by hand with `end` "
            + "and run `retap format`"))
    }
    batch.ending = TraceEnding(isComplete: isComplete, trailingLines: pendingLines)
  }

  // MARK: Lines

  private mutating func takeComment(
    _ content: ArraySlice<UInt8>, at place: BadInput.Place
  ) throws(TraceError) {
    // Blank lines behind the seal mean nothing; comments there move in front of it.
    if stage == .ended, content.isEmpty { return }
    guard pendingLines.count < TraceLimits.commentLinesTogether,
      content.count <= TraceLimits.commentLength
    else {
      throw .badInput(
        BadInput(
          at: place, found: "more comment than an event may have",
          expected: "at most \(TraceLimits.commentLinesTogether) comment lines together, of up to "
            + "\(TraceLimits.commentLength) bytes",
          remedy: "check that the file is a trace"))
    }
    pendingLines.append(content.text)
  }

  private mutating func takeWord(
    _ content: ArraySlice<UInt8>, at place: BadInput.Place, into batch: inout TraceBatch
  ) throws(TraceError) {
    var scanner = LineScanner(content, at: place)
    let word = scanner.word()
    if word.isWord("end"), stage != .ended {
      beginEvents(into: &batch)
      if let warning = try seal.check(&scanner) { batch.warnings.append(warning) }
      stage = .ended
      return
    }
    guard stage == .header else {
      throw scanner.unknown(
        word, what: stage == .ended ? "nothing after the `end` line" : "an event or the `end` line",
        known: ["end"] + (stage == .events ? TraceWords.layers : []))
    }
    try HeaderText.read(content, into: &header, at: place)
  }

  private mutating func takeEvent(
    _ content: ArraySlice<UInt8>, at place: BadInput.Place, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard stage != .ended else {
      throw .badInput(
        BadInput(
          at: place, found: "an event after the `end` line", expected: "nothing more",
          remedy: "remove the `end` line in the middle, then run `retap format`"))
    }
    let parser = EventLineParser(technology: header.technology)
    var event = try parser.parse(content, at: place)
    beginEvents(into: &batch)
    event.leadingLines = pendingLines
    pendingLines = []
    if order.mark(&event) {
      batch.warnings.append(
        TraceWarning(at: place, "the time goes back; the event is kept here and marked"))
    }
    buffer.removeAll()
    let line = try sealWriter.write(event, into: &buffer)
    seal.add(line: buffer.bytes[line.start...])
    batch.events.append(event)
  }

  private mutating func beginEvents(into batch: inout TraceBatch) {
    guard stage == .header else { return }
    stage = .events
    // One blank line parts the header from what follows and belongs to neither.
    if pendingLines.first == "" { pendingLines.removeFirst() }
    header.trailingLines = pendingLines
    pendingLines = []
    sealWriter = EventLineWriter(technology: header.technology)
    batch.header = header
  }

  /// Checks that a line is text.
  static func checkCharacters(
    of line: ArraySlice<UInt8>, at place: BadInput.Place
  ) throws(TraceError) {
    var isASCII = true
    for byte in line {
      if byte >= 0x80 { isASCII = false }
      guard isForbidden(byte) || byte == 0x0D else { continue }
      var found = TextBuffer()
      found.append("the control character ")
      found.append(hex: byte)
      throw .badInput(
        BadInput(
          at: place, found: found.string, expected: "a line of text",
          remedy: "check that the file is a trace in text form, saved as UTF-8"))
    }
    guard isASCII || String(validating: line, as: UTF8.self) != nil else {
      throw .badInput(
        BadInput(
          at: place, found: "bytes that are no UTF-8", expected: "a line of text",
          remedy: "save the file as UTF-8"))
    }
  }
}

/// Marks events whose time goes back.
struct OrderKeeper {
  private var previousStart: Int64?

  /// Marks the event if it starts before the one in front.
  ///
  /// - Returns: true if it was not marked before.
  mutating func mark(_ event: inout TraceEvent) -> Bool {
    let goesBack = previousStart.map { event.start.count < $0 } ?? false
    previousStart = event.start.count
    guard goesBack, !event.isOutOfOrder else { return false }
    event.isOutOfOrder = true
    return true
  }
}
