import NFCProtocols
import NFCTrace
import PN53x

/// The self-test of one reader as text, as JSON lines and as a trace to send in.
struct SelfTestReport {
  let reader: ReaderIdentity
  let comparison: SelfTestComparison

  // MARK: Text

  var text: String {
    let rows = comparison.rows.map { row in
      [
        row.step.name, row.verdict.rawValue, Self.pair(row.chipTimes, row.modelTimes, \.total),
        row.verdict == .different ? "\(row.chip)   model: \(row.model)" : row.chip,
      ]
    }
    let widths = (0..<3).map { column in rows.map(\.[column].count).max() ?? 0 }
    let head = "\(reader.name ?? "reader") at \(reader.address ?? "-")\n"
    let lines = rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return "  " + cells.joined(separator: "   ") + "   " + row[3] + "\n"
    }
    return head + lines.joined() + summary + "\n"
  }

  /// How the chip did in one line.
  var summary: String {
    let different = comparison.differences
    let noted = comparison.rows.count { $0.verdict == .noted }
    var text = "\(comparison.compared - different) of \(comparison.compared) answers as the model's"
    text += ", \(noted) depend on the board or the field"
    if let ratio = comparison.timeRatio {
      text += ", times \(ratio / 100).\(ratio / 10 % 10)\(ratio % 10) x the model's"
    }
    return text
  }

  /// `1.35 / 1.34 ms`.
  private static func pair(
    _ chip: SelfTestComparison.Times?, _ model: SelfTestComparison.Times?,
    _ part: (SelfTestComparison.Times) -> Nanoseconds
  ) -> String {
    guard let chip else { return "" }
    let expected = model.map { "(model \(milliseconds(part($0))))" } ?? ""
    return "\(milliseconds(part(chip))) ms \(expected)"
  }

  private static func milliseconds(_ time: Nanoseconds) -> String {
    var text = TextBuffer(capacity: 16)
    let hundredths = (time.count + 5_000) / 10_000
    text.append(decimal: hundredths / 100)
    text.append(ascii: 0x2E)
    text.append(decimal: hundredths % 100, width: 2, pad: 0x30)
    return text.string
  }

  // MARK: Evidence

  /// All transfers, and behind them one line a step.
  func trace(_ transfers: [TraceEvent], madeBy: String) throws(TraceError) -> [UInt8] {
    var encoder = TextTraceEncoder()
    var bytes: [UInt8] = []
    try encoder.begin(
      TraceHeader(
        reader: reader, role: .reader,
        clock: TraceClock(tickUnit: nil, origin: "monotonic"), madeBy: madeBy), into: &bytes)
    for event in transfers { try encoder.encode(event, into: &bytes) }
    let end = transfers.last.map { $0.end ?? $0.start } ?? .zero
    for row in comparison.rows {
      try encoder.encode(
        TraceEvent(start: max(end, transfers.last?.start ?? end), .application(nil, line(row))),
        into: &bytes)
    }
    try encoder.encode(
      TraceEvent(start: end, .application(nil, "selftest: " + summary)), into: &bytes)
    try encoder.finish(TraceEnding(isComplete: true), into: &bytes)
    return bytes
  }

  private func line(_ row: SelfTestComparison.Row) -> String {
    var text = "selftest \(row.step.name): \(row.verdict.rawValue), \(row.chip)"
    if row.verdict == .different { text += "; model: \(row.model)" }
    for (name, times) in [("chip", row.chipTimes), ("model", row.modelTimes)] {
      guard let times else { continue }
      let first = times.acknowledgement.map { "\($0.count)" } ?? "-"
      text += "; \(name) ack \(first) answer \(times.answer.count) total \(times.total.count) ns"
    }
    return text
  }

  /// One JSON object for the reader, then one a step.
  var jsonLines: [UInt8] {
    var json = JSONLineWriter()
    json.beginObject()
    json.member("reader", reader.name)
    json.member("address", reader.address)
    json.member("compared", comparison.compared)
    json.member("different", comparison.differences)
    json.endObject()
    json.endLine()
    var bytes = json.buffer.bytes
    for row in comparison.rows {
      var json = JSONLineWriter()
      json.beginObject()
      json.member("step", row.step.name)
      json.member("verdict", row.verdict.rawValue)
      json.member("depends_on", row.step.dependence.rawValue)
      json.member("chip", row.chip)
      json.member("model", row.model)
      write(row.chipTimes, "chip", into: &json)
      write(row.modelTimes, "model", into: &json)
      json.endObject()
      json.endLine()
      bytes += json.buffer.bytes
    }
    return bytes
  }

  private func write(
    _ times: SelfTestComparison.Times?, _ name: String, into json: inout JSONLineWriter
  ) {
    json.member("\(name)_ack_ns", times?.acknowledgement?.count)
    json.member("\(name)_answer_ns", times?.answer.count)
    json.member("\(name)_total_ns", times?.total.count)
  }
}
