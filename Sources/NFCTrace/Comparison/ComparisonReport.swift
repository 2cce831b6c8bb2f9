public import NFCProtocols

/// Writes a comparison for people and for programs.
public struct ComparisonReport: Sendable {
  /// The comparison.
  public var comparison: TraceComparison
  /// What the first trace is called.
  public var firstName: String
  /// What the second trace is called.
  public var secondName: String
  /// The tolerance of time that was asked for, `nil` if times were left aside.
  public var tolerance: Nanoseconds?

  /// Bytes shown of one frame; longer ones are shown around the first difference.
  static let shownBytes = 24
  /// Bytes shown in front of the first difference of long frames.
  static let shownBefore = 8
  /// Agreeing frames shown in front of a difference.
  static let contextFrames = 1

  /// Makes a report.
  public init(
    _ comparison: TraceComparison, firstName: String, secondName: String, tolerance: Nanoseconds?
  ) {
    self.comparison = comparison
    self.firstName = firstName
    self.secondName = secondName
    self.tolerance = tolerance
  }

  /// The report as lines: what differs with a frame of context, then the verdict.
  ///
  /// `-` is the first trace, `+` the second, `~` the same bytes at another time; the numbers count
  /// the frames of each trace from 1.
  public func appendText(to text: inout TextBuffer) {
    if !comparison.isSame {
      text.append("--- \(firstName)\n+++ \(secondName)\n")
      appendDifferences(to: &text)
    }
    appendVerdict(to: &text)
  }

  private func appendDifferences(to text: inout TextBuffer) {
    var shownUpTo = 0
    for (index, entry) in comparison.entries.enumerated() where !entry.isSame {
      let contextStart = max(shownUpTo, index - Self.contextFrames)
      if contextStart > shownUpTo { text.append("  …\n") }
      for context in contextStart..<index { appendPair(comparison.entries[context], to: &text) }
      switch entry.kind {
      case .same: appendPair(entry, to: &text)
      case .changed: appendChange(entry, to: &text)
      case .onlyFirst: appendLine(0x2D, entry.first, nil, 0, to: &text)
      case .onlySecond: appendLine(0x2B, nil, entry.second, 0, to: &text)
      }
      shownUpTo = index + 1
    }
  }

  /// A pair that says the same: one line, with the times if they differ.
  private func appendPair(_ entry: TraceComparison.Entry, to text: inout TextBuffer) {
    let mark: UInt8 = entry.isSame ? 0x20 : 0x7E
    appendLine(mark, entry.first, entry.second, 0, to: &text)
    guard !entry.isSame else { return }
    appendTimes(entry, to: &text)
  }

  private func appendChange(_ entry: TraceComparison.Entry, to text: inout TextBuffer) {
    guard let first = entry.first, let second = entry.second else { return }
    let left = comparison.firstFrames[first].bytes
    let right = comparison.secondFrames[second].bytes
    let agreed = zip(left, right).prefix { $0 == $1 }.count
    let longest = max(left.count, right.count)
    let from = longest > Self.shownBytes ? max(0, agreed - Self.shownBefore) : 0
    appendLine(0x2D, first, nil, from, to: &text)
    appendLine(0x2B, nil, second, from, to: &text)
    let indent = Self.bytesColumn + (from > 0 ? 2 : 0) + 3 * (agreed - from)
    text.append(repeating: 0x20, count: indent)
    text.append("^^ byte \(agreed + 1)\n")
    if entry.interval != nil { appendTimes(entry, to: &text) }
  }

  /// Mark, two numbers of seven columns, sender: where the bytes begin.
  private static let bytesColumn = 1 + 7 + 7 + 2 + 2

  private func appendLine(
    _ mark: UInt8, _ first: Int?, _ second: Int?, _ from: Int, to text: inout TextBuffer
  ) {
    let frame =
      first.map { comparison.firstFrames[$0] } ?? second.map { comparison.secondFrames[$0] }
    guard let frame else { return }
    text.append(ascii: mark)
    for index in [first, second] {
      if let index {
        text.append(decimal: Int64(index + 1), width: 7)
      } else {
        text.append(repeating: 0x20, count: 7)
      }
    }
    text.append("  ")
    text.append(ascii: frame.sender.letter)
    text.append(ascii: 0x20)
    if let mark = frame.mark {
      text.append(mark)
    } else {
      if from > 0 { text.append("… ") }
      let shown = frame.bytes.dropFirst(from).prefix(Self.shownBytes)
      text.append(hexPairs: Array(shown))
      if from + shown.count < frame.bytes.count {
        text.append(" … (\(frame.bytes.count) bytes)")
      }
    }
    text.append(ascii: 0x0A)
  }

  private func appendTimes(_ entry: TraceComparison.Entry, to text: inout TextBuffer) {
    text.append(repeating: 0x20, count: Self.bytesColumn)
    if let interval = entry.interval {
      text.append("starts ")
      append(interval, to: &text)
      text.append(" after the frame before")
    }
    if let length = entry.length {
      text.append(entry.interval == nil ? "lasts " : ", lasts ")
      append(length, to: &text)
    }
    text.append(ascii: 0x0A)
  }

  /// `5.121ms → 11.321ms (+6.2ms)`.
  private func append(_ pair: TraceComparison.TimePair, to text: inout TextBuffer) {
    text.append(duration: pair.first)
    text.append(" → ")
    text.append(duration: pair.second)
    text.append(pair.difference.count > 0 ? " (+" : " (")
    text.append(duration: pair.difference)
    text.append(")")
  }

  private func appendVerdict(to text: inout TextBuffer) {
    text.append(comparison.isSame ? "same: " : "different: ")
    text.append("\(comparison.count(.same)) frames agree in bytes")
    let parts: [(TraceComparison.Kind, String)] = [
      (.changed, "changed"), (.onlyFirst, "only in \(firstName)"),
      (.onlySecond, "only in \(secondName)"),
    ]
    for (kind, words) in parts where comparison.count(kind) > 0 {
      text.append(", \(comparison.count(kind)) \(words)")
    }
    if let tolerance {
      text.append("; times of \(comparison.timedPairs) compared, ")
      text.append("\(comparison.timeDifferences) differ by more than ")
      text.append(duration: tolerance)
    }
    text.append(ascii: 0x0A)
    if !comparison.isShortest {
      text.append("the traces differ in so many frames that a better alignment may exist\n")
    }
  }

  /// The report as JSON, one object a line: each difference, then a summary.
  public func appendJSON(to json: inout JSONLineWriter) {
    for entry in comparison.entries where !entry.isSame {
      json.beginObject()
      json.member("kind", entry.kind == .same ? "time" : entry.kind.rawValue)
      if let first = entry.first {
        append("first", number: first, comparison.firstFrames[first], to: &json)
      }
      if let second = entry.second {
        append("second", number: second, comparison.secondFrames[second], to: &json)
      }
      append("interval", entry.interval, to: &json)
      append("length", entry.length, to: &json)
      json.endObject()
      json.endLine()
    }
    json.beginObject()
    json.member("kind", "summary")
    json.member("same", comparison.isSame)
    json.member("agreed", comparison.count(.same))
    json.member("changed", comparison.count(.changed))
    json.member("only_first", comparison.count(.onlyFirst))
    json.member("only_second", comparison.count(.onlySecond))
    json.member("times_compared", comparison.timedPairs)
    json.member("times_differing", comparison.timeDifferences)
    json.member("tolerance_ns", tolerance?.count)
    json.member("shortest_alignment", comparison.isShortest)
    json.endObject()
    json.endLine()
  }

  private func append(
    _ key: String, number: Int, _ frame: FrameRecord, to json: inout JSONLineWriter
  ) {
    json.beginObject(key)
    json.member("frame", number + 1)
    json.member("sender", String(UnicodeScalar(frame.sender.letter)))
    if let mark = frame.mark {
      json.member("mark", mark)
    } else {
      json.member("bytes", hex: frame.bytes)
    }
    json.member("start_ns", frame.start?.count)
    json.endObject()
  }

  private func append(
    _ key: String, _ pair: TraceComparison.TimePair?, to json: inout JSONLineWriter
  ) {
    guard let pair else { return }
    json.beginObject(key)
    json.member("first_ns", pair.first.count)
    json.member("second_ns", pair.second.count)
    json.endObject()
  }
}
