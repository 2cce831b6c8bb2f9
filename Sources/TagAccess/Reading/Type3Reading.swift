import NFCProtocols

/// Reads the message of a Type 3 tag: attribute block, then as many blocks as it allows at once.
struct Type3Reading: TagReading {
  private let idm: IDm
  private let pmm: PMm
  private let systemCode: UInt16?
  private var request = TagRequest(.readCapability, [])
  private var attributes: Type3Attributes?
  private var nextBlock = 0
  private var data: [UInt8] = []

  /// Blocks whose answer fits one frame: 255 bytes less 13 before the data.
  private static let mostBlocksInAFrame = 15

  init(idm: IDm, pmm: PMm, systemCode: UInt16?) {
    self.idm = idm
    self.pmm = pmm
    self.systemCode = systemCode
  }

  /// True if the message can be asked for right away, else the NDEF system is polled first.
  private var isNDEFSystem: Bool { systemCode == FeliCaCommand.ndefSystem }

  mutating func begin() -> TagRequest {
    if isNDEFSystem { return read(.readCapability, count: 1) }
    request = TagRequest(
      .readCapability,
      FeliCaCommand.polling(
        systemCode: FeliCaCommand.ndefSystem, requestCode: 0, timeSlots: 0
      ).bytes, limit: TimeLimit(.frameDelayTime, FeliCaTiming.pollingLimit(slots: 1)))
    return request
  }

  private mutating func read(_ step: TagAccessError.Step, count: Int) -> TagRequest {
    let blocks = (nextBlock..<(nextBlock + count)).map {
      BlockListElement(block: UInt16(truncatingIfNeeded: $0))
    }
    request = TagRequest(
      step, FeliCaCommand.read(idm, services: [.ndefRead], blocks: blocks).bytes,
      limit: TimeLimit(.responseTime, pmm.maximumResponseTime(.read, count: count)))
    return request
  }

  mutating func answered(_ answer: [UInt8]) throws(TagAccessError) -> ReadingMove {
    let response = try request.decoded(answer) {
      (bytes) throws(ProtocolError) in try FeliCaResponse(bytes)
    }
    if case .polling = response, attributes == nil {
      return .request(read(.readCapability, count: 1))
    }
    guard case .read(idm, let status, let content) = response else {
      throw request.error(.unexpectedAnswer(answer, expected: "an answer to Read"))
    }
    guard status.isSuccess else { throw request.error(.refusedByTag(status.flag2)) }
    if attributes == nil { return try begun(content) }
    data.append(contentsOf: content)
    return next()
  }

  private mutating func begun(_ content: [UInt8]) throws(TagAccessError) -> ReadingMove {
    let block = try request.decoded(content) {
      (bytes) throws(ProtocolError) in try Type3Attributes(bytes)
    }
    guard block.messageLength <= Int(block.blockCount) * FeliCaCommand.blockSize else {
      throw request.error(
        .malformed(
          .badLength(
            element: "attribute block", offset: 11, found: block.messageLength,
            expected: 0...(Int(block.blockCount) * FeliCaCommand.blockSize)), content))
    }
    attributes = block
    nextBlock = 1
    return next()
  }

  private mutating func next() -> ReadingMove {
    guard let attributes else { preconditionFailure("data was read before the attribute block") }
    let missing = attributes.messageLength - data.count
    if missing <= 0 { return .done(Array(data.prefix(attributes.messageLength))) }
    let blocks = (missing + FeliCaCommand.blockSize - 1) / FeliCaCommand.blockSize
    let most = min(max(Int(attributes.maximumReadBlocks), 1), Self.mostBlocksInAFrame)
    let count = min(blocks, most)
    let move = ReadingMove.request(read(.readMessage, count: count))
    nextBlock += count
    return move
  }
}
