import NFCProtocols

/// Reads the message of a Type 4 tag, mapping version 2.0 (NFC Forum T4T 2.0, 5.4).
struct Type4Reading: TagReading {
  /// Bytes of the capability container that hold all that this reader needs.
  private static let capabilityLength = Type4CapabilityFile.minimumLength
  /// The offset that READ BINARY can name has 15 bits.
  private static let largestOffset = 0x7FFF

  private let maximumReadLength: Int
  private var request = TagRequest(.selectApplication, [])
  private var capability: [UInt8] = []
  private var capabilityLength = Self.capabilityLength
  private var file: Type4CapabilityFile.FileControl?
  private var chunk = 0
  private var length: Int?
  private var message: [UInt8] = []
  /// Bytes asked for last.
  private var asked = 0

  init(maximumReadLength: Int) {
    precondition(maximumReadLength > 0, "READ BINARY asks for at least one byte")
    self.maximumReadLength = min(maximumReadLength, CommandAPDU.maximumShortExpectedLength)
  }

  mutating func begin() -> TagRequest {
    ask(
      .selectApplication,
      .select(application: Type4CapabilityFile.applicationIdentifier))
  }

  private mutating func ask(
    _ step: TagAccessError.Step, _ command: CommandAPDU
  ) -> TagRequest {
    request = TagRequest(step, command.bytes)
    return request
  }

  private mutating func read(
    _ step: TagAccessError.Step, offset: Int, length: Int
  ) throws(TagAccessError) -> ReadingMove {
    guard offset <= Self.largestOffset else {
      throw request.error(.unsupported("READ BINARY beyond offset 7FFF"))
    }
    asked = length
    return .request(ask(step, .readBinary(offset: offset, length: length)))
  }

  mutating func answered(_ answer: [UInt8]) throws(TagAccessError) -> ReadingMove {
    let response = try request.decoded(answer) {
      (bytes) throws(ProtocolError) in try ResponseAPDU(bytes)
    }
    guard response.status == .success else {
      // A card without the NDEF application is fine; it only holds no message.
      if request.step == .selectApplication, response.status == .notFound { return .done(nil) }
      throw request.error(.refused(response.status))
    }
    switch request.step {
    case .selectApplication:
      return .request(
        ask(.selectCapabilityFile, .select(file: Type4CapabilityFile.fileIdentifier)))
    case .selectCapabilityFile:
      return try read(.readCapability, offset: 0, length: capabilityLength)
    case .readCapability:
      return try capabilityRead(try piece(response.data))
    case .selectMessageFile:
      return try read(.readLength, offset: 0, length: lengthFieldSize)
    case .readLength:
      return try lengthRead(try piece(response.data))
    default:
      message.append(contentsOf: try piece(response.data))
      return try next()
    }
  }

  /// The data of a READ BINARY: at least one byte and not more than asked for.
  private func piece(_ data: [UInt8]) throws(TagAccessError) -> [UInt8] {
    guard (1...asked).contains(data.count) else {
      throw request.error(.unexpectedAnswer(data, expected: "1 to \(asked) bytes of data"))
    }
    return data
  }

  private mutating func capabilityRead(_ data: [UInt8]) throws(TagAccessError) -> ReadingMove {
    capability.append(contentsOf: data)
    if capability.count >= 2 {
      capabilityLength = max(
        Self.capabilityLength, Int(capability[0]) << 8 | Int(capability[1]))
    }
    let missing = capabilityLength - capability.count
    if missing > 0 {
      return try read(
        .readCapability, offset: capability.count, length: min(missing, maximumReadLength))
    }
    let container = try request.decoded(capability) {
      (bytes) throws(ProtocolError) in try Type4CapabilityFile(bytes)
    }
    guard let found = container.ndefFile else { return .done(nil) }
    guard found.readAccess == 0 else {
      throw request.error(.unsupported("the capability container forbids reading"))
    }
    file = found
    chunk = min(max(Int(container.maximumResponseData), 1), maximumReadLength)
    return .request(ask(.selectMessageFile, .select(file: found.identifier)))
  }

  /// NLEN has two bytes, ENLEN of the extended NDEF file four.
  private var lengthFieldSize: Int { file?.kind == .extendedNDEF ? 4 : 2 }

  private mutating func lengthRead(_ data: [UInt8]) throws(TagAccessError) -> ReadingMove {
    guard data.count == lengthFieldSize else {
      throw request.error(.unexpectedAnswer(data, expected: "\(lengthFieldSize) bytes of data"))
    }
    let found = data.reduce(0) { $0 << 8 | Int($1) }
    let most = max(0, (file?.maximumSize ?? 0) - lengthFieldSize)
    guard found <= most else {
      throw request.error(
        .malformed(
          .badLength(element: "NDEF file", offset: 0, found: found, expected: 0...most), data))
    }
    length = found
    return try next()
  }

  private mutating func next() throws(TagAccessError) -> ReadingMove {
    let missing = (length ?? 0) - message.count
    if missing <= 0 { return .done(message) }
    return try read(
      .readMessage, offset: lengthFieldSize + message.count, length: min(missing, chunk))
  }
}
