/// The capability container of a Type 2 tag, page 3 (NFC Forum T2T 1.2, 4.2).
public struct Type2Capability: Hashable, Sendable, ByteCodable {
  /// The mapping version, major in the upper half byte.
  public var version: UInt8
  /// The size of the data area in bytes, a multiple of 8 up to 2,040.
  public var dataAreaSize: Int
  /// Read access in the upper half byte (0 = free), write access in the lower (0 = free, F = none).
  public var access: UInt8

  /// The first byte, which says that the tag holds NDEF.
  public static let magic: UInt8 = 0xE1

  /// Makes a container.
  public init(version: UInt8 = 0x10, dataAreaSize: Int, access: UInt8 = 0x00) {
    precondition(
      (0...2_040).contains(dataAreaSize) && dataAreaSize % 8 == 0,
      "the data area of a Type 2 tag is a multiple of 8 up to 2,040 bytes")
    self.version = version
    self.dataAreaSize = dataAreaSize
    self.access = access
  }

  /// Decodes the four bytes of page 3.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "Type 2 CC")
    try cursor.expect(Self.magic, "E1")
    version = try cursor.byte()
    dataAreaSize = Int(try cursor.byte()) * 8
    access = try cursor.byte()
    try cursor.end()
  }

  /// Appends the four bytes.
  public func encode(into output: inout [UInt8]) {
    output += [Self.magic, version, UInt8(truncatingIfNeeded: dataAreaSize / 8), access]
  }

  /// True if anybody may read.
  public var isReadable: Bool { access & 0xF0 == 0 }
  /// True if anybody may write.
  public var isWritable: Bool { access & 0x0F == 0 }
}

/// The capability container of a Type 5 tag, 4 or 8 bytes (NFC Forum T5T 1.0, 4.3.1).
public struct Type5Capability: Hashable, Sendable, ByteCodable {
  /// True if all blocks have one-byte addresses (E1); false for two bytes (E2).
  public var hasShortAddresses: Bool
  /// The mapping version, access rights in the low bits: major, minor, read, write, 2 bits each.
  public var versionAndAccess: UInt8
  /// The size of the data area in bytes, a multiple of 8.
  public var dataAreaSize: Int
  /// Feature flags: bit 0 read multiple, bit 3 lock, bit 4 special frame.
  public var features: UInt8
  /// The two reserved bytes of the long form, or `nil` in the short form.
  public var longFormReserved: UInt16?

  /// Decodes four bytes, or eight where the third one is 0.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "Type 5 CC")
    let magic = try cursor.byte()
    guard magic == 0xE1 || magic == 0xE2 else {
      throw .badValue(element: "Type 5 CC", offset: 0, found: magic, expected: "E1 or E2")
    }
    hasShortAddresses = magic == 0xE1
    versionAndAccess = try cursor.byte()
    let size = try cursor.byte()
    features = try cursor.byte()
    if size == 0, !cursor.isAtEnd {
      longFormReserved = try cursor.bigEndian16()
      dataAreaSize = Int(try cursor.bigEndian16()) * 8
    } else {
      longFormReserved = nil
      dataAreaSize = Int(size) * 8
    }
    try cursor.end()
  }

  /// Makes a container; over 2,040 bytes it takes the long form.
  public init(
    dataAreaSize: Int, versionAndAccess: UInt8 = 0x40, features: UInt8 = 0x01,
    hasShortAddresses: Bool = true
  ) {
    precondition(
      (0...524_280).contains(dataAreaSize) && dataAreaSize % 8 == 0,
      "the data area of a Type 5 tag is a multiple of 8 up to 524,280 bytes")
    self.dataAreaSize = dataAreaSize
    self.versionAndAccess = versionAndAccess
    self.features = features
    self.hasShortAddresses = hasShortAddresses
    longFormReserved = dataAreaSize > 2_040 ? 0 : nil
  }

  /// Appends four or eight bytes.
  public func encode(into output: inout [UInt8]) {
    let blocks = dataAreaSize / 8
    output += [
      hasShortAddresses ? 0xE1 : 0xE2, versionAndAccess,
      longFormReserved == nil ? UInt8(truncatingIfNeeded: blocks) : 0, features,
    ]
    if let longFormReserved {
      output.append(bigEndian: longFormReserved)
      output.append(bigEndian: UInt16(truncatingIfNeeded: blocks))
    }
  }

  /// The bytes that the container takes.
  public var length: Int { longFormReserved == nil ? 4 : 8 }
  /// True if anybody may read.
  public var isReadable: Bool { versionAndAccess & 0x0C == 0 }
  /// True if anybody may write.
  public var isWritable: Bool { versionAndAccess & 0x03 == 0 }
  /// True if READ MULTIPLE BLOCKS is supported.
  public var supportsReadMultiple: Bool { features & 0x01 != 0 }
}

/// The attribute information block of a Type 3 tag, block 0 (NFC Forum T3T 1.0, 6.4).
public struct Type3Attributes: Hashable, Sendable, ByteCodable {
  /// The mapping version, major in the upper half byte.
  public var version: UInt8
  /// Blocks that one read may ask for.
  public var maximumReadBlocks: UInt8
  /// Blocks that one write may carry.
  public var maximumWriteBlocks: UInt8
  /// Blocks of 16 bytes that are there for NDEF.
  public var blockCount: UInt16
  /// Four reserved bytes.
  public var reserved: [UInt8]
  /// 00 finished, 0F a write is under way.
  public var writeFlag: UInt8
  /// 00 read only, 01 read and write.
  public var accessFlag: UInt8
  /// The length of the NDEF message in bytes, three bytes as sent.
  public var messageLength: Int

  /// Makes a block.
  public init(
    version: UInt8 = 0x10, maximumReadBlocks: UInt8 = 4, maximumWriteBlocks: UInt8 = 1,
    blockCount: UInt16, writeFlag: UInt8 = 0, accessFlag: UInt8 = 1, messageLength: Int
  ) {
    precondition((0...0xFF_FFFF).contains(messageLength), "a message length has three bytes")
    self.version = version
    self.maximumReadBlocks = maximumReadBlocks
    self.maximumWriteBlocks = maximumWriteBlocks
    self.blockCount = blockCount
    reserved = [0, 0, 0, 0]
    self.writeFlag = writeFlag
    self.accessFlag = accessFlag
    self.messageLength = messageLength
  }

  /// Decodes the 16 bytes and checks their sum.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "attribute block")
    version = try cursor.byte()
    maximumReadBlocks = try cursor.byte()
    maximumWriteBlocks = try cursor.byte()
    blockCount = try cursor.bigEndian16()
    reserved = try cursor.array(4)
    writeFlag = try cursor.byte()
    accessFlag = try cursor.byte()
    messageLength = Int(try cursor.byte()) << 16
    messageLength |= Int(try cursor.bigEndian16())
    let found = try cursor.bigEndian16()
    try cursor.end()
    let expected = Self.sum(of: bytes.dropLast(2))
    guard found == expected else {
      throw .badChecksum(
        element: "attribute block", offset: 14, found: found, expected: expected)
    }
  }

  /// Appends the 16 bytes.
  public func encode(into output: inout [UInt8]) {
    let start = output.count
    output += [version, maximumReadBlocks, maximumWriteBlocks]
    output.append(bigEndian: blockCount)
    output += reserved
    output += [writeFlag, accessFlag, UInt8(truncatingIfNeeded: messageLength >> 16)]
    output.append(bigEndian: UInt16(truncatingIfNeeded: messageLength))
    output.append(bigEndian: Self.sum(of: output[start...]))
  }

  private static func sum(of bytes: ArraySlice<UInt8>) -> UInt16 {
    var value: UInt16 = 0
    for byte in bytes { value &+= UInt16(byte) }
    return value
  }
}
