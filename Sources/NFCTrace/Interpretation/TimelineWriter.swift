public import NFCProtocols

/// Writes the timeline of a trace: one line an entry, for people.
///
/// A line is the time (`s.mmm µµµ`), who sends to whom, the bytes, and the words. What was lifted
/// out of a lower layer is indented under it.
public struct TimelineWriter: Sendable {
  /// Which layers are shown.
  public var layers: Layer
  /// True if lines are coloured for a terminal.
  public var isColored: Bool
  /// The columns for bytes.
  public var hexColumns: Int
  /// True if bytes that do not fit are cut short.
  public var shortensHex: Bool
  /// True if lines begin with the number of the event.
  public var showsNumbers: Bool

  /// What times are counted from, for traces with times of day; zero shows times as they are.
  public var origin = Nanoseconds.zero

  /// The columns for bytes in a pipe or a file.
  public static let usualHexColumns = 33
  /// The columns in front of the bytes: time, sender, blanks.
  static let leadingColumns = 16
  /// The columns that are kept for words on a terminal.
  static let wordColumns = 44

  /// Makes a writer.
  ///
  /// - Parameter terminalColumns: The width of the terminal, or `nil` to show all bytes.
  public init(
    layers: Layer = .all, isColored: Bool = false, terminalColumns: Int? = nil,
    showsNumbers: Bool = false
  ) {
    self.layers = layers
    self.isColored = isColored
    self.showsNumbers = showsNumbers
    shortensHex = terminalColumns != nil
    if let terminalColumns {
      let room = terminalColumns - Self.leadingColumns - Self.wordColumns
      hexColumns = min(max(room, 20), 96)
    } else {
      hexColumns = Self.usualHexColumns
    }
  }

  /// Appends the lines of one event.
  ///
  /// - Parameter number: The number of the event in the trace, from 1.
  public func write(
    _ event: TraceEvent, _ interpretation: Interpretation, number: Int,
    to output: inout TextBuffer
  ) {
    write(
      EventFacts(event), interpretation, interpretation.entries(ofEvent: 0), number: number,
      to: &output)
  }

  /// Appends the lines of one of the events that were interpreted together.
  public func write(
    _ events: borrowing Span<TraceEvent>, at index: Int, _ interpretation: Interpretation,
    number: Int, to output: inout TextBuffer
  ) {
    write(
      EventFacts(events, at: index), interpretation, interpretation.entries(ofEvent: index),
      number: number, to: &output)
  }

  private func write(
    _ event: EventFacts, _ interpretation: Interpretation, _ entries: Range<Int>, number: Int,
    to output: inout TextBuffer
  ) {
    var isFirst = true
    // An entry that repeats the one in front of it is shown where that one is not.
    let hidesRepetitions = layers.contains(.radio)
    for index in entries {
      let entry = interpretation.entries[index]
      guard layers.contains(entry.layer), !(entry.isRepetition && hidesRepetitions) else {
        continue
      }
      write(entry, event, interpretation, isFirst: isFirst, number: number, to: &output)
      if entry.direction != nil || entry.layer == .application { isFirst = false }
    }
  }

  private func write(
    _ entry: Interpretation.Entry, _ event: EventFacts, _ interpretation: Interpretation,
    isFirst: Bool, number: Int, to output: inout TextBuffer
  ) {
    if showsNumbers { writeNumber(isFirst ? number : nil, to: &output) }
    color(.dim, to: &output)
    if isFirst {
      write(time: event, to: &output)
    } else {
      output.append(repeating: 0x20, count: 11)
    }
    color(.none, to: &output)
    output.append("  ")
    var indent = 0
    if !isFirst {
      output.append("  ")
      indent = 2
    }
    writeSender(entry, to: &output)
    let columns = hexColumns - indent
    switch entry.source {
    case .none:
      if entry.direction != nil { output.append(repeating: 0x20, count: columns + 2) }
    case .event:
      write(hex: event.bytes.span, lastBits: event.lastBits, columns: columns, to: &output)
    case .part(let range):
      write(hex: event.bytes.span.extracting(range), lastBits: 8, columns: columns, to: &output)
    case .lifted(let index):
      if entry.layer != .ndef {
        let bytes = interpretation.lifted[index]
        write(hex: bytes.span, lastBits: 8, columns: columns, to: &output)
      }
    }
    finish(entry, event, interpretation, isFirst: isFirst, to: &output)
  }

  private func finish(
    _ entry: Interpretation.Entry, _ event: EventFacts, _ interpretation: Interpretation,
    isFirst: Bool, to output: inout TextBuffer
  ) {
    color(entry.isFault ? .red : entry.layer == .ndef ? .bold : .none, to: &output)
    output.append(bytes: interpretation.words.bytes.span.extracting(entry.words))
    if entry.isFault || entry.layer == .ndef { color(.none, to: &output) }
    // An assumed field is no event of its own: what the source says is said of the frame.
    let isOwn = isFirst && (entry.fieldIsOn == nil || event.bytes.isEmpty)
    if isOwn, event.isOutOfOrder { output.append("  (begins before the line above)") }
    if isOwn, let comment = event.comment, !comment.isEmpty {
      color(.dim, to: &output)
      output.append("  ; ")
      output.append(comment)
      color(.none, to: &output)
    }
    output.append(ascii: 0x0A)
  }

  private func writeNumber(_ number: Int?, to output: inout TextBuffer) {
    if let number {
      output.append(decimal: Int64(number), width: 6)
    } else {
      output.append(repeating: 0x20, count: 6)
    }
    output.append(ascii: 0x20)
  }

  /// Seconds, milliseconds and microseconds; what is below a microsecond is cut off.
  private func write(time event: EventFacts, to output: inout TextBuffer) {
    guard !event.isTimeUnknown else {
      output.append("          –")
      return
    }
    let (start, overflow) = event.start.count.subtractingReportingOverflow(origin.count)
    let time = overflow ? event.start.count : start
    let microseconds = Int64(time.magnitude / 1_000)
    let seconds = microseconds / 1_000_000
    if time >= 0, seconds < 1_000 {
      output.append(secondsBelow1000: seconds, fraction: microseconds - seconds * 1_000_000)
      return
    } else if time < 0, seconds < 10 {
      output.append(" -")
      output.append(decimal: seconds)
    } else if time < 0 {
      output.append(ascii: 0x2D)
      output.append(decimal: seconds, width: 2)
    } else {
      output.append(decimal: seconds, width: 3)
    }
    output.append(fraction: microseconds % 1_000_000)
  }

  private func writeSender(_ entry: Interpretation.Entry, to output: inout TextBuffer) {
    switch (entry.layer, entry.direction) {
    case (.radio, nil):
      color(.yellow, to: &output)
      output.append(entry.fieldIsOn == false ? "▼ " : "▲ ")
      color(.none, to: &output)
    case (.ndef, _): output.append("≡   ")
    case (.application, nil): output.append("·   ")
    case (.link, .outbound?):
      color(.cyan, to: &output)
      output.append("H→  ")
      color(.none, to: &output)
    case (_, .outbound?):
      color(.cyan, to: &output)
      output.append("R→  ")
      color(.none, to: &output)
    case (_, .inbound?):
      color(.green, to: &output)
      output.append("←C  ")
      color(.none, to: &output)
    case (_, nil): output.append("    ")
    }
  }

  /// Writes bytes, then blanks up to the column of the words.
  private func write(
    hex bytes: borrowing Span<UInt8>, lastBits: UInt8, columns: Int, to output: inout TextBuffer
  ) {
    if lastBits == 8, !(shortensHex && bytes.count * 3 - 1 > columns) {
      // The common case: two blanks follow in any case.
      let text = max(bytes.count * 3 - 1, 0)
      output.append(hexPairs: bytes, columns: max(columns, text) + 2)
      return
    }
    let start = output.bytes.count
    var shown = bytes.count
    if shortensHex, bytes.count * 3 - 1 > columns {
      // "… +123" takes six columns.
      shown = min(max((columns - 6) / 3, 1), bytes.count)
    }
    output.append(hexPairs: bytes.extracting(first: shown), columns: 0)
    if shown < bytes.count {
      output.append(" … +")
      output.append(decimal: Int64(bytes.count - shown))
    } else if lastBits < 8 {
      output.append(ascii: 0x27)
      output.append(ascii: 0x30 + lastBits)
    }
    output.append(
      repeating: 0x20, count: max(columns - (output.bytes.count - start), 0) + 2)
  }

  private enum Color {
    case none, dim, bold, red, green, yellow, cyan
  }

  private func color(_ color: Color, to output: inout TextBuffer) {
    guard isColored else { return }
    switch color {
    case .none: output.append("\u{1B}[0m")
    case .dim: output.append("\u{1B}[2m")
    case .bold: output.append("\u{1B}[1m")
    case .red: output.append("\u{1B}[31m")
    case .green: output.append("\u{1B}[32m")
    case .yellow: output.append("\u{1B}[33m")
    case .cyan: output.append("\u{1B}[36m")
    }
  }
}

/// What a timeline shows of an event itself.
private struct EventFacts {
  var start: Nanoseconds
  var isTimeUnknown: Bool
  var isOutOfOrder: Bool
  var comment: String?
  var bytes: [UInt8]
  var lastBits: UInt8

  init(_ event: TraceEvent) {
    start = event.start
    isTimeUnknown = event.isTimeUnknown
    isOutOfOrder = event.isOutOfOrder
    comment = event.comment
    bytes = event.content.bytes
    lastBits = event.content.lastBits
  }

  init(_ events: borrowing Span<TraceEvent>, at index: Int) {
    start = events[index].start
    isTimeUnknown = events[index].isTimeUnknown
    isOutOfOrder = events[index].isOutOfOrder
    comment = events[index].comment
    switch events[index].content {
    case .radio(_, let frame):
      bytes = frame.bytes
      lastBits = frame.lastByteBits
    case let content:
      bytes = content.bytes
      lastBits = 8
    }
  }
}

extension TraceEvent.Content {
  /// The bits of the last byte, 8 where all bytes are whole.
  var lastBits: UInt8 {
    if case .radio(_, let frame) = self { frame.lastByteBits } else { 8 }
  }
}

extension TextBuffer {
  /// Appends whole seconds in three columns with blanks in front, and the fraction.
  fileprivate mutating func append(secondsBelow1000 seconds: Int64, fraction microseconds: Int64) {
    let whole = UInt32(truncatingIfNeeded: seconds)
    let (hundreds, rest) = (whole / 100, whole % 100)
    bytes.append(addingCapacity: 11) { output in
      output.append(whole < 100 ? 0x20 : UInt8(truncatingIfNeeded: 0x30 + hundreds))
      output.append(whole < 10 ? 0x20 : UInt8(truncatingIfNeeded: 0x30 + rest / 10))
      output.append(UInt8(truncatingIfNeeded: 0x30 + rest % 10))
      output.append(fraction: microseconds)
    }
  }

  /// Appends a point, milliseconds, a blank and microseconds.
  fileprivate mutating func append(fraction microseconds: Int64) {
    bytes.append(addingCapacity: 8) { $0.append(fraction: microseconds) }
  }
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(fraction microseconds: Int64) {
    let number = UInt32(truncatingIfNeeded: microseconds)
    append(0x2E)
    append(threeDigits: number / 1_000)
    append(0x20)
    append(threeDigits: number % 1_000)
  }

  private mutating func append(threeDigits number: UInt32) {
    let (hundreds, rest) = (number / 100, number % 100)
    append(UInt8(truncatingIfNeeded: 0x30 + hundreds))
    append(UInt8(truncatingIfNeeded: 0x30 + rest / 10))
    append(UInt8(truncatingIfNeeded: 0x30 + rest % 10))
  }
}
