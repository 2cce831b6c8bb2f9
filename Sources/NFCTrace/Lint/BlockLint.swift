import NFCProtocols

/// The rules of the block protocol between one reader and one card.
///
/// A trace may lack blocks that its recorder missed. A number is therefore judged only where the
/// block before it was answered, and a fault is told once: the rules go on from what was sent.
struct BlockLint {
  /// The number that the reader's next I-block or R(ACK) must have.
  private var due: BlockNumber = .zero
  /// The number of the reader's last block that has one.
  private var sent: BlockNumber?
  private var lastReaderBlock: Block?
  private var lastCardBlock: Block?
  private var isAnswered = true
  private var commandBytes: [UInt8] = []
  private var answerBytes: [UInt8] = []
  private var apdus = APDULint()

  /// The longest APDU that is put together: extended Lc and Le (ISO/IEC 7816-4 5.1).
  private static let longestAPDU = 65_545

  /// The waiting time multiplier that the reader has just granted, or `nil`.
  private(set) var granted: UInt8?

  /// A frame of either side could not be read: numbers are not judged until both sides agree again.
  mutating func lost() {
    isAnswered = false
    granted = nil
  }

  mutating func reader(_ block: Block) -> [LintFault] {
    var faults: [LintFault] = []
    granted = nil
    switch block.kind {
    case .information(let number, let isChaining, let content):
      faults += judge(number, "I-block")
      if block != lastReaderBlock || isAnswered { command(content, isChaining, &faults) }
      sent = number
    case .acknowledge(let number):
      faults += judge(number, "R(ACK)")
      sent = number
    case .negativeAcknowledge(let number):
      sent = number
    case .waitingTimeExtension(let multiplier, _):
      granted = multiplier
      if case .waitingTimeExtension(let asked, _)? = lastCardBlock?.kind, asked != multiplier {
        faults.append(
          LintFault(
            .waitingTimeMultiplier,
            "reader answered S(WTX) with WTXM \(multiplier), the card asked for \(asked)",
            "14443-4, 7.3"))
      }
    case .deselect, .parameters:
      break
    }
    lastReaderBlock = block
    isAnswered = false
    return faults
  }

  private mutating func judge(_ number: BlockNumber, _ name: String) -> [LintFault] {
    defer { due = number }
    guard isAnswered, number != due else { return [] }
    return [
      LintFault(
        .blockNumber,
        "reader sent \(name) number \(number.rawValue) where \(due.rawValue) is due",
        "14443-4, 7.5.3")
    ]
  }

  mutating func card(_ block: Block) -> [LintFault] {
    var faults: [LintFault] = []
    granted = nil
    switch block.kind {
    case .information(let number, let isChaining, let content):
      faults += judgeAnswer(number, "I-block")
      if block != lastCardBlock || lastReaderBlock?.isRepeatRequest != true {
        answer(content, isChaining, &faults)
      }
      toggle(after: number)
    case .acknowledge(let number):
      // The answer to R(NAK) carries the card's own number, which may be either.
      if lastReaderBlock?.isRepeatRequest != true {
        faults += judgeAnswer(number, "R(ACK)")
      }
      toggle(after: number)
    case .waitingTimeExtension(let multiplier, _):
      if !Block.legalMultipliers.contains(multiplier) {
        faults.append(
          LintFault(
            .waitingTimeMultiplier,
            "card asked for S(WTX) with WTXM \(multiplier), 1 to 59 are allowed",
            "14443-4, 7.3"))
      }
    case .negativeAcknowledge, .deselect, .parameters:
      break
    }
    lastCardBlock = block
    isAnswered = true
    return faults
  }

  private func judgeAnswer(_ number: BlockNumber, _ name: String) -> [LintFault] {
    guard let sent, number != sent, !isAnswered else { return [] }
    return [
      LintFault(
        .blockNumber,
        "card answered with \(name) number \(number.rawValue), the reader's block has "
          + "\(sent.rawValue)",
        "14443-4, 7.5.3")
    ]
  }

  private mutating func toggle(after number: BlockNumber) {
    if number == sent { due = number.toggled }
  }

  private mutating func command(
    _ content: [UInt8], _ isChaining: Bool, _ faults: inout [LintFault]
  ) {
    answerBytes.removeAll(keepingCapacity: true)
    commandBytes += content.prefix(Self.longestAPDU - min(commandBytes.count, Self.longestAPDU))
    guard !isChaining else { return }
    if let fault = apdus.check(.outbound, commandBytes[...]) { faults.append(fault) }
    commandBytes.removeAll(keepingCapacity: true)
  }

  private mutating func answer(
    _ content: [UInt8], _ isChaining: Bool, _ faults: inout [LintFault]
  ) {
    commandBytes.removeAll(keepingCapacity: true)
    answerBytes += content.prefix(Self.longestAPDU - min(answerBytes.count, Self.longestAPDU))
    guard !isChaining else { return }
    if let fault = apdus.check(.inbound, answerBytes[...]) { faults.append(fault) }
    answerBytes.removeAll(keepingCapacity: true)
  }
}

extension Block {
  fileprivate var isRepeatRequest: Bool {
    if case .negativeAcknowledge = kind { return true }
    return false
  }
}
