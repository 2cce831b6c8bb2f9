import NFCProtocols

/// The table of limits and their use: one row an exchange, the nearest to its limit marked.
public struct LimitTable: Sendable {
  private let rows: [Row]

  private struct Row: Sendable {
    var use: LimitUse
    var name: String
    var isDeselect: Bool
  }

  /// Makes a table; of several limits within one exchange the one with the least margin counts.
  ///
  /// Limits below matching have rows of their own: `activation`, and `deselect` for one that comes
  /// after an exchange.
  /// - Parameters:
  ///   - uses: The limits of a run.
  ///   - name: The name of an exchange by its index.
  public init(_ uses: [LimitUse], name: (Int) -> String) {
    var rows: [Row] = []
    var place: [Int: Int] = [:]
    var lastExchange = 0
    for use in uses {
      let isDeselect =
        use.exchange == 0 && use.limit.kind == .activation && lastExchange != 0
      let key = isDeselect ? Self.deselectKey : use.exchange
      lastExchange = isDeselect ? lastExchange : use.exchange
      if let index = place[key] {
        if Self.isTighter(use, than: rows[index].use) { rows[index].use = use }
      } else {
        place[key] = rows.count
        let title =
          isDeselect ? "deselect" : use.exchange > 0 ? name(use.exchange - 1) : "activation"
        rows.append(Row(use: use, name: title, isDeselect: isDeselect))
      }
    }
    self.rows = rows
  }

  private static let deselectKey = -1

  /// True if there is nothing to show.
  public var isEmpty: Bool { rows.isEmpty }

  /// The row nearest to its limit; fixed frame delays are none that one could come near to.
  public var nearest: LimitUse? { nearestIndex.map { rows[$0].use } }

  private var nearestIndex: Int? {
    rows.indices.filter { rows[$0].use.margin != nil && !rows[$0].use.limit.isExactTime }
      .min { Self.isTighter(rows[$0].use, than: rows[$1].use) }
  }

  /// Less of the limit is left: compared by the used share, so that short limits count too.
  ///
  /// A fixed frame delay comes behind every real limit.
  private static func isTighter(_ left: LimitUse, than right: LimitUse) -> Bool {
    if left.limit.isExactTime != right.limit.isExactTime { return right.limit.isExactTime }
    guard let leftUsed = left.used, let rightUsed = right.used else { return left.used == nil }
    let first = leftUsed.count.multipliedFullWidth(by: max(1, right.limit.duration.count))
    let second = rightUsed.count.multipliedFullWidth(by: max(1, left.limit.duration.count))
    return (first.high, first.low) > (second.high, second.low)
  }

  /// The table as lines; at most `maximumRows` rows, those nearest to their limits.
  public func text(maximumRows: Int = .max) -> String {
    guard !rows.isEmpty else { return "" }
    var shown = Array(rows.indices)
    if shown.count > maximumRows {
      shown = shown.sorted { Self.isTighter(rows[$0].use, than: rows[$1].use) }
        .prefix(maximumRows).sorted()
    }
    let nameWidth = min(32, max(8, shown.map { rows[$0].name.count }.max() ?? 8))
    var text = "     #  " + Self.padded("exchange", nameWidth)
    text += "  limit                   used       margin\n"
    for index in shown { text += line(index, nameWidth) }
    if shown.count < rows.count { text += "        … \(rows.count - shown.count) more\n" }
    return text
  }

  private func line(_ index: Int, _ nameWidth: Int) -> String {
    let use = rows[index].use
    let number = rows[index].isDeselect ? "" : String(use.exchange)
    var text = String(repeating: " ", count: max(0, 6 - number.count)) + number + "  "
    text += Self.padded(String(rows[index].name.prefix(32)), nameWidth) + "  "
    text += Self.padded(
      DurationText.rounded(use.limit.duration) + " (\(use.limit.kind.logName))", 22)
    let used = use.used.map { DurationText.rounded($0) } ?? "no answer"
    text += "  " + Self.padded(used, 9)
    text += "  " + (use.margin.map { DurationText.rounded($0) } ?? "")
    if index == nearestIndex { text += "   ← nearest" }
    while text.hasSuffix(" ") { text.removeLast() }
    return text + "\n"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
