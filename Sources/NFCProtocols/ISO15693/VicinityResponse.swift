/// A response of ISO/IEC 15693-3 (7.4), without its CRC.
public struct VicinityResponse: Hashable, Sendable, ByteCodable {
  /// The flags byte; bit 0 tells an error.
  public var flags: UInt8
  /// What follows: data, or the error code and perhaps more.
  public var data: [UInt8]

  /// The flag of an error response.
  public static let errorFlag: UInt8 = 0x01

  /// Makes a response without error.
  public init(data: [UInt8] = []) {
    flags = 0
    self.data = data
  }

  /// Makes an error response.
  public init(error: VicinityError) {
    flags = Self.errorFlag
    data = [error.rawValue]
  }

  /// Decodes a response.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ISO 15693 response")
    flags = try cursor.byte()
    data = Array(cursor.rest())
    if flags & Self.errorFlag != 0, data.isEmpty {
      throw .truncated(element: "ISO 15693 response", offset: 1, missing: 1)
    }
  }

  /// Appends the response.
  public func encode(into output: inout [UInt8]) {
    output.append(flags)
    output += data
  }

  /// The error, if the flag for it is set.
  public var error: VicinityError? {
    guard flags & Self.errorFlag != 0, let code = data.first else { return nil }
    return VicinityError(rawValue: code)
  }

  /// The frame of the response.
  public var frame: RadioFrame { .protected(bytes, .v) }

  /// The answer to an inventory.
  public func inventory() throws(ProtocolError) -> VicinityInventory {
    try VicinityInventory(data)
  }

  /// The answer to GET SYSTEM INFORMATION.
  public func systemInformation() throws(ProtocolError) -> VicinitySystemInformation {
    try VicinitySystemInformation(data)
  }
}

/// An error code of ISO/IEC 15693-3 Table 5.
public struct VicinityError: Hashable, Sendable {
  /// The code.
  public var rawValue: UInt8
  /// Makes a code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// 01: the command is not supported.
  public static let notSupported = VicinityError(rawValue: 0x01)
  /// 02: the command is not recognised.
  public static let notRecognised = VicinityError(rawValue: 0x02)
  /// 10: the block is not there.
  public static let blockNotAvailable = VicinityError(rawValue: 0x10)
  /// 12: the block is locked.
  public static let blockLocked = VicinityError(rawValue: 0x12)

  /// What the code says, or `nil` for custom and reserved codes.
  public var name: String? {
    switch rawValue {
    case 0x01: "command not supported"
    case 0x02: "command not recognised"
    case 0x03: "option not supported"
    case 0x0F: "error without further information"
    case 0x10: "block not available"
    case 0x11: "block already locked"
    case 0x12: "block locked, content not changed"
    case 0x13: "block not programmed"
    case 0x14: "block not locked"
    case 0x15: "block protected"
    default: nil
    }
  }
}

/// What a card answers to an inventory.
public struct VicinityInventory: Hashable, Sendable, ByteCodable {
  /// The data storage format identifier.
  public var dsfid: UInt8
  /// The UID in the order in which it is sent (low byte first, E0 last).
  public var uid: [UInt8]

  /// Makes an answer.
  public init(dsfid: UInt8 = 0, uid: [UInt8]) {
    precondition(uid.count == 8, "a UID of ISO 15693 has eight bytes")
    self.dsfid = dsfid
    self.uid = uid
  }

  /// Decodes what follows the flags.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "inventory response")
    dsfid = try cursor.byte()
    uid = try cursor.array(8)
    try cursor.end()
  }

  /// Appends what follows the flags.
  public func encode(into output: inout [UInt8]) {
    output.append(dsfid)
    output += uid
  }
}

/// What a card answers to GET SYSTEM INFORMATION (10.4.12).
public struct VicinitySystemInformation: Hashable, Sendable, ByteCodable {
  /// The information flags; bits 3 to 0 tell which fields follow, the others are kept.
  public var flags: UInt8
  /// The UID in the order in which it is sent (low byte first).
  public var uid: [UInt8]
  /// The data storage format identifier, if told.
  public var dsfid: UInt8?
  /// The application family identifier, if told.
  public var afi: UInt8?
  /// The number of blocks, 1...256, if told.
  public var blockCount: Int?
  /// The bytes of a block, 1...32, if told.
  public var blockSize: Int?
  /// The IC reference, if told.
  public var icReference: UInt8?

  /// Makes an answer.
  public init(
    uid: [UInt8], dsfid: UInt8? = 0, afi: UInt8? = 0, blockCount: Int, blockSize: Int,
    icReference: UInt8? = nil
  ) {
    precondition(uid.count == 8, "a UID of ISO 15693 has eight bytes")
    precondition(
      (1...256).contains(blockCount) && (1...32).contains(blockSize),
      "up to 256 blocks of up to 32 bytes")
    flags =
      (dsfid == nil ? 0 : 1) | (afi == nil ? 0 : 2) | 4 | (icReference == nil ? 0 : 8)
    self.uid = uid
    self.dsfid = dsfid
    self.afi = afi
    self.blockCount = blockCount
    self.blockSize = blockSize
    self.icReference = icReference
  }

  /// Decodes what follows the response flags.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "system information")
    flags = try cursor.byte()
    uid = try cursor.array(8)
    if flags & 1 != 0 { dsfid = try cursor.byte() }
    if flags & 2 != 0 { afi = try cursor.byte() }
    if flags & 4 != 0 {
      blockCount = Int(try cursor.byte()) + 1
      let size = try cursor.byte()
      guard size < 32 else {
        throw .badValue(
          element: "system information", offset: cursor.offset - 1, found: size,
          expected: "block size 00 to 1F")
      }
      blockSize = Int(size) + 1
    }
    if flags & 8 != 0 { icReference = try cursor.byte() }
    try cursor.end()
  }

  /// Appends what follows the response flags.
  public func encode(into output: inout [UInt8]) {
    output.append(flags)
    output += uid
    if let dsfid { output.append(dsfid) }
    if let afi { output.append(afi) }
    if let blockCount, let blockSize {
      output.append(UInt8(truncatingIfNeeded: blockCount - 1))
      output.append(UInt8(truncatingIfNeeded: blockSize - 1))
    }
    if let icReference { output.append(icReference) }
  }
}

/// Times of ISO/IEC 15693-3 section 9, in periods of the carrier.
public enum VicinityTiming {
  /// t1: from a request to the answer, least, 318.6 µs.
  public static let answerMinimumCycles: Int64 = 4_320
  /// t1: nominal, 320.9 µs.
  public static let answerNominalCycles: Int64 = 4_352
  /// t1: most, 323.3 µs.
  public static let answerMaximumCycles: Int64 = 4_384
  /// t2: from an answer to the next request, least, 309.2 µs.
  public static let requestMinimumCycles: Int64 = 4_192
  /// The longest time that a write may take, 20 ms.
  public static let writeMaximum = Nanoseconds.milliseconds(20)
}
