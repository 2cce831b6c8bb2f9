/// What must be remembered of blocks to tell a repeated one from a new one.
struct BlockHistory: Sendable {
  /// The last I-block of the reader: its PCB, length and sum, if it was not yet answered.
  var readerBlock: Fingerprint?
  /// The last I-block of the card.
  var cardBlock: Fingerprint?
  /// True if the reader has sent a new I-block since the card's last one.
  var hasNewCommand = true

  /// Enough of a block to recognise it.
  struct Fingerprint: Hashable, Sendable {
    var controlByte: UInt8
    var count: Int
    var sum: UInt32

    init(_ bytes: [UInt8], end: Int) {
      controlByte = bytes[0]
      count = end
      var sum: UInt32 = 0
      var index = 1
      while index < end {
        sum = (sum &* 31) &+ UInt32(bytes[index])
        index += 1
      }
      self.sum = sum
    }
  }
}

extension RadioInterpreter {
  /// Reads a block of ISO/IEC 14443-4, or `nil` if this is none.
  ///
  /// R- and S-blocks are told by their length. I-blocks outside an activation that was seen are
  /// taken only with PCB 02, 03, 0A or 0B, since others are commands of Type 2 tags as well; no
  /// block is taken there of a card that is known to speak none, or after a command of Type 2.
  mutating func block(_ bytes: [UInt8], end: Int, _ direction: Direction) -> RadioMeaning? {
    guard end >= 1, end < bytes.count || isISODEPActive else { return nil }
    if !isISODEPActive {
      if hasSeenMemoryCommand { return nil }
      if let sak, sak & 0x20 == 0 { return nil }
      if direction == .inbound, !lastCommand.mayPrecedeBlock { return nil }
    }
    let pcb = bytes[0]
    guard let type = BlockType(pcb: pcb) else { return nil }
    let hasCID = pcb & BlockType.cidFollows != 0
    let header = hasCID ? 2 : 1
    guard header <= end else { return nil }
    switch type {
    case .information:
      return informationBlock(bytes, header: header, end: end, direction)
    case .acknowledge, .negativeAcknowledge:
      guard end == header else { return nil }
      return receiptBlock(pcb, isNegative: type == .negativeAcknowledge, end: end, direction)
    case .waitingTimeExtension:
      guard end == header + 1 else { return nil }
      return RadioMeaning(
        .waitingTimeExtension, UInt16(bytes[header] & 0x3F), content: header..<end)
    case .deselect:
      guard end == header else { return nil }
      if direction == .inbound { isISODEPActive = false }
      return RadioMeaning(.deselect, content: end..<end)
    case .parameters:
      guard isISODEPActive else { return nil }
      return RadioMeaning(.parametersBlock, content: header..<end)
    }
  }

  private mutating func informationBlock(
    _ bytes: [UInt8], header: Int, end: Int, _ direction: Direction
  ) -> RadioMeaning? {
    let pcb = bytes[0]
    guard isISODEPActive || pcb & 0xF6 == 0x02 else { return nil }
    let start = header + (pcb & BlockType.nadFollows != 0 ? 1 : 0)
    guard start <= end else { return nil }
    var meaning = RadioMeaning(
      .informationBlock, UInt16(pcb & 1), pcb & BlockType.chaining != 0 ? 1 : 0,
      content: start..<end)
    let fingerprint = BlockHistory.Fingerprint(bytes, end: end)
    switch direction {
    case .outbound:
      meaning.isRetransmission = blocks.readerBlock == fingerprint
      blocks.readerBlock = fingerprint
      if !meaning.isRetransmission { blocks.hasNewCommand = true }
    case .inbound:
      meaning.isRetransmission = !blocks.hasNewCommand && blocks.cardBlock == fingerprint
      blocks.cardBlock = fingerprint
      blocks.readerBlock = nil
      blocks.hasNewCommand = false
    }
    return meaning
  }

  private mutating func receiptBlock(
    _ pcb: UInt8, isNegative: Bool, end: Int, _ direction: Direction
  ) -> RadioMeaning {
    if direction == .inbound {
      // R(ACK) with the number of the reader's block takes it; with the other it asks again.
      if let sent = blocks.readerBlock, (sent.controlByte ^ pcb) & 1 == 0 {
        blocks.readerBlock = nil
      }
    } else if !isNegative {
      // R(ACK) with the other number than the card's block asks for the next piece of a chain.
      if let sent = blocks.cardBlock, (sent.controlByte ^ pcb) & 1 == 1 {
        blocks.hasNewCommand = true
      }
    }
    return RadioMeaning(
      isNegative ? .negativeAcknowledgeBlock : .acknowledgeBlock, UInt16(pcb & 1),
      content: end..<end)
  }
}

extension RadioMeaning.Kind {
  /// True if a card may answer with an I-block after a frame of this kind.
  var mayPrecedeBlock: Bool {
    switch self {
    case .unknown, .empty, .encrypted, .informationBlock, .acknowledgeBlock,
      .negativeAcknowledgeBlock, .waitingTimeExtension, .deselect, .parametersBlock:
      true
    default: false
    }
  }
}
