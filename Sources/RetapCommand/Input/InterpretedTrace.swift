import HostIO
import NFCTrace

/// Some events of a trace and what they say.
struct InterpretedBatch: Sendable {
  /// The events.
  var trace = TraceBatch()
  /// What they say, event by event.
  var interpretation = Interpretation()
}

/// The events of a trace with their meaning; long files are read, interpreted and shown at once, on
/// a thread each.
struct InterpretedTrace: ~Copyable {
  /// The warnings that came with the batches so far.
  private(set) var warnings: [TraceWarning] = []
  private var batches: WorkAhead<InterpretedBatch>

  /// Shorter files, in bytes, are not worth threads: they are shown in a few milliseconds.
  static let shortestFile = 1 << 20

  /// Begins to read.
  ///
  /// - Parameter shortestFile: Files from this size are read ahead. Pipes never are: reading may
  ///   wait there, and nobody could end it.
  init(_ stream: consuming TraceStream, shortestFile: Int = Self.shortestFile) {
    let isLong = stream.fileSize.map { $0 >= shortestFile } ?? false
    let hasThreads = isLong && WorkerThreads.processorCount > 1
    let steps = Steps(stream, hasThread: hasThreads)
    batches = WorkAhead(
      hasThread: hasThreads, empty: { InterpretedBatch() },
      work: { (batch) throws(CommandError) in try steps.next(into: &batch) })
  }

  /// The next batch in the place of the used one; false at the end of the trace.
  mutating func next(into batch: inout InterpretedBatch) throws(CommandError) -> Bool {
    let isMore = try batches.next(into: &batch)
    warnings += batch.trace.warnings
    return isMore
  }

  /// Reading and decoding, then interpreting; used by one thread at a time.
  private final class Steps {
    private var traces: WorkAhead<TraceBatch>
    private var interpreter: TraceInterpreter?

    init(_ stream: consuming TraceStream, hasThread: Bool) {
      let reading = Reading(stream)
      traces = WorkAhead(
        hasThread: hasThread, empty: { TraceBatch() },
        work: { (batch) throws(CommandError) in try reading.stream.next(into: &batch) })
    }

    func next(into batch: inout InterpretedBatch) throws(CommandError) -> Bool {
      let isMore = try traces.next(into: &batch.trace)
      if interpreter == nil { interpreter = TraceInterpreter(header: batch.trace.header) }
      // Out of the batch for as long as it is written, since the batch lends its events.
      var interpretation = Interpretation()
      swap(&interpretation, &batch.interpretation)
      interpreter?.interpret(batch.trace.events.span, into: &interpretation)
      swap(&interpretation, &batch.interpretation)
      return isMore
    }
  }

  /// A place for the stream that a closure can hold.
  private final class Reading {
    var stream: TraceStream
    init(_ stream: consuming TraceStream) { self.stream = stream }
  }
}
