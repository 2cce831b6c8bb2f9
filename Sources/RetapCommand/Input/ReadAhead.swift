import HostIO
import NFCTrace

/// The batches of a trace, read and decoded ahead on a second thread where the file is long.
///
/// The batches, their order and the errors are those of the stream itself. Batches go back to the
/// second thread when they are used, so that memory is freed where it was allocated.
struct ReadAhead: ~Copyable {
  /// The warnings that came with the batches so far.
  private(set) var warnings: [TraceWarning] = []
  private let source: Source
  private var thread: BackgroundThread?

  /// Shorter files, in bytes, are not worth a thread: they are shown in a few milliseconds.
  static let shortestFile = 1 << 20
  /// How many batches are on their way at once.
  private static let batchesAhead = 3

  /// Begins to read.
  ///
  /// - Parameter shortestFile: Files from this size are read ahead. Pipes never are: reading may
  ///   wait there, and nobody could end it.
  init(_ stream: consuming TraceStream, shortestFile: Int = Self.shortestFile) {
    let isLong = stream.fileSize.map { $0 >= shortestFile } ?? false
    let source = Source(stream, capacity: Self.batchesAhead)
    self.source = source
    guard isLong, WorkerThreads.processorCount > 1 else { return }
    for _ in 0..<Self.batchesAhead - 1 { source.used.put(TraceBatch()) }
    thread = BackgroundThread { source.run() }
  }

  /// The next batch in the place of the used one; false at the end of the trace.
  mutating func next(into batch: inout TraceBatch) throws(CommandError) -> Bool {
    if thread == nil {
      let isMore = try source.stream.next(into: &batch)
      warnings += batch.warnings
      return isMore
    }
    // Moved, not copied: the second thread is to find nobody else at the batch's memory.
    var used = TraceBatch()
    swap(&used, &batch)
    source.used.put(consume used)
    guard let ready = source.ready.take() else {
      // The second thread has ended; its results are ours.
      thread = nil
      batch = source.last
      if let error = source.error { throw error }
      warnings += batch.warnings
      return false
    }
    batch = ready
    warnings += batch.warnings
    return true
  }

  deinit {
    // Wakes the second thread, so that waiting for its end is short.
    source.used.close()
    source.ready.close()
  }

  /// What both threads use: the stream belongs to the second one as long as it runs.
  private final class Source: @unchecked Sendable {
    var stream: TraceStream
    var last = TraceBatch()
    var error: CommandError?
    let used: HandOver<TraceBatch>
    let ready: HandOver<TraceBatch>

    init(_ stream: consuming TraceStream, capacity: Int) {
      self.stream = stream
      used = HandOver(capacity: capacity)
      ready = HandOver(capacity: capacity)
    }

    func run() {
      defer { ready.close() }
      while var batch = used.take() {
        do throws(CommandError) {
          guard try stream.next(into: &batch) else {
            last = batch
            return
          }
        } catch {
          self.error = error
          return
        }
        guard ready.put(consume batch) else { return }
      }
    }
  }
}
