import NFCProtocols

/// Reads the message of a Type 2 tag: capability container at page 3, then the data area.
///
/// Four pages come with each READ; reading stops as soon as the first NDEF TLV is complete. Tags
/// of more than one sector and reserved areas inside the data area are not supported.
struct Type2Reading: TagReading {
  /// The page of the capability container (NFC Forum T2T 1.2, 2.1).
  private static let capabilityPage = 3
  /// The last page that READ can name without SECTOR SELECT.
  private static let lastPage = 255

  private let limit: TimeLimit
  private var request = TagRequest(.readCapability, [])
  private var nextPage = Self.capabilityPage
  private var dataAreaSize = 0
  private var data: [UInt8] = []

  init(limit: Nanoseconds) { self.limit = TimeLimit(.responseTime, limit) }

  mutating func begin() -> TagRequest { read(.readCapability) }

  private mutating func read(_ step: TagAccessError.Step) -> TagRequest {
    request = TagRequest(
      step, Type2Command.read(page: UInt8(truncatingIfNeeded: nextPage)).bytes, limit: limit)
    return request
  }

  mutating func answered(_ answer: [UInt8]) throws(TagAccessError) -> ReadingMove {
    guard answer.count == Type2Command.readSize else {
      throw request.error(.unexpectedAnswer(answer, expected: "16 bytes"))
    }
    var content = answer
    if nextPage == Self.capabilityPage {
      guard answer[0] == Type2Capability.magic else { return .done(nil) }
      let container = try request.decoded(Array(answer[0..<4])) {
        (bytes) throws(ProtocolError) in try Type2Capability(bytes)
      }
      guard container.isReadable else {
        throw request.error(.unsupported("the capability container forbids reading"))
      }
      dataAreaSize = container.dataAreaSize
      content.removeFirst(Type2Command.pageSize)
    }
    nextPage += Type2Command.readSize / Type2Command.pageSize
    data.append(contentsOf: content.prefix(dataAreaSize - data.count))
    let isComplete = data.count >= dataAreaSize
    let move = try request.decoded(data) { (data) throws(ProtocolError) in
      try data.firstMessage(isComplete: isComplete)
    }
    if let move { return move }
    guard nextPage <= Self.lastPage else {
      throw request.error(.unsupported("the message goes beyond the first sector"))
    }
    return .request(read(.readMessage))
  }
}
