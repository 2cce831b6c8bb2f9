import NFCProtocols
import NFCTrace

/// Gives events their times from the first one, and the trace its header, as they leave.
struct CaptureEmitter {
  private let options: ImportOptions
  /// What the header says of the source.
  var madeBy: String
  /// The unit of the source's ticks; those of interfaces with another unit are dropped.
  var tickUnit: String?
  /// Times are nanoseconds since 1970, so that the header can say when the trace began.
  var isAbsolute = false
  private var order = EventOrder()
  private var origin: Nanoseconds?
  private(set) var hasHeader = false

  /// A year of seconds: packet times below it count from some start, not from 1970.
  private static let shortestDate: Int64 = 31_536_000

  init(_ options: ImportOptions, madeBy: String) {
    self.options = options
    self.madeBy = madeBy
  }

  /// Appends events whose times count from the source's origin.
  mutating func emit(
    _ events: [TraceEvent], reader: ReaderIdentity?, into batch: inout TraceBatch
  ) {
    for event in events { emit(event, reader: reader, into: &batch) }
  }

  /// Appends one event.
  mutating func emit(
    _ original: consuming TraceEvent, reader: ReaderIdentity?, into batch: inout TraceBatch
  ) {
    var event = original
    if !hasHeader {
      hasHeader = true
      batch.header = header(first: event, reader)
    }
    if !event.isTimeUnknown {
      let zero = origin ?? event.start
      origin = zero
      event.start = difference(event.start, zero)
      event.end = event.end.map { difference($0, zero) }
    }
    order.place(&event)
    batch.events.append(event)
  }

  /// Appends one frame of a trace whose header and origin are settled, without a detour.
  mutating func emit(
    _ direction: Direction, _ frame: consuming RadioFrame, at time: Nanoseconds, ticks: Int64,
    into batch: inout TraceBatch
  ) {
    let start = difference(time, origin ?? time)
    let isOutOfOrder = order.isBefore(start)
    batch.events.append(
      TraceEvent(
        start: start, .radio(direction, frame), sourceTicks: SourceTicks(start: ticks),
        isOutOfOrder: isOutOfOrder))
  }

  /// True once `emit(_:_:at:ticks:into:)` may be used.
  var isSettled: Bool { hasHeader && origin != nil }

  /// Makes sure that there is a header, for traces without events.
  mutating func finish(_ reader: ReaderIdentity?, into batch: inout TraceBatch) {
    guard !hasHeader else { return }
    hasHeader = true
    batch.header = TraceHeader(
      reader: reader, role: options.role, technology: options.technology,
      clock: TraceClock(tickUnit: tickUnit, origin: "none"), madeBy: madeBy)
  }

  /// The time from `zero`; times that lie more than 292 years apart are held at that limit.
  private func difference(_ time: Nanoseconds, _ zero: Nanoseconds) -> Nanoseconds {
    let (count, overflows) = time.count.subtractingReportingOverflow(zero.count)
    return overflows ? Nanoseconds(time.count < 0 ? .min / 2 : .max / 2) : Nanoseconds(count)
  }

  private func header(first event: TraceEvent, _ reader: ReaderIdentity?) -> TraceHeader {
    let origin: String
    let (seconds, rest) = event.start.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    if event.isTimeUnknown {
      origin = "none"
    } else if isAbsolute, seconds >= Self.shortestDate {
      origin = CaptureText.moment(seconds: seconds, nanoseconds: rest)
    } else {
      origin = "first event"
    }
    let hasTicks = event.sourceTicks != nil
    return TraceHeader(
      reader: reader, role: options.role, technology: options.technology,
      clock: TraceClock(tickUnit: hasTicks ? tickUnit : nil, origin: origin), madeBy: madeBy)
  }
}
