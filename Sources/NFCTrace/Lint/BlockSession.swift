import NFCProtocols

/// One activation of the block protocol: its blocks and its limits of time.
struct BlockSession {
  var blocks = BlockLint()
  /// True once PPS has chosen a higher bit rate.
  private(set) var isFast = false
  private let waiting: FrameWaitingTime?
  private let guardTime: StartUpFrameGuardTime
  private var isFirst = true
  private var limit: Limit?

  /// What the answer that is due must keep to.
  private enum Limit {
    case waitingTime
    case extended(UInt8)
    case deselect
  }

  init(_ ats: ATS) {
    waiting = ats.frameWaitingTime
    guardTime = ats.startUpFrameGuardTime
  }

  init(_ atqb: ATQB?) {
    waiting = atqb?.frameWaitingTime
    guardTime = atqb?.startUpFrameGuardTime ?? StartUpFrameGuardTime(integer: 0)
  }

  mutating func reader(_ block: Block) -> [LintFault] {
    let faults = blocks.reader(block)
    switch block.kind {
    case .deselect: limit = .deselect
    case .waitingTimeExtension(let multiplier, _): limit = .extended(multiplier)
    default: limit = .waitingTime
    }
    return faults
  }

  mutating func card(_ block: Block) -> [LintFault] {
    limit = nil
    return blocks.card(block)
  }

  /// The reader's first frame after the ATS or the answer to ATTRIB.
  mutating func guardTime(_ reader: LintFrame, after card: LintFrame?) -> LintFinding? {
    guard isFirst else { return nil }
    isFirst = false
    if reader.technology == .a, let pps = try? PPS(reader.frame.content(assuming: .a)) {
      isFast = pps.divisors.map { $0.cardToReader + $0.readerToCard > 0 } ?? false
    }
    guard let card, guardTime.integer > 0, let gap = reader.gap(after: card) else { return nil }
    let early = guardTime.duration.count - gap
    guard early > reader.tolerance + card.tolerance + DelayLint.slack else { return nil }
    return reader.finding(
      .startUpGuard,
      "reader sent \(LintText.duration(early)) before the start-up frame guard time is over "
        + "(SFGI \(guardTime.integer), \(LintText.duration(guardTime.duration.count)))",
      "14443-4, 5.2.5")
  }

  /// The answer of the card to a block.
  func waitingTime(_ card: LintFrame, after reader: LintFrame) -> LintFinding? {
    switch limit {
    case nil: return nil
    case .deselect:
      return Self.activation("answer to S(DESELECT)", card, after: reader, "14443-4, 8.1")
    case .waitingTime, .extended: break
    }
    guard let waiting, let gap = card.gap(after: reader) else { return nil }
    var allowed = waiting.duration
    var words = "FWI \(waiting.integer)"
    if case .extended(let multiplier) = limit {
      allowed = waiting.extended(by: multiplier)
      words += ", WTXM \(multiplier)"
    }
    let late = gap - allowed.count
    guard late > card.tolerance + reader.tolerance + DelayLint.slack else { return nil }
    return card.finding(
      .waitingTime,
      "card answered \(LintText.duration(late)) after the end of its frame waiting time "
        + "(\(words): \(LintText.duration(allowed.count)))",
      "14443-4, 7.2")
  }

  /// An answer with the fixed limit of activation.
  static func activation(
    _ name: String, _ card: LintFrame, after reader: LintFrame, _ source: String = "14443-4, 5.7"
  ) -> LintFinding? {
    guard let gap = card.gap(after: reader) else { return nil }
    let late = gap - ProtocolTiming.activation.count
    guard late > card.tolerance + reader.tolerance + DelayLint.slack else { return nil }
    return card.finding(
      .activationTime,
      "\(name) came \(LintText.duration(late)) after the activation waiting time (65536/fc)",
      source)
  }
}
