import NFCProtocols

/// The rules on the least delays of type A at 106 kbit/s.
///
/// Cards answer REQA, WUPA, ANTICOLLISION and SELECT at one instant. Where a recorder sees all of
/// these at the same distance from it, the distance is the recorder's and is taken off; where only
/// one of them lies off, it is told.
struct DelayLint {
  private var offset: Int64?
  private var pending: (delta: Int64, finding: LintFinding)?

  /// What recorders round to, 16 periods of the carrier (one of the subcarrier).
  static let slack = Nanoseconds.carrierCycles(16).count
  /// The largest distance that is taken for a recorder's own: 200 periods of the carrier.
  static let largestOffset = Nanoseconds.carrierCycles(200).count
  /// How late an answer at a fixed instant may be seen: one bit, 128 periods of the carrier.
  static let latest = Nanoseconds.carrierCycles(128).count
  /// Times that are less exact than this say nothing of frame delays.
  static let coarsest: Int64 = 10_000

  mutating func answer(
    _ card: LintFrame, to reader: LintFrame, isSynchronous: Bool, isEncrypted: Bool,
    into findings: inout [LintFinding]
  ) {
    let slack = Self.slack + card.tolerance + reader.tolerance
    guard slack - Self.slack <= Self.coarsest, let gap = card.gap(after: reader) else { return }
    // The last bit of an encrypted frame without recorded parity is not known.
    let isKnown = !isEncrypted || reader.frame.parity != nil
    let nominal = FrameDelayTimeA(lastBitIsOne: isKnown && reader.frame.lastBitOnAir)
    let delta = gap - nominal.duration.count
    if isSynchronous {
      synchronous(delta, slack, nominal, card, into: &findings)
    } else if delta < (offset ?? pending?.delta ?? 0) - slack {
      findings.append(early(delta, nominal, card))
    }
  }

  private mutating func synchronous(
    _ delta: Int64, _ slack: Int64, _ nominal: FrameDelayTimeA, _ card: LintFrame,
    into findings: inout [LintFinding]
  ) {
    if let offset {
      if delta < offset - slack { findings.append(early(delta, nominal, card)) }
      if delta > offset + Self.latest + slack { findings.append(late(delta, nominal, card)) }
      return
    }
    if delta.magnitude <= slack {
      offset = 0
      flush(into: &findings)
    } else if delta < -Self.largestOffset {
      findings.append(early(delta, nominal, card))
    } else if delta > Self.largestOffset {
      findings.append(late(delta, nominal, card))
    } else if let held = pending, (held.delta - delta).magnitude <= slack {
      offset = held.delta
      pending = nil
    } else {
      flush(into: &findings)
      let isLate = delta > Self.latest + slack
      if delta > 0, !isLate {
        offset = delta
      } else {
        pending = (delta, isLate ? late(delta, nominal, card) : early(delta, nominal, card))
      }
    }
  }

  private mutating func flush(into findings: inout [LintFinding]) {
    if let pending { findings.append(pending.finding) }
    pending = nil
  }

  mutating func finish(into findings: inout [LintFinding]) { flush(into: &findings) }

  private func early(
    _ delta: Int64, _ nominal: FrameDelayTimeA, _ card: LintFrame
  ) -> LintFinding {
    card.finding(
      .frameDelay,
      "card answered \(LintText.duration((offset ?? 0) - delta)) before the minimum frame delay "
        + "(\(nominal.carrierCycles)/fc\(remark))",
      "14443-3, 6.2.1.1")
  }

  private func late(
    _ delta: Int64, _ nominal: FrameDelayTimeA, _ card: LintFrame
  ) -> LintFinding {
    card.finding(
      .frameDelay,
      "card answered \(LintText.duration(delta - (offset ?? 0))) after the only instant allowed "
        + "(\(nominal.carrierCycles)/fc\(remark))",
      "14443-3, 6.2.1.1")
  }

  private var remark: String {
    guard let offset, offset.magnitude > UInt64(Self.slack) else { return "" }
    return ", recorder offset \(offset < 0 ? "-" : "+")\(LintText.duration(offset))"
  }

  /// The reader's frame after an answer.
  func next(_ reader: LintFrame, after card: LintFrame) -> LintFinding? {
    let slack = Self.slack + card.tolerance + reader.tolerance
    guard slack - Self.slack <= Self.coarsest, let gap = reader.gap(after: card) else { return nil }
    let early = ProtocolTiming.cardToReaderMinimum.count - gap - Int64((offset ?? 0).magnitude)
    guard early > slack else { return nil }
    return reader.finding(
      .frameDelay,
      "reader sent \(LintText.duration(early)) before the minimum frame delay (1172/fc)",
      "14443-3, 6.2.1.2")
  }
}
