import NFCProtocols

/// The rules on frames on the air: what a frame is follows from those before it.
struct RadioLint {
  private var state = CardState.idle
  private var lastReader: LintFrame?
  private var lastKind = ReaderFrameKind.other
  private var lastCard: LintFrame?
  private var lastRequest: LintFrame?
  private var session: BlockSession?
  private var offeredB: ATQB?
  private var delays = DelayLint()

  /// What the exchange has come to.
  private enum CardState {
    case idle
    /// An AUTH command of MIFARE Classic has gone out; the answer may be a nonce.
    case authenticating
    /// Crypto1 is on: bytes, parity and CRC are encrypted.
    case encrypted
    /// A Type 1 tag, whose frames have a form of their own.
    case typeOne
  }

  mutating func fieldChanged() {
    reset()
    lastReader = nil
    lastCard = nil
    lastRequest = nil
  }

  private mutating func reset() {
    state = .idle
    session = nil
  }

  mutating func finish(into findings: inout [LintFinding]) { delays.finish(into: &findings) }

  mutating func check(_ seen: LintFrame, into findings: inout [LintFinding]) {
    guard !seen.frame.isCollision, !seen.frame.isTruncated, !seen.frame.bytes.isEmpty else {
      // An exchange with a damaged record says nothing certain.
      session?.blocks.lost()
      if seen.direction == .outbound { lastReader = nil } else { lastCard = nil }
      return
    }
    if seen.direction == .outbound {
      checkReader(seen, into: &findings)
    } else {
      checkCard(seen, into: &findings)
    }
  }

  // MARK: Reader

  private mutating func checkReader(_ seen: LintFrame, into findings: inout [LintFinding]) {
    let kind = ReaderFrameKind(seen, inSession: session != nil)
    if kind == .request {
      reset()
      guardRequests(seen, into: &findings)
    }
    let isPlain = isPlain(seen)
    var isSound = true
    if isPlain {
      if let fault = FrameChecks.parity(seen) { findings.append(fault) }
      if kind == .select, let fault = FrameChecks.bcc(seen.frame.bytes[2...].prefix(5), seen) {
        findings.append(fault)
      }
      if kind.carriesCRC, carriesCRC(seen), let fault = FrameChecks.crc(seen) {
        findings.append(fault)
        isSound = false
      }
    }
    if let card = lastCard, isSlowTypeA(seen), let fault = delays.next(seen, after: card) {
      findings.append(fault)
    }
    if let fault = session?.guardTime(seen, after: lastCard) { findings.append(fault) }
    if isSound {
      take(seen, kind, isPlain: isPlain, into: &findings)
    } else {
      session?.blocks.lost()
    }
    lastReader = seen
    lastKind = kind
    lastCard = nil
  }

  private mutating func take(
    _ seen: LintFrame, _ kind: ReaderFrameKind, isPlain: Bool, into findings: inout [LintFinding]
  ) {
    switch kind {
    case .authenticate where isPlain:
      state = .authenticating
    case .block:
      guard let block = try? Block(seen.frame.content(assuming: seen.technology)) else {
        session?.blocks.lost()
        return
      }
      for fault in session?.reader(block) ?? [] {
        findings.append(seen.finding(fault.rule, fault.message, fault.source))
      }
    default:
      break
    }
  }

  private mutating func guardRequests(_ seen: LintFrame, into findings: inout [LintFinding]) {
    defer { lastRequest = seen }
    guard seen.technology == .a, let earlier = lastRequest?.start, let start = seen.start,
      lastReader?.event == lastRequest?.event, lastCard == nil,
      let gap = LintFrame.distance(from: earlier, to: start)
    else { return }
    let tolerance = seen.tolerance + (lastRequest?.tolerance ?? 0)
    let early = ProtocolTiming.requestGuard.count - gap
    guard gap >= 0, early > tolerance + DelayLint.slack, tolerance <= DelayLint.coarsest
    else { return }
    findings.append(
      seen.finding(
        .requestGuard,
        "request \(LintText.duration(early)) before the request guard time (7000/fc) is over",
        "14443-3, 6.2.2"))
  }

  // MARK: Card

  private mutating func checkCard(_ seen: LintFrame, into findings: inout [LintFinding]) {
    defer { lastCard = seen }
    // Without the command in front of it nothing is known of an answer.
    guard let reader = lastReader, lastCard == nil else { return }
    let isPlain = isPlain(seen) && state != .authenticating
    var isSound = true
    if isPlain {
      if let fault = FrameChecks.parity(seen) { findings.append(fault) }
      if lastKind == .anticollision(isWhole: true), seen.technology == .a,
        let fault = FrameChecks.bcc(seen.frame.bytes[...], seen)
      {
        findings.append(fault)
      }
      if answerCarriesCRC(seen), let fault = FrameChecks.crc(seen) {
        findings.append(fault)
        isSound = false
      }
    }
    if isSlowTypeA(seen), isSlowTypeA(reader) {
      delays.answer(
        seen, to: reader, isSynchronous: lastKind.isSynchronous, isEncrypted: !isPlain,
        into: &findings)
    }
    if let fault = session?.waitingTime(seen, after: reader) { findings.append(fault) }
    if isSound { takeAnswer(seen, reader, into: &findings) } else { session?.blocks.lost() }
  }

  private mutating func takeAnswer(
    _ seen: LintFrame, _ reader: LintFrame, into findings: inout [LintFinding]
  ) {
    let content = seen.frame.content(assuming: seen.technology)
    switch lastKind {
    case .request where seen.technology == .a:
      if content.count == 2, content.first.map({ $0 & 0x1F }) == 0 { state = .typeOne }
    case .request:
      if seen.technology == .b, let answer = try? ATQB(content) { offeredB = answer }
    case .authenticate where state == .authenticating:
      state = seen.frame.bitCount == 32 ? .encrypted : .idle
    case .rats:
      guard let ats = try? ATS(content) else { return }
      let opened = BlockSession(ats)
      if let fault = BlockSession.activation("ATS", seen, after: reader) { findings.append(fault) }
      session = opened
    case .attrib:
      guard seen.technology == .b, (try? AttribAnswer(content)) != nil else { return }
      session = BlockSession(offeredB)
    case .block:
      guard let block = try? Block(content) else {
        session?.blocks.lost()
        return
      }
      for fault in session?.card(block) ?? [] {
        findings.append(seen.finding(fault.rule, fault.message, fault.source))
      }
      if case .deselect = block.kind { session = nil }
    case .pps:
      if let fault = BlockSession.activation("PPS answer", seen, after: reader) {
        findings.append(fault)
      }
    default:
      break
    }
  }

  // MARK: What a frame can be judged by

  private func isPlain(_ seen: LintFrame) -> Bool {
    state != .encrypted && state != .typeOne && !seen.frame.isEncrypted
  }

  private func carriesCRC(_ seen: LintFrame) -> Bool {
    guard seen.frame.lastByteBits == 8, seen.frame.bytes.count > CRC16.byteCount else {
      return false
    }
    return seen.frame.crc != .absent && seen.frame.crc != .notCaptured
  }

  private func answerCarriesCRC(_ seen: LintFrame) -> Bool {
    guard carriesCRC(seen) else { return false }
    guard seen.technology == .a else { return true }
    switch lastKind {
    case .request, .anticollision: return false
    default: return true
    }
  }

  private func isSlowTypeA(_ seen: LintFrame) -> Bool {
    seen.technology == .a && (seen.frame.kilobitsPerSecond ?? 106) == 106
      && session?.isFast != true
  }
}
