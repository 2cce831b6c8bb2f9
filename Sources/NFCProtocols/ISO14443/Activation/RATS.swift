/// Request for answer to select, ISO/IEC 14443-4 5.1.
public struct RATS: Hashable, Sendable, ByteCodable {
  /// The frame size index of the reader, FSDI.
  public var frameSizeIndex: UInt8
  /// The card identifier that the reader gives, 0...14.
  public var cid: UInt8

  /// The first byte.
  public static let prefix: UInt8 = 0xE0

  /// Makes a request.
  public init(frameSizeIndex: UInt8 = 8, cid: UInt8 = 0) {
    precondition(frameSizeIndex < 16 && cid < 15, "FSDI is 0 to 15, CID is 0 to 14")
    self.frameSizeIndex = frameSizeIndex
    self.cid = cid
  }

  /// Decodes the two bytes.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "RATS")
    try cursor.expect(Self.prefix, "E0")
    let parameter = try cursor.byte()
    try cursor.end()
    guard parameter & 0x0F != 0x0F else {
      throw .badValue(element: "RATS", offset: 1, found: parameter, expected: "CID 0 to 14")
    }
    frameSizeIndex = parameter >> 4
    cid = parameter & 0x0F
  }

  /// Appends the two bytes.
  public func encode(into output: inout [UInt8]) {
    output += [Self.prefix, frameSizeIndex << 4 | cid]
  }

  /// The longest frame that the reader takes.
  public var frameSize: Int { FrameSize.bytes(ofIndex: frameSizeIndex) }
}

/// Protocol and parameter selection request, ISO/IEC 14443-4 5.3.
public struct PPS: Hashable, Sendable, ByteCodable {
  /// The card that is meant.
  public var cid: UInt8
  /// Card to reader and reader to card divisors (0 = 106, 1 = 212, 2 = 424, 3 = 848 kbit/s), or
  /// `nil` if PPS1 is left out.
  public var divisors: Divisors?

  /// The two halves of PPS1.
  public struct Divisors: Hashable, Sendable {
    /// DSI, card to reader, 0...3.
    public var cardToReader: UInt8
    /// DRI, reader to card, 0...3.
    public var readerToCard: UInt8
    /// Makes a pair.
    public init(cardToReader: UInt8, readerToCard: UInt8) {
      precondition(cardToReader < 4 && readerToCard < 4, "DSI and DRI are 0 to 3")
      self.cardToReader = cardToReader
      self.readerToCard = readerToCard
    }
  }

  /// Makes a request.
  public init(cid: UInt8 = 0, divisors: Divisors? = nil) {
    precondition(cid < 15, "CID is 0 to 14")
    self.cid = cid
    self.divisors = divisors
  }

  /// Decodes PPSS, PPS0 and PPS1.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "PPS")
    let start = try cursor.byte()
    guard start & 0xF0 == 0xD0, start != 0xDF else {
      throw .badValue(element: "PPS", offset: 0, found: start, expected: "D0 to DE")
    }
    cid = start & 0x0F
    let presence = try cursor.byte()
    guard presence & 0xEF == 0x01 else {
      throw .badValue(element: "PPS", offset: 1, found: presence, expected: "01 or 11")
    }
    if presence & 0x10 != 0 {
      let parameter = try cursor.byte()
      guard parameter & 0xF0 == 0 else {
        throw .badValue(
          element: "PPS", offset: 2, found: parameter, expected: "upper half byte zero")
      }
      divisors = Divisors(cardToReader: parameter >> 2, readerToCard: parameter & 0b11)
    } else {
      divisors = nil
    }
    try cursor.end()
  }

  /// Appends PPSS, PPS0 and PPS1.
  public func encode(into output: inout [UInt8]) {
    output.append(0xD0 | cid)
    guard let divisors else {
      output.append(0x01)
      return
    }
    output += [0x11, divisors.cardToReader << 2 | divisors.readerToCard]
  }

  /// The answer of a card that agrees: PPSS alone.
  public var answer: [UInt8] { [0xD0 | cid] }
}
