import NFCProtocols
import NFCTrace

/// Collects what a log parser finds: sends the header before the first event, marks events whose
/// time goes back, and bounds the number of warnings.
struct LogOutput {
  /// Warnings kept for one file; a broken file would otherwise bury its first fault.
  static let maximumWarnings = 100

  /// What was found since the last `decode` call.
  var batch = TraceBatch()
  /// The header; a parser completes it before its first event.
  var header: TraceHeader
  /// True once a line that bears the mark of the format was seen.
  var hasRecognisedLine = false
  /// The number of events so far.
  private(set) var eventCount = 0

  private var isHeaderSent = false
  private var lastStart: Nanoseconds?
  private var warningCount = 0

  init(header: TraceHeader) { self.header = header }

  /// Appends an event, after the header if it is the first one.
  ///
  /// Texts are cut to what a trace holds.
  mutating func append(_ event: TraceEvent) {
    sendHeader()
    var event = event
    if let comment = event.comment { event.comment = Self.bounded(comment) }
    if event.leadingLines.count > TraceLimits.commentLinesTogether {
      event.leadingLines.removeFirst(event.leadingLines.count - TraceLimits.commentLinesTogether)
    }
    if !event.isTimeUnknown {
      if let last = lastStart, event.start < last { event.isOutOfOrder = true }
      lastStart = event.start
    }
    eventCount += 1
    batch.events.append(event)
  }

  /// The text, cut at a character if it is longer than a comment may be.
  static func bounded(_ text: String) -> String {
    guard text.utf8.count > TraceLimits.commentLength else { return text }
    var length = 0
    return String(
      text.prefix { character in
        length += character.utf8.count
        return length <= TraceLimits.commentLength
      })
  }

  /// Sends the header if that has not been done.
  mutating func sendHeader() {
    guard !isHeaderSent else { return }
    isHeaderSent = true
    batch.header = header
  }

  /// True once the header can no longer be changed.
  var isHeaderFinal: Bool { isHeaderSent }

  /// Tells something that does not make the input bad.
  mutating func warn(line: Int, _ message: String) {
    warningCount += 1
    if warningCount < Self.maximumWarnings {
      batch.warnings.append(TraceWarning(at: .line(line), message))
    } else if warningCount == Self.maximumWarnings {
      batch.warnings.append(
        TraceWarning(at: .line(line), "\(message); further warnings are left out"))
    }
  }

  /// The start of the last event with a known time.
  var lastKnownStart: Nanoseconds { lastStart ?? .zero }
}

/// Turns the times of a log's lines into times since its first event.
struct LogClock {
  private var origin: LogTimestamp?
  private var last: Nanoseconds = .zero
  private var yearShift: Int64 = 0
  private var previous: Int64 = 0

  /// A year in nanoseconds; a log without years that ends in January began in the year before.
  private static let year: Int64 = 365 * 86_400 * 1_000_000_000

  /// The time of an event, and whether it is not known.
  mutating func time(of stamp: LogTimestamp?) -> (start: Nanoseconds, isUnknown: Bool) {
    guard let stamp else { return (last, true) }
    guard let origin else {
      self.origin = stamp
      previous = stamp.nanoseconds
      return (.zero, false)
    }
    guard origin.kind == stamp.kind else { return (last, true) }
    if stamp.kind == .dateWithoutYear {
      if previous - stamp.nanoseconds > Self.year / 2 { yearShift += 1 }
      if stamp.nanoseconds - previous > Self.year / 2, yearShift > 0 { yearShift -= 1 }
    }
    previous = stamp.nanoseconds
    let (shift, overflow) = yearShift.multipliedReportingOverflow(by: Self.year)
    let (count, carry) = (stamp.nanoseconds - origin.nanoseconds).addingReportingOverflow(shift)
    if overflow || carry { return (last, true) }
    last = Nanoseconds(count)
    return (last, false)
  }

  /// A time some milliseconds later; sums that no real log reaches stay at the bound of a trace.
  static func sum(_ time: Nanoseconds, milliseconds: Int64) -> Nanoseconds {
    let (step, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    let (total, carry) = time.count.addingReportingOverflow(step)
    return Nanoseconds(overflow || carry ? TraceLimits.time : min(total, TraceLimits.time))
  }

  /// What a header says of a clock whose first event has this stamp.
  static func description(first stamp: LogTimestamp?) -> TraceClock {
    guard stamp != nil else { return TraceClock(origin: "none") }
    return TraceClock(origin: "first event")
  }
}
