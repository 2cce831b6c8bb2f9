import NFCProtocols

/// Writes events as canonical lines, without comment and line feed.
struct EventLineWriter {
  /// The technology that frames have unless they name their own.
  var technology: Technology?
  /// The start of the event in front, to mark times that go back.
  private var previousStart: Int64?

  /// Column width of the time: 999 seconds in groups of three.
  static let timeWidth = 15
  /// Column width of the layer.
  static let layerWidth = 6
  /// Width of the bytes where attributes or a comment follow.
  static let contentWidth = 16

  init(technology: Technology?) { self.technology = technology }

  /// What is known of a line that was written.
  struct Line {
    /// Where its first digit stands in the buffer.
    var start: Int
    /// True if the event is marked as out of order.
    var isOutOfOrder: Bool
  }

  /// Writes one event.
  mutating func write(
    _ event: TraceEvent, into buffer: inout TextBuffer
  ) throws(TraceError) -> Line {
    try TraceBounds.check(event)
    let start = buffer.bytes.count
    buffer.append(grouped: event.start.count, width: Self.timeWidth)
    buffer.append("  ")
    let contentStart = writeContent(event.content, into: &buffer)
    let contentEnd = buffer.bytes.count
    let goesBack = markOrder(of: event)
    writeAttributes(
      of: event, isOutOfOrder: goesBack, omitting: [], into: &buffer)
    if buffer.bytes.count > contentEnd {
      align(contentStart: contentStart, contentEnd: contentEnd, in: &buffer)
    }
    guard buffer.bytes.count - start <= TraceLimits.lineLength else {
      throw TraceBounds.tooLong("a line of \(buffer.bytes.count - start) bytes")
    }
    var first = start
    while buffer.bytes[first] == 0x20 { first += 1 }
    return Line(start: first, isOutOfOrder: goesBack)
  }

  /// Tells whether an event is out of order, and takes it as the one in front of the next.
  mutating func markOrder(of event: TraceEvent) -> Bool {
    let goesBack = previousStart.map { event.start.count < $0 } ?? false
    previousStart = event.start.count
    return goesBack || event.isOutOfOrder
  }

  /// Moves the attributes to their column if the content is short.
  private func align(contentStart: Int, contentEnd: Int, in buffer: inout TextBuffer) {
    let missing = Self.contentWidth - (contentEnd - contentStart)
    guard missing > 0 else { return }
    buffer.bytes.insert(contentsOf: repeatElement(0x20, count: missing), at: contentEnd)
  }

  /// Writes layer, direction and content; returns where the bytes begin.
  private func writeContent(
    _ content: TraceEvent.Content, into buffer: inout TextBuffer
  ) -> Int {
    switch content {
    case .field(let change):
      buffer.append("field ")
      let start = buffer.bytes.count
      if change.isOn { buffer.append("on") } else { buffer.append("off") }
      if let technology = change.technology {
        buffer.append(ascii: 0x20)
        buffer.append(ascii: technology.letter)
      }
      return start
    case .radio(let direction, let frame):
      buffer.append("rf    ")
      buffer.append(direction: direction)
      let start = buffer.bytes.count
      buffer.append(content: frame.bytes)
      if frame.lastByteBits != 8 {
        buffer.append(ascii: 0x27)
        buffer.append(ascii: 0x30 + frame.lastByteBits)
      }
      return start
    case .link(let transfer):
      buffer.append("link  ")
      buffer.append(direction: transfer.direction)
      let start = buffer.bytes.count
      buffer.append(content: transfer.bytes)
      return start
    case .apdu(let direction, let bytes):
      buffer.append("apdu  ")
      buffer.append(direction: direction)
      let start = buffer.bytes.count
      buffer.append(content: bytes)
      return start
    case .application(let direction, let text):
      buffer.append("app   ")
      if let direction { buffer.append(direction: direction) }
      let start = buffer.bytes.count
      buffer.append(quoted: text)
      return start
    }
  }
}

extension TextBuffer {
  /// Appends `>` or `<` and a blank.
  mutating func append(direction: Direction) {
    append(ascii: direction == .outbound ? 0x3E : 0x3C)
    append(ascii: 0x20)
  }

  /// Appends bytes as pairs, or `-` for none.
  mutating func append(content bytes: [UInt8]) {
    if bytes.isEmpty { append(ascii: 0x2D) } else { append(hexPairs: bytes) }
  }
}

/// The bounds that an event must keep to be written.
enum TraceBounds {
  /// Checks times and lengths of an event.
  static func check(_ event: TraceEvent) throws(TraceError) {
    try check(time: event.start)
    if let end = event.end { try check(time: end) }
    if let uncertainty = event.uncertainty { try check(time: uncertainty) }
    switch event.content {
    case .field: break
    case .radio(_, let frame): try check(bytes: frame.bytes)
    case .link(let transfer): try check(bytes: transfer.bytes)
    case .apdu(_, let bytes): try check(bytes: bytes)
    case .application(_, let text): try check(text: text)
    }
    if let comment = event.comment { try check(text: comment) }
  }

  private static func check(time: Nanoseconds) throws(TraceError) {
    guard time.count.magnitude <= TraceLimits.time.magnitude else {
      throw .cannotExpress(
        what: "a time of \(time.count) ns", format: "retap",
        remedy: "shift the origin of the clock: times reach 126 years either way")
    }
  }

  private static func check(bytes: [UInt8]) throws(TraceError) {
    guard bytes.count <= TraceLimits.bytesPerEvent else {
      throw tooLong("an event of \(bytes.count) bytes")
    }
  }

  /// Checks the length of a comment or of an application's text.
  static func check(text: String) throws(TraceError) {
    guard text.utf8.count <= TraceLimits.commentLength else {
      throw tooLong("a text of \(text.utf8.count) bytes")
    }
  }

  static func tooLong(_ what: String) -> TraceError {
    .cannotExpress(
      what: what, format: "retap",
      remedy: "events hold up to \(TraceLimits.bytesPerEvent) bytes, "
        + "texts up to \(TraceLimits.commentLength)")
  }
}
