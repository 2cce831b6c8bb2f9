import NFCProtocols

/// Reads the message of a Type 5 tag: capability container in block 0, then block after block.
struct Type5Reading: TagReading {
  private let uid: [UInt8]
  private let limit: TimeLimit
  private var request = TagRequest(.readCapability, [])
  private var nextBlock = 0
  private var memory: [UInt8] = []
  private var capability: Type5Capability?

  /// The last block that a one-byte number can name.
  private static let lastBlock = 255

  /// Makes a reading of the tag with this UID, high byte first.
  init(uid: [UInt8], limit: Nanoseconds) {
    self.uid = uid.reversed()
    self.limit = TimeLimit(.frameDelayTime, limit)
  }

  mutating func begin() -> TagRequest { read(.readCapability) }

  private mutating func read(_ step: TagAccessError.Step) -> TagRequest {
    let block = UInt8(truncatingIfNeeded: nextBlock)
    nextBlock += 1
    request = TagRequest(
      step, VicinityRequest(.readSingleBlock(block), uid: uid).bytes, limit: limit)
    return request
  }

  mutating func answered(_ answer: [UInt8]) throws(TagAccessError) -> ReadingMove {
    let response = try request.decoded(answer) {
      (bytes) throws(ProtocolError) in try VicinityResponse(bytes)
    }
    if let error = response.error { throw request.error(.refusedByTag(error.rawValue)) }
    guard !response.data.isEmpty else {
      throw request.error(.unexpectedAnswer(answer, expected: "the bytes of a block"))
    }
    memory.append(contentsOf: response.data)
    if capability == nil {
      guard let first = memory.first, first == 0xE1 || first == 0xE2 else { return .done(nil) }
      // The container has eight bytes where the size in its third byte is 0.
      let length = memory.count > 2 && memory[2] == 0 ? 8 : 4
      guard memory.count >= length else { return try more(.readCapability) }
      let bytes = Array(memory[0..<length])
      let container = try request.decoded(bytes) {
        (bytes) throws(ProtocolError) in try Type5Capability(bytes)
      }
      guard container.isReadable else {
        throw request.error(.unsupported("the capability container forbids reading"))
      }
      capability = container
    }
    guard let capability else { return try more(.readCapability) }
    let area = Array(memory.dropFirst(capability.length).prefix(capability.dataAreaSize))
    let isComplete = area.count >= capability.dataAreaSize
    let move = try request.decoded(area) { (area) throws(ProtocolError) in
      try area.firstMessage(isComplete: isComplete)
    }
    if let move { return move }
    return try more(.readMessage)
  }

  private mutating func more(_ step: TagAccessError.Step) throws(TagAccessError) -> ReadingMove {
    guard nextBlock <= Self.lastBlock else {
      throw request.error(.unsupported("the message goes beyond block 255"))
    }
    return .request(read(step))
  }
}
