/// The commands of ISO/IEC 15693-3, section 10.
public enum VicinityCommand: Hashable, Sendable {
  /// Inventory with a mask of 0...64 bits, low byte first.
  case inventory(afi: UInt8?, maskBits: UInt8, mask: [UInt8])
  /// Stay quiet.
  case stayQuiet
  /// Read single block.
  case readSingleBlock(UInt8)
  /// Write single block.
  case writeSingleBlock(UInt8, [UInt8])
  /// Lock block.
  case lockBlock(UInt8)
  /// Read multiple blocks; `count` is 1...256 and sent less one.
  case readMultipleBlocks(first: UInt8, count: Int)
  /// Write multiple blocks; `count` is 1...256 and sent less one.
  case writeMultipleBlocks(first: UInt8, count: Int, [UInt8])
  /// Select.
  case select
  /// Reset to ready.
  case resetToReady
  /// Write AFI.
  case writeAFI(UInt8)
  /// Lock AFI.
  case lockAFI
  /// Write DSFID.
  case writeDSFID(UInt8)
  /// Lock DSFID.
  case lockDSFID
  /// Get system information.
  case getSystemInformation
  /// Get multiple block security status; `count` is 1...256 and sent less one.
  case getMultipleBlockSecurity(first: UInt8, count: Int)
  /// Extended read single block, two-byte address low byte first (edition 2019).
  case extendedReadSingleBlock(UInt16)
  /// Extended write single block (edition 2019).
  case extendedWriteSingleBlock(UInt16, [UInt8])
  /// Extended read multiple blocks; `count` is 1...65,536 and sent less one (edition 2019).
  case extendedReadMultipleBlocks(first: UInt16, count: Int)
  /// A custom command, A0...DF, with the manufacturer of ISO/IEC 7816-6.
  case custom(code: UInt8, manufacturer: UInt8, [UInt8])
  /// A proprietary or later command, its parameters as sent.
  case other(code: UInt8, [UInt8])

  static let inventoryCode: UInt8 = 0x01

  init(
    code: UInt8, manufacturer: UInt8?, _ cursor: inout ByteCursor
  ) throws(ProtocolError) {
    switch code {
    case 0x02: self = .stayQuiet
    case 0x20: self = .readSingleBlock(try cursor.byte())
    case 0x21:
      let block = try cursor.byte()
      self = .writeSingleBlock(block, Array(cursor.rest()))
    case 0x22: self = .lockBlock(try cursor.byte())
    case 0x23, 0x2C:
      let first = try cursor.byte()
      let count = Int(try cursor.byte()) + 1
      self =
        code == 0x23
        ? .readMultipleBlocks(first: first, count: count)
        : .getMultipleBlockSecurity(first: first, count: count)
    case 0x24:
      let first = try cursor.byte()
      let count = Int(try cursor.byte()) + 1
      self = .writeMultipleBlocks(first: first, count: count, Array(cursor.rest()))
    case 0x25: self = .select
    case 0x26: self = .resetToReady
    case 0x27: self = .writeAFI(try cursor.byte())
    case 0x28: self = .lockAFI
    case 0x29: self = .writeDSFID(try cursor.byte())
    case 0x2A: self = .lockDSFID
    case 0x2B: self = .getSystemInformation
    case 0x30: self = .extendedReadSingleBlock(try cursor.littleEndian16())
    case 0x31:
      let block = try cursor.littleEndian16()
      self = .extendedWriteSingleBlock(block, Array(cursor.rest()))
    case 0x33:
      let first = try cursor.littleEndian16()
      let count = Int(try cursor.littleEndian16()) + 1
      self = .extendedReadMultipleBlocks(first: first, count: count)
    default:
      if let manufacturer {
        self = .custom(code: code, manufacturer: manufacturer, Array(cursor.rest()))
      } else {
        self = .other(code: code, Array(cursor.rest()))
      }
    }
  }

  func encodeParameters(into output: inout [UInt8]) {
    switch self {
    case .inventory(let family, let bits, let mask):
      if let family { output.append(family) }
      output.append(bits)
      output += mask
    case .readSingleBlock(let block), .lockBlock(let block):
      output.append(block)
    case .writeSingleBlock(let block, let data):
      output.append(block)
      output += data
    case .readMultipleBlocks(let first, let count), .getMultipleBlockSecurity(let first, let count):
      output += [first, UInt8(truncatingIfNeeded: count - 1)]
    case .writeMultipleBlocks(let first, let count, let data):
      output += [first, UInt8(truncatingIfNeeded: count - 1)]
      output += data
    case .writeAFI(let value), .writeDSFID(let value):
      output.append(value)
    case .extendedReadSingleBlock(let block):
      output.append(littleEndian: block)
    case .extendedWriteSingleBlock(let block, let data):
      output.append(littleEndian: block)
      output += data
    case .extendedReadMultipleBlocks(let first, let count):
      output.append(littleEndian: first)
      output.append(littleEndian: UInt16(truncatingIfNeeded: count - 1))
    case .custom(_, _, let parameters), .other(_, let parameters):
      output += parameters
    case .stayQuiet, .select, .resetToReady, .lockAFI, .lockDSFID, .getSystemInformation:
      break
    }
  }

  /// The command code.
  public var code: UInt8 {
    switch self {
    case .inventory: Self.inventoryCode
    case .stayQuiet: 0x02
    case .readSingleBlock: 0x20
    case .writeSingleBlock: 0x21
    case .lockBlock: 0x22
    case .readMultipleBlocks: 0x23
    case .writeMultipleBlocks: 0x24
    case .select: 0x25
    case .resetToReady: 0x26
    case .writeAFI: 0x27
    case .lockAFI: 0x28
    case .writeDSFID: 0x29
    case .lockDSFID: 0x2A
    case .getSystemInformation: 0x2B
    case .getMultipleBlockSecurity: 0x2C
    case .extendedReadSingleBlock: 0x30
    case .extendedWriteSingleBlock: 0x31
    case .extendedReadMultipleBlocks: 0x33
    case .custom(let code, _, _), .other(let code, _): code
    }
  }

  /// The name in the words of the standard, or `nil` for custom and later commands.
  public static func name(ofCode code: UInt8) -> String? {
    switch code {
    case 0x01: "INVENTORY"
    case 0x02: "STAY QUIET"
    case 0x20: "READ SINGLE BLOCK"
    case 0x21: "WRITE SINGLE BLOCK"
    case 0x22: "LOCK BLOCK"
    case 0x23: "READ MULTIPLE BLOCKS"
    case 0x24: "WRITE MULTIPLE BLOCKS"
    case 0x25: "SELECT"
    case 0x26: "RESET TO READY"
    case 0x27: "WRITE AFI"
    case 0x28: "LOCK AFI"
    case 0x29: "WRITE DSFID"
    case 0x2A: "LOCK DSFID"
    case 0x2B: "GET SYSTEM INFORMATION"
    case 0x2C: "GET MULTIPLE BLOCK SECURITY STATUS"
    case 0x30: "EXTENDED READ SINGLE BLOCK"
    case 0x31: "EXTENDED WRITE SINGLE BLOCK"
    case 0x32: "EXTENDED LOCK BLOCK"
    case 0x33: "EXTENDED READ MULTIPLE BLOCKS"
    case 0x34: "EXTENDED WRITE MULTIPLE BLOCKS"
    case 0x3B: "EXTENDED GET SYSTEM INFORMATION"
    default: nil
    }
  }
}
