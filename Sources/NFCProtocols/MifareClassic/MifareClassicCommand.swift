/// The commands of MIFARE Classic in plain form (NXP MF1S50YYX data sheet, section 10).
///
/// On the air all but the authentication request travel encrypted once a sector is open.
public enum MifareClassicCommand: Hashable, Sendable {
  /// AUTH with key A or B: opens the sector of this block.
  case authenticate(Key, block: UInt8)
  /// READ: 16 bytes.
  case read(block: UInt8)
  /// WRITE, first half; 16 bytes follow in a frame of their own.
  case write(block: UInt8)
  /// DECREMENT, first half; the value follows in a frame of its own, which is not answered.
  case decrement(block: UInt8)
  /// INCREMENT, first half; the value follows in a frame of its own, which is not answered.
  case increment(block: UInt8)
  /// RESTORE, first half; a value that means nothing follows in a frame of its own.
  case restore(block: UInt8)
  /// TRANSFER: writes the internal register to a block.
  case transfer(block: UInt8)

  /// The two keys of a sector.
  public enum Key: UInt8, Hashable, Sendable {
    /// Key A.
    case a = 0x60
    /// Key B.
    case b = 0x61
  }

  /// The bytes of a block.
  public static let blockSize = 16

  /// Decodes the content of a frame, CRC left out.
  /// - Returns: `nil` if it is none of these commands.
  /// - Throws: `ProtocolError` if it is one of them with the wrong length.
  public init?(_ content: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(content, "MIFARE Classic command")
    guard let code = cursor.next else { return nil }
    guard [0x60, 0x61, 0x30, 0xA0, 0xC0, 0xC1, 0xC2, 0xB0].contains(code) else { return nil }
    _ = try cursor.byte()
    let block = try cursor.byte()
    try cursor.end()
    switch code {
    case 0x60: self = .authenticate(.a, block: block)
    case 0x61: self = .authenticate(.b, block: block)
    case 0x30: self = .read(block: block)
    case 0xA0: self = .write(block: block)
    case 0xC0: self = .decrement(block: block)
    case 0xC1: self = .increment(block: block)
    case 0xC2: self = .restore(block: block)
    default: self = .transfer(block: block)
    }
  }

  /// Decodes the content of a frame, CRC left out.
  public init?(_ content: [UInt8]) throws(ProtocolError) { try self.init(content[...]) }

  /// The bytes of the command without CRC.
  public var bytes: [UInt8] {
    switch self {
    case .authenticate(let key, let block): [key.rawValue, block]
    case .read(let block): [0x30, block]
    case .write(let block): [0xA0, block]
    case .decrement(let block): [0xC0, block]
    case .increment(let block): [0xC1, block]
    case .restore(let block): [0xC2, block]
    case .transfer(let block): [0xB0, block]
    }
  }

  /// The name in the words of the data sheet.
  public var name: String {
    switch self {
    case .authenticate(.a, _): "AUTH A"
    case .authenticate(.b, _): "AUTH B"
    case .read: "READ"
    case .write: "WRITE"
    case .decrement: "DECREMENT"
    case .increment: "INCREMENT"
    case .restore: "RESTORE"
    case .transfer: "TRANSFER"
    }
  }

  /// The block that the command names.
  public var block: UInt8 {
    switch self {
    case .authenticate(_, let block), .read(let block), .write(let block), .decrement(let block),
      .increment(let block), .restore(let block), .transfer(let block):
      block
    }
  }

  /// The sector of the block: 32 sectors of 4 blocks, then sectors of 16 blocks.
  public var sector: UInt8 { block < 128 ? block / 4 : 32 + (block - 128) / 16 }
}

/// A value block: the value three times, the address four times (MF1S50YYX 8.6.2.1).
public struct MifareValueBlock: Hashable, Sendable, ByteCodable {
  /// The value.
  public var value: Int32
  /// The address byte, free for the application's use.
  public var address: UInt8

  /// Makes a block.
  public init(value: Int32, address: UInt8 = 0) {
    self.value = value
    self.address = address
  }

  /// Decodes 16 bytes and checks that the copies agree.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "value block")
    let first = try cursor.array(4)
    address = 0
    value = Int32(
      bitPattern: UInt32(first[0]) | UInt32(first[1]) << 8 | UInt32(first[2]) << 16
        | UInt32(first[3]) << 24)
    for byte in first { try cursor.expect(~byte, "inverted copy of the value") }
    for byte in first { try cursor.expect(byte, "copy of the value") }
    address = try cursor.byte()
    try cursor.expect(~address, "inverted copy of the address")
    try cursor.expect(address, "copy of the address")
    try cursor.expect(~address, "inverted copy of the address")
    try cursor.end()
  }

  /// Appends the 16 bytes.
  public func encode(into output: inout [UInt8]) {
    let pattern = UInt32(bitPattern: value)
    let copy = (0..<4).map { UInt8(truncatingIfNeeded: pattern >> UInt32($0 * 8)) }
    output += copy
    output += copy.map { ~$0 }
    output += copy
    output += [address, ~address, address, ~address]
  }
}
