/// The commands of Type 2 tags: NFC Forum T2T 1.2 section 5, and those of NTAG and Ultralight
/// (NXP NTAG21x and MF0ULx1 data sheets).
public enum Type2Command: Hashable, Sendable {
  /// READ: four pages from this one on.
  case read(page: UInt8)
  /// FAST_READ: the pages `first` to `last`.
  case fastRead(first: UInt8, last: UInt8)
  /// WRITE: one page.
  case write(page: UInt8, [UInt8])
  /// COMPATIBILITY_WRITE, first half; 16 bytes follow in a frame of their own.
  case compatibilityWrite(page: UInt8)
  /// GET_VERSION.
  case getVersion
  /// READ_CNT.
  case readCounter(UInt8)
  /// INCR_CNT: adds the first three bytes, low byte first; the fourth means nothing.
  case incrementCounter(UInt8, [UInt8])
  /// CHECK_TEARING_EVENT.
  case checkTearing(UInt8)
  /// PWD_AUTH.
  case passwordAuthenticate([UInt8])
  /// READ_SIG.
  case readSignature(UInt8)
  /// SECTOR_SELECT, first half; the sector follows in a frame of its own.
  case sectorSelect
  /// AUTHENTICATE, part 1 of the 3DES or AES authentication.
  case authenticate(UInt8)

  /// The bytes of a page.
  public static let pageSize = 4
  /// The bytes that READ answers with: four pages.
  public static let readSize = 16

  /// Decodes the content of a frame, CRC left out.
  /// - Returns: `nil` if it is none of these commands.
  /// - Throws: `ProtocolError` if it is one of them with the wrong length.
  public init?(_ content: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(content, "Type 2 command")
    guard !cursor.isAtEnd else { return nil }
    switch try cursor.byte() {
    case 0x30: self = .read(page: try cursor.byte())
    case 0x3A:
      let first = try cursor.byte()
      self = .fastRead(first: first, last: try cursor.byte())
    case 0xA2:
      let page = try cursor.byte()
      self = .write(page: page, try cursor.array(Self.pageSize))
    case 0xA0: self = .compatibilityWrite(page: try cursor.byte())
    case 0x60: self = .getVersion
    case 0x39: self = .readCounter(try cursor.byte())
    case 0xA5:
      let counter = try cursor.byte()
      self = .incrementCounter(counter, try cursor.array(4))
    case 0x3E: self = .checkTearing(try cursor.byte())
    case 0x1B: self = .passwordAuthenticate(try cursor.array(4))
    case 0x3C: self = .readSignature(try cursor.byte())
    case 0xC2:
      try cursor.expect(0xFF, "FF")
      self = .sectorSelect
    case 0x1A: self = .authenticate(try cursor.byte())
    default: return nil
    }
    try cursor.end()
  }

  /// Decodes the content of a frame, CRC left out.
  public init?(_ content: [UInt8]) throws(ProtocolError) { try self.init(content[...]) }

  /// The bytes of the command without CRC.
  public var bytes: [UInt8] {
    switch self {
    case .read(let page): [0x30, page]
    case .fastRead(let first, let last): [0x3A, first, last]
    case .write(let page, let content): [0xA2, page] + content
    case .compatibilityWrite(let page): [0xA0, page]
    case .getVersion: [0x60]
    case .readCounter(let counter): [0x39, counter]
    case .incrementCounter(let counter, let amount): [0xA5, counter] + amount
    case .checkTearing(let counter): [0x3E, counter]
    case .passwordAuthenticate(let password): [0x1B] + password
    case .readSignature(let address): [0x3C, address]
    case .sectorSelect: [0xC2, 0xFF]
    case .authenticate(let key): [0x1A, key]
    }
  }

  /// The name in the words of the data sheets.
  public var name: String {
    switch self {
    case .read: "READ"
    case .fastRead: "FAST_READ"
    case .write: "WRITE"
    case .compatibilityWrite: "COMP_WRITE"
    case .getVersion: "GET_VERSION"
    case .readCounter: "READ_CNT"
    case .incrementCounter: "INCR_CNT"
    case .checkTearing: "CHECK_TEARING_EVENT"
    case .passwordAuthenticate: "PWD_AUTH"
    case .readSignature: "READ_SIG"
    case .sectorSelect: "SECTOR_SELECT"
    case .authenticate: "AUTHENTICATE"
    }
  }

  /// The frame of the command.
  public var frame: RadioFrame { .protected(bytes, .a) }

  /// The second half of SECTOR_SELECT; no answer within 1 ms means that it was taken.
  public static func sectorSelectSecondPart(sector: UInt8) -> RadioFrame {
    .protected([sector, 0, 0, 0], .a)
  }
}

/// The answer of GET_VERSION, eight bytes (NTAG21x data sheet, 10.1).
public struct Type2Version: Hashable, Sendable, ByteCodable {
  /// The bytes: header 00, vendor, product type, subtype, major, minor, size, protocol.
  public var fields: [UInt8]

  /// Decodes eight bytes.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "GET_VERSION answer")
    fields = try cursor.array(8)
    try cursor.end()
  }

  /// Appends the eight bytes.
  public func encode(into output: inout [UInt8]) { output += fields }

  /// The vendor by ISO/IEC 7816-6; 04 is NXP.
  public var vendor: UInt8 { fields[1] }
  /// The storage size byte.
  public var storageSize: UInt8 { fields[6] }

  /// The product, by the table of the data sheets, or `nil` if it is not in it.
  public var productName: String? {
    guard vendor == 0x04 else { return nil }
    switch (fields[2], storageSize) {
    case (0x03, 0x0B): return "Ultralight EV1 (MF0UL11)"
    case (0x03, 0x0E): return "Ultralight EV1 (MF0UL21)"
    case (0x04, 0x0B): return "NTAG210"
    case (0x04, 0x0E): return "NTAG212"
    case (0x04, 0x0F): return "NTAG213"
    case (0x04, 0x11): return "NTAG215"
    case (0x04, 0x13): return fields[3] == 0x05 ? "NTAG I2C 1K" : "NTAG216"
    case (0x04, 0x15): return fields[3] == 0x05 ? "NTAG I2C 2K" : nil
    default: return nil
    }
  }
}

/// The 4-bit answers of Type 2 tags and MIFARE Classic.
public enum FourBitAnswer: UInt8, Hashable, Sendable, CaseIterable {
  /// ACK: the command was taken.
  case acknowledge = 0xA
  /// NAK 0: invalid argument, transfer buffer valid (Classic: operation not allowed).
  case invalidArgument = 0x0
  /// NAK 1: parity or CRC error.
  case checkError = 0x1
  /// NAK 4: operation not allowed, or a counter overflow.
  case notAllowed = 0x4
  /// NAK 5: parity or CRC error, or a write to the memory failed.
  case transferError = 0x5

  /// Decodes a frame of four bits.
  /// - Returns: `nil` if the frame is not one of them.
  public init?(_ frame: RadioFrame) {
    guard frame.bytes.count == 1, frame.lastByteBits == 4,
      let answer = FourBitAnswer(rawValue: frame.bytes[0] & 0x0F)
    else { return nil }
    self = answer
  }

  /// True for the one answer that is not a NAK.
  public var isAcknowledge: Bool { self == .acknowledge }

  /// The frame of four bits, without parity and CRC.
  public var frame: RadioFrame {
    RadioFrame([rawValue], lastByteBits: 4, technology: .a, crc: .absent)
  }
}
