import Foundation
import NFCTrace
import Testing

@testable import RetapCommand

/// Reading and interpreting on threads of their own gives what one thread gives.
@Suite struct InterpretedTraceTests {
  /// What was read, and how it ended.
  private struct Outcome: Equatable {
    var events: [TraceEvent] = []
    var headers: Set<TraceHeader?> = []
    var words: [String] = []
    var warnings: [TraceWarning] = []
    var error: String?
  }

  /// Reads a file, on threads or on one, at most `limit` batches of it.
  private func read(
    _ path: String, onThreads: Bool, limit: Int = .max
  ) throws -> Outcome {
    var reader = InterpretedTrace(
      try TraceStream(path: path), shortestFile: onThreads ? 0 : .max)
    var outcome = Outcome()
    var batch = InterpretedBatch()
    var count = 0
    do throws(CommandError) {
      while count < limit, try reader.next(into: &batch) {
        outcome.events += batch.trace.events
        outcome.headers.insert(batch.trace.header)
        for index in batch.trace.events.indices {
          for entry in batch.interpretation.entries(ofEvent: index) {
            outcome.words.append(
              batch.interpretation.text(of: batch.interpretation.entries[entry]))
          }
        }
        count += 1
      }
    } catch {
      outcome.error = "\(error)"
    }
    outcome.warnings = reader.warnings
    return outcome
  }

  /// A file of many batches, and behind it `end`.
  private func withLongTrace(end: String = "", _ body: (String) throws -> Void) throws {
    var text = "retap 1\nclock    ns\n\n0 field on A\n"
    for number in 1...20_000 { text += "\(number * 1_000_000) rf > 30 \(number % 90 + 10) 26 EE\n" }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("ahead-\(UUID().uuidString).retap").path
    try Data((text + end).utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test("The same events, header and warnings, in the same order")
  func same() throws {
    try withLongTrace { path in
      let one = try read(path, onThreads: false)
      let two = try read(path, onThreads: true)
      #expect(one.events.count == 20_001)
      #expect(one.headers.count == 1)
      #expect(one.words.count == 20_001)
      #expect(!one.words.contains(""))
      #expect(one == two)
    }
  }

  @Test("A fault at the end comes after the same events")
  func fault() throws {
    try withLongTrace(end: "20001000000 rf > XX\n") { path in
      let one = try read(path, onThreads: false)
      let two = try read(path, onThreads: true)
      #expect(one.error?.contains("badInput") == true)
      #expect(!one.events.isEmpty)
      #expect(one == two)
    }
  }

  @Test("Who stops early is not kept waiting", arguments: [0, 1, 3])
  func early(limit: Int) throws {
    try withLongTrace { path in
      let one = try read(path, onThreads: false, limit: limit)
      let two = try read(path, onThreads: true, limit: limit)
      #expect(one == two)
    }
  }
}
