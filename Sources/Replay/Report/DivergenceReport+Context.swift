import NFCProtocols

/// What stands around a divergence.
extension DivergenceReport {
  func appendAgreed(to buffer: inout TextBuffer) {
    let shown = outcome.agreed.filter { $0 + 1 != divergence.exchange }.suffix(Self.agreedShown)
    buffer.append(shown.isEmpty ? "  agreed before: nothing\n" : "  agreed before:\n")
    for index in shown { appendExchange(index, to: &buffer) }
  }

  func appendExpected(to buffer: inout TextBuffer) {
    let entries = outcome.script.entries
    let first = divergence.kind == .unexpected ? divergence.exchange - 1 : divergence.exchange
    let shown = entries.indices.dropFirst(max(0, first)).prefix(Self.expectedShown)
    buffer.append(
      shown.isEmpty ? "  next expected: nothing, the trace ends here\n" : "  next expected:\n")
    for index in shown { appendExchange(index, to: &buffer) }
  }

  private func appendExchange(_ index: Int, to buffer: inout TextBuffer) {
    let entry = outcome.script.entries[index]
    buffer.append("    ")
    buffer.append(decimal: Int64(index + 1), width: 4)
    buffer.append("  ")
    buffer.append(Self.hex(entry.command, count: 16))
    buffer.append(" → ")
    let answers = entry.answers.map(\.frame).filter { !$0.bytes.isEmpty }
    if answers.isEmpty { buffer.append("silence") }
    for (number, answer) in answers.enumerated() {
      if number > 0 { buffer.append(" · ") }
      buffer.append(Self.hex(answer, count: 12))
    }
    if let words = describe(entry.command, .outbound, index) {
      buffer.append("   ")
      buffer.append(words.title)
    }
    buffer.append(ascii: 0x0A)
  }

  /// The nearest recorded exchange with the same command, or the one that is most alike.
  func appendNearest(to buffer: inout TextBuffer) {
    guard let actual = divergence.actual, divergence.direction == .outbound else { return }
    let entries = outcome.script.entries
    let here = divergence.exchange - 1
    buffer.append("  nearest match: ")
    let same = entries.indices.filter { entries[$0].command.bytes == actual.bytes && $0 != here }
    if let nearest = same.min(by: { abs($0 - here) < abs($1 - here) }) {
      let distance = nearest - here
      buffer.append("exchange \(nearest + 1) has these bytes, ")
      buffer.append(distance < 0 ? "\(-distance) earlier\n" : "\(distance) later\n")
      return
    }
    let alike = entries.indices.filter { entries[$0].command.bytes.count == actual.bytes.count }
      .map { index in (index, Self.distance(entries[index].command.bytes, actual.bytes)) }
    if let best = alike.min(by: { $0.1 < $1.1 }), best.1 * 2 <= actual.bytes.count {
      buffer.append("none; exchange \(best.0 + 1) differs in \(best.1) of ")
      buffer.append("\(actual.bytes.count) bytes\n")
    } else {
      buffer.append("none\n")
    }
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    zip(left, right).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
  }

  func appendAcceptance(to buffer: inout TextBuffer) {
    let acceptance = Acceptance(
      script: outcome.script, policy: outcome.policy, masks: outcome.masks)
    let options = acceptance.options(for: divergence)
    buffer.append("  would be accepted by: ")
    buffer.append(options.isEmpty ? "no mask or policy" : options.joined(separator: " · "))
    buffer.append(ascii: 0x0A)
  }
}
