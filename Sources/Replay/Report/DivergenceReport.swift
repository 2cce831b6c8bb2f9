public import NFCProtocols

/// A divergence told to people: what differs, around what, and what to do about it.
public struct DivergenceReport: Sendable {
  /// The run.
  public var outcome: ReplayOutcome
  /// The divergence.
  public var divergence: Divergence
  /// The command line that runs it again up to just before the divergence.
  public var repeatCommand: String
  /// Tells what a frame means; `expected` and `actual` frames of the same place are asked for.
  public var describe: @Sendable (RadioFrame, Direction, Int) -> FrameDescription?

  /// How many exchanges are shown in front of the divergence, and how many behind.
  public static let agreedShown = 5
  /// How many expected exchanges are shown behind the divergence.
  public static let expectedShown = 3
  /// How many bytes of a frame are shown; longer ones are cut around the first difference.
  public static let bytesShown = 24

  /// Makes a report.
  public init(
    _ outcome: ReplayOutcome, _ divergence: Divergence, repeatCommand: String,
    describe: @escaping @Sendable (RadioFrame, Direction, Int) -> FrameDescription?
  ) {
    self.outcome = outcome
    self.divergence = divergence
    self.repeatCommand = repeatCommand
    self.describe = describe
  }

  /// The report as lines.
  public var text: String {
    var buffer = TextBuffer(capacity: 2_048)
    buffer.append(divergence.line)
    buffer.append(ascii: 0x0A)
    appendComparison(to: &buffer)
    appendAgreed(to: &buffer)
    appendExpected(to: &buffer)
    appendNearest(to: &buffer)
    appendAcceptance(to: &buffer)
    buffer.append("  repeat: ")
    buffer.append(repeatCommand)
    buffer.append(ascii: 0x0A)
    return buffer.string
  }

  private func appendComparison(to buffer: inout TextBuffer) {
    let first = divergence.firstDifference
    let start = windowStart(first)
    let width =
      [divergence.expected, divergence.actual].compactMap { $0 }
      .map { shown($0, from: start).count }.max() ?? 0
    appendFrame("expected", divergence.expected, start, width, to: &buffer)
    appendFrame("actual", divergence.actual, start, width, to: &buffer)
    if let first {
      let column = 12 + (start > 0 ? 4 : 0) + (first - start) * 3
      buffer.append(repeating: 0x20, count: column)
      buffer.append("^^\n")
      appendFirstDifference(first, to: &buffer)
    }
    if divergence.kind == .late || divergence.kind == .missing, let limit = divergence.limit {
      buffer.append("  limit     ")
      buffer.append(DurationText.rounded(limit.duration))
      buffer.append(" (")
      buffer.append(limit.kind.logName)
      buffer.append(")")
      if let late = divergence.lateBy {
        buffer.append(", used ")
        buffer.append(DurationText.rounded(limit.duration + late))
      }
      if let waited = divergence.waited, divergence.repetitions > 0 {
        let times = divergence.repetitions == 1 ? "once" : "\(divergence.repetitions) times"
        buffer.append(", asked again \(times), gave up after \(DurationText.rounded(waited))")
      }
      buffer.append(ascii: 0x0A)
    }
  }

  private func appendFrame(
    _ label: StaticString, _ frame: RadioFrame?, _ start: Int, _ width: Int,
    to buffer: inout TextBuffer
  ) {
    let begin = buffer.bytes.count
    buffer.append("  ")
    buffer.append(label)
    buffer.append(repeating: 0x20, count: 12 - (buffer.bytes.count - begin))
    guard let frame else {
      let isLateAnswer = divergence.kind == .late && divergence.expected != nil
      buffer.append(isLateAnswer ? "an answer, but too late\n" : "nothing\n")
      return
    }
    let bytes = shown(frame, from: start)
    buffer.append(bytes)
    if let words = describe(frame, divergence.direction, divergence.exchange - 1) {
      buffer.append(repeating: 0x20, count: max(0, width - bytes.count) + 3)
      buffer.append(words.title)
    }
    buffer.append(ascii: 0x0A)
  }

  /// The field names at the first byte that differs, and what each side says there.
  private func appendFirstDifference(_ first: Int, to buffer: inout TextBuffer) {
    buffer.append("            first difference in byte ")
    buffer.append(decimal: Int64(first + 1))
    let index = divergence.exchange - 1
    let expected = divergence.expected.flatMap { describe($0, divergence.direction, index) }
    let actual = divergence.actual.flatMap { describe($0, divergence.direction, index) }
    let sides = [("expected", expected?.field(of: first)), ("actual", actual?.field(of: first))]
    if let name = sides.compactMap({ $0.1?.name }).first {
      buffer.append(": ")
      buffer.append(name)
      for (side, field) in sides {
        guard let meaning = field?.meaning, !meaning.isEmpty else { continue }
        buffer.append(", \(side) \(meaning)")
      }
    }
    buffer.append(ascii: 0x0A)
  }

  private func windowStart(_ first: Int?) -> Int {
    let longest = max(divergence.expected?.bytes.count ?? 0, divergence.actual?.bytes.count ?? 0)
    guard let first, longest > Self.bytesShown else { return 0 }
    return max(0, min(first - Self.bytesShown / 2, longest - Self.bytesShown))
  }

  private func shown(_ frame: RadioFrame, from start: Int) -> String {
    Self.hex(frame, from: start, count: Self.bytesShown)
  }

  static func hex(_ frame: RadioFrame, from start: Int = 0, count: Int) -> String {
    let part = frame.bytes.dropFirst(start).prefix(count)
    var text = (start > 0 ? "… | " : "") + Hexadecimal.pairs(Array(part))
    if frame.lastByteBits != 8, start + part.count == frame.bytes.count {
      text += "'\(frame.lastByteBits)"
    }
    if start + part.count < frame.bytes.count { text += " … (\(frame.bytes.count) bytes)" }
    return text.isEmpty ? "(empty)" : text
  }
}
