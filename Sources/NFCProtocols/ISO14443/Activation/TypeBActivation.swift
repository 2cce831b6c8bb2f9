/// The commands that a reader sends to type B cards before any card protocol, ISO/IEC 14443-3 7.
public enum TypeBCommand: Hashable, Sendable {
  /// REQB or WUPB.
  case request(RequestB)
  /// Slot-MARKER: asks cards that chose this slot, 2...16, for their ATQB.
  case slotMarker(slot: UInt8)
  /// ATTRIB: selects one card and sets the parameters of the block protocol.
  case attrib(Attrib)
  /// HLTB: the card with this PUPI falls silent.
  case halt(pupi: [UInt8])

  /// Decodes the content of a frame of the reader, CRC_B left out.
  /// - Returns: `nil` if it is none of these commands.
  /// - Throws: `ProtocolError` if it is one of them and damaged.
  public init?(_ content: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(content, "type B command")
    guard let first = cursor.next else { return nil }
    switch first {
    case RequestB.prefix:
      self = .request(try RequestB(content))
    case Attrib.prefix:
      self = .attrib(try Attrib(content))
    case 0x50:
      guard content.count == 5 else { return nil }
      _ = try cursor.byte()
      self = .halt(pupi: try cursor.array(4))
    default:
      guard content.count == 1, first & 0x0F == 0x05, first >> 4 != 0 else { return nil }
      self = .slotMarker(slot: first >> 4 + 1)
    }
  }

  /// Decodes the content of a frame of the reader, CRC_B left out.
  public init?(_ content: [UInt8]) throws(ProtocolError) { try self.init(content[...]) }

  /// The bytes of the command without CRC_B.
  public var bytes: [UInt8] {
    switch self {
    case .request(let request): request.bytes
    case .slotMarker(let slot): [(slot - 1) << 4 | 0x05]
    case .attrib(let attrib): attrib.bytes
    case .halt(let pupi): [0x50] + pupi
    }
  }

  /// The frame of the command.
  public var frame: RadioFrame { .protected(bytes, .b) }
}

/// REQB or WUPB, ISO/IEC 14443-3 7.7.
public struct RequestB: Hashable, Sendable, ByteCodable {
  /// The application family that should answer; 0 is all.
  public var afi: UInt8
  /// True for WUPB, which halted cards answer too.
  public var isWakeUp: Bool
  /// True if the reader takes an ATQB with a fourth byte of protocol information.
  public var acceptsExtendedATQB: Bool
  /// The number of slots: 1, 2, 4, 8 or 16.
  public var slots: UInt8

  /// The first byte, APf.
  public static let prefix: UInt8 = 0x05

  /// Makes a request.
  public init(
    afi: UInt8 = 0, isWakeUp: Bool = false, acceptsExtendedATQB: Bool = false, slots: UInt8 = 1
  ) {
    precondition([1, 2, 4, 8, 16].contains(slots), "REQB has 1, 2, 4, 8 or 16 slots")
    self.afi = afi
    self.isWakeUp = isWakeUp
    self.acceptsExtendedATQB = acceptsExtendedATQB
    self.slots = slots
  }

  /// Decodes APf, AFI and PARAM.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "REQB")
    try cursor.expect(Self.prefix, "05")
    afi = try cursor.byte()
    let parameter = try cursor.byte()
    try cursor.end()
    guard parameter & 0xE7 <= 4 else {
      throw .badValue(
        element: "REQB", offset: 2, found: parameter, expected: "slot code 0 to 4, bits 8 to 6 zero"
      )
    }
    slots = 1 << (parameter & 0x07)
    isWakeUp = parameter & 0x08 != 0
    acceptsExtendedATQB = parameter & 0x10 != 0
  }

  /// Appends APf, AFI and PARAM.
  public func encode(into output: inout [UInt8]) {
    let code = UInt8(truncatingIfNeeded: slots.trailingZeroBitCount)
    let parameter = code | (isWakeUp ? 0x08 : 0) | (acceptsExtendedATQB ? 0x10 : 0)
    output += [Self.prefix, afi, parameter]
  }
}

/// ATTRIB, ISO/IEC 14443-3 7.10.
public struct Attrib: Hashable, Sendable, ByteCodable {
  /// The card that is meant, four bytes.
  public let pupi: [UInt8]
  /// Param 1: minimum TR0 and TR1, suppression of SOF and EOF.
  public var parameter1: UInt8
  /// Param 2: the bit rates in the upper half, the frame size index of the reader in the lower.
  public var parameter2: UInt8
  /// Param 3: the protocol type that the reader confirms.
  public var parameter3: UInt8
  /// Param 4: the CID in the lower half.
  public var parameter4: UInt8
  /// The higher layer INF, often empty.
  public var higherLayer: [UInt8]

  /// The first byte.
  public static let prefix: UInt8 = 0x1D

  /// Makes a command.
  public init(
    pupi: [UInt8], frameSizeIndex: UInt8 = 8, cid: UInt8 = 0, parameter1: UInt8 = 0,
    parameter3: UInt8 = 1, higherLayer: [UInt8] = []
  ) {
    precondition(pupi.count == 4, "a PUPI has four bytes")
    precondition(frameSizeIndex < 16 && cid < 15, "FSDI is 0 to 15, CID is 0 to 14")
    self.pupi = pupi
    self.parameter1 = parameter1
    parameter2 = frameSizeIndex
    self.parameter3 = parameter3
    parameter4 = cid
    self.higherLayer = higherLayer
  }

  /// Decodes the command.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ATTRIB")
    try cursor.expect(Self.prefix, "1D")
    pupi = try cursor.array(4)
    parameter1 = try cursor.byte()
    parameter2 = try cursor.byte()
    parameter3 = try cursor.byte()
    parameter4 = try cursor.byte()
    higherLayer = Array(cursor.rest())
  }

  /// Appends the command.
  public func encode(into output: inout [UInt8]) {
    output.append(Self.prefix)
    output += pupi
    output += [parameter1, parameter2, parameter3, parameter4]
    output += higherLayer
  }

  /// The frame size index of the reader.
  public var frameSizeIndex: UInt8 { parameter2 & 0x0F }
  /// The card identifier that the reader gives.
  public var cid: UInt8 { parameter4 & 0x0F }
}

/// The answer to ATTRIB, ISO/IEC 14443-3 7.11.
public struct AttribAnswer: Hashable, Sendable, ByteCodable {
  /// The maximum buffer length index, 0...15; 0 tells nothing.
  public var bufferLengthIndex: UInt8
  /// The card identifier, 0...15.
  public var cid: UInt8
  /// The higher layer response, often empty.
  public var higherLayer: [UInt8]

  /// Makes an answer.
  public init(bufferLengthIndex: UInt8 = 0, cid: UInt8 = 0, higherLayer: [UInt8] = []) {
    precondition(bufferLengthIndex < 16 && cid < 16, "MBLI and CID are half bytes")
    self.bufferLengthIndex = bufferLengthIndex
    self.cid = cid
    self.higherLayer = higherLayer
  }

  /// Decodes the answer.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "answer to ATTRIB")
    let first = try cursor.byte()
    bufferLengthIndex = first >> 4
    cid = first & 0x0F
    higherLayer = Array(cursor.rest())
  }

  /// Appends the answer.
  public func encode(into output: inout [UInt8]) {
    output.append(bufferLengthIndex << 4 | cid)
    output += higherLayer
  }
}
