/// One block of the transmission protocol, ISO/IEC 14443-4 7.1, without its CRC.
public struct Block: Hashable, Sendable, ByteCodable {
  /// What the block is, with its information field.
  public var kind: Kind
  /// The card identifier, 0...14, or `nil` if the block has no CID byte.
  public var cid: UInt8?
  /// The power level indication of the CID byte, 0...3 (7.4); 0 is "not supported".
  public var powerLevel: UInt8
  /// The node address of an I-block, or `nil` if the block has no NAD byte.
  public var nad: UInt8?

  /// The kinds of block.
  public enum Kind: Hashable, Sendable {
    /// I-block: a piece of an APDU; `isChaining` tells that more follows.
    case information(number: BlockNumber, isChaining: Bool, [UInt8])
    /// R(ACK): the chained block before was received.
    case acknowledge(number: BlockNumber)
    /// R(NAK): send the last block again.
    case negativeAcknowledge(number: BlockNumber)
    /// S(WTX): more time; as sent, 0...63 (legal 1...59), with a power level of 0...3.
    case waitingTimeExtension(multiplier: UInt8, powerLevel: UInt8)
    /// S(DESELECT): the end of the protocol.
    case deselect
    /// S(PARAMETERS): negotiation of bit rates and more, edition 2016.
    case parameters([UInt8])
  }

  /// The multipliers that a card may ask for (7.3).
  public static let legalMultipliers: ClosedRange<UInt8> = 1...59

  /// Makes a block.
  public init(_ kind: Kind, cid: UInt8? = nil, powerLevel: UInt8 = 0, nad: UInt8? = nil) {
    precondition((cid ?? 0) < 15, "CID is 0 to 14")
    precondition(powerLevel < 4, "a power level is 0 to 3")
    self.kind = kind
    self.cid = cid
    self.powerLevel = powerLevel
    self.nad = nad
  }

  /// Makes an I-block.
  public static func information(
    _ number: BlockNumber, _ content: [UInt8], isChaining: Bool = false, cid: UInt8? = nil
  ) -> Block {
    Block(.information(number: number, isChaining: isChaining, content), cid: cid)
  }

  /// Decodes a block.
  /// - Throws: `ProtocolError` if the PCB is reserved or a field is missing.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "block")
    let pcb = try cursor.byte()
    guard let type = BlockType(pcb: pcb) else {
      throw .badValue(
        element: "block", offset: 0, found: pcb, expected: "PCB of an I, R or S-block")
    }
    powerLevel = 0
    if pcb & BlockType.cidFollows != 0 {
      let field = try cursor.byte()
      guard field & 0x30 == 0, field & 0x0F != 0x0F else {
        throw .badValue(
          element: "block", offset: 1, found: field, expected: "CID 0 to 14, bits 6 and 5 zero")
      }
      cid = field & 0x0F
      powerLevel = field >> 6
    }
    let number = BlockNumber(pcb: pcb)
    switch type {
    case .information:
      if pcb & BlockType.nadFollows != 0 { nad = try cursor.byte() }
      kind = .information(
        number: number, isChaining: pcb & BlockType.chaining != 0, Array(cursor.rest()))
    case .acknowledge:
      kind = .acknowledge(number: number)
    case .negativeAcknowledge:
      kind = .negativeAcknowledge(number: number)
    case .waitingTimeExtension:
      let field = try cursor.byte()
      kind = .waitingTimeExtension(multiplier: field & 0x3F, powerLevel: field >> 6)
    case .deselect:
      kind = .deselect
    case .parameters:
      kind = .parameters(Array(cursor.rest()))
    }
    try cursor.end()
  }

  /// Appends the block from PCB to the end of its information field.
  public func encode(into output: inout [UInt8]) {
    output.append(controlByte)
    if let cid { output.append(powerLevel << 6 | cid) }
    switch kind {
    case .information(_, _, let content):
      if let nad { output.append(nad) }
      output += content
    case .waitingTimeExtension(let multiplier, let powerLevel):
      output.append(powerLevel << 6 | multiplier & 0x3F)
    case .parameters(let content):
      output += content
    case .acknowledge, .negativeAcknowledge, .deselect:
      break
    }
  }

  /// The protocol control byte, PCB.
  public var controlByte: UInt8 {
    let follows = cid == nil ? 0 : BlockType.cidFollows
    switch kind {
    case .information(let number, let isChaining, _):
      return 0x02 | number.rawValue | (isChaining ? BlockType.chaining : 0)
        | (nad == nil ? 0 : BlockType.nadFollows) | follows
    case .acknowledge(let number): return 0xA2 | number.rawValue | follows
    case .negativeAcknowledge(let number): return 0xB2 | number.rawValue | follows
    case .waitingTimeExtension: return 0xF2 | follows
    case .deselect: return 0xC2 | follows
    case .parameters: return 0xF0 | follows
    }
  }

  /// The block number of an I- or R-block.
  public var number: BlockNumber? {
    switch kind {
    case .information(let number, _, _), .acknowledge(let number),
      .negativeAcknowledge(let number):
      number
    case .waitingTimeExtension, .deselect, .parameters: nil
    }
  }

  /// The frame of the block on type A or B, CRC included.
  public func frame(_ technology: Technology, kilobitsPerSecond: UInt16? = nil) -> RadioFrame {
    .protected(bytes, technology, kilobitsPerSecond: kilobitsPerSecond)
  }

  /// The bytes around an information field: PCB, CID, NAD and CRC.
  public static func overhead(hasCID: Bool, hasNAD: Bool) -> Int {
    1 + (hasCID ? 1 : 0) + (hasNAD ? 1 : 0) + CRC16.byteCount
  }
}

/// The block number, which toggles between 0 and 1.
public enum BlockNumber: UInt8, Hashable, Sendable {
  /// Number 0.
  case zero = 0
  /// Number 1.
  case one = 1

  /// The number in the lowest bit of a PCB.
  public init(pcb: UInt8) { self = pcb & 1 == 0 ? .zero : .one }

  /// The other number.
  public var toggled: BlockNumber { self == .zero ? .one : .zero }
}

/// What a PCB announces, ISO/IEC 14443-4 Tables 6 to 8.
///
/// The S-block bits stand where I-blocks have their chaining bit, so the type is told first.
public enum BlockType: UInt8, Hashable, Sendable {
  /// I-block.
  case information
  /// R(ACK).
  case acknowledge
  /// R(NAK).
  case negativeAcknowledge
  /// S(WTX).
  case waitingTimeExtension
  /// S(DESELECT).
  case deselect
  /// S(PARAMETERS).
  case parameters

  /// The chaining bit of an I-block's PCB.
  public static let chaining: UInt8 = 0x10
  /// The bit of a PCB that announces a CID byte.
  public static let cidFollows: UInt8 = 0x08
  /// The bit of an I-block's PCB that announces a NAD byte.
  public static let nadFollows: UInt8 = 0x04

  /// The type of a PCB, or `nil` if it is reserved.
  public init?(pcb: UInt8) {
    if pcb & 0xE2 == 0x02 {
      self = .information
    } else if pcb & 0xE6 == 0xA2 {
      self = pcb & 0x10 == 0 ? .acknowledge : .negativeAcknowledge
    } else {
      switch pcb & ~Self.cidFollows {
      case 0xC2: self = .deselect
      case 0xF2: self = .waitingTimeExtension
      case 0xF0: self = .parameters
      default: return nil
      }
    }
  }
}
