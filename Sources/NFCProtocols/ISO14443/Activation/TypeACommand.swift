/// The commands that a reader sends to type A cards before any card protocol, ISO/IEC 14443-3 6.4.
public enum TypeACommand: Hashable, Sendable {
  /// REQA, 7 bits: cards in the state IDLE answer.
  case request
  /// WUPA, 7 bits: cards in the states IDLE and HALT answer.
  case wakeUp
  /// ANTICOLLISION: cards whose UID part begins with these bits send the rest.
  case anticollision(CascadeLevel, AnticollisionBits)
  /// SELECT: the card with this UID part answers with its SAK.
  case select(CascadeLevel, CascadeLevel.Part)
  /// HLTA: the selected card falls silent; no answer means that it was understood.
  case halt

  /// The 7 bits of REQA (Table 3).
  public static let requestByte: UInt8 = 0x26
  /// The 7 bits of WUPA (Table 3).
  public static let wakeUpByte: UInt8 = 0x52
  /// NVB of a SELECT command: seven whole bytes (Table 8).
  public static let selectNVB: UInt8 = 0x70

  /// Decodes a frame of the reader.
  /// - Returns: `nil` if the frame is none of these commands.
  /// - Throws: `ProtocolError` if it is one of them and damaged.
  public init?(_ frame: RadioFrame) throws(ProtocolError) {
    guard let first = frame.bytes.first else { return nil }
    if frame.bytes.count == 1 {
      guard frame.lastByteBits == 7 else { return nil }
      switch first & 0x7F {
      case Self.requestByte: self = .request
      case Self.wakeUpByte: self = .wakeUp
      default: return nil
      }
      return
    }
    if let level = CascadeLevel(rawValue: first) {
      let nvb = frame.bytes[1]
      if nvb == Self.selectNVB {
        let content = frame.content(assuming: .a)
        do {
          self = .select(level, try CascadeLevel.Part(content.dropFirst(2)))
        } catch {
          throw error.moved(by: 2)
        }
        return
      }
      self = .anticollision(level, try AnticollisionBits(frame: frame))
      return
    }
    guard frame.lastByteBits == 8, frame.content(assuming: .a) == [0x50, 0x00] else { return nil }
    self = .halt
  }

  /// The frame of the command, with CRC where it has one.
  public var frame: RadioFrame {
    switch self {
    case .request:
      RadioFrame([Self.requestByte], lastByteBits: 7, technology: .a, crc: .absent)
    case .wakeUp:
      RadioFrame([Self.wakeUpByte], lastByteBits: 7, technology: .a, crc: .absent)
    case .anticollision(let level, let bits):
      RadioFrame(
        [level.rawValue, bits.validBits] + bits.bytes, lastByteBits: bits.lastByteBits,
        technology: .a, crc: .absent)
    case .select(let level, let part):
      .protected(
        [level.rawValue, Self.selectNVB] + part.bytes + [part.checkByte], .a)
    case .halt:
      .protected([0x50, 0x00], .a)
    }
  }
}

/// The first bits of a UID part that an ANTICOLLISION command names: 0 to 39.
public struct AnticollisionBits: Hashable, Sendable {
  /// The bits, least significant first in each byte; unused bits of the last byte are 0.
  public let bytes: [UInt8]
  /// How many bits are meant.
  public let count: Int

  /// The bits that a cascade level has: four bytes of UID and the BCC.
  public static let maximumCount = 40

  /// No bits: every card answers with its whole part.
  public static let none = AnticollisionBits(checked: [], count: 0)

  private init(checked bytes: [UInt8], count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// Takes the first `count` bits of `part`.
  /// - Throws: `ProtocolError` if `count` is not in 0...39.
  public init(first count: Int, of part: CascadeLevel.Part) throws(ProtocolError) {
    try self.init(first: count, of: part.bytes + [part.checkByte])
  }

  private init(first count: Int, of source: [UInt8]) throws(ProtocolError) {
    guard (0..<Self.maximumCount).contains(count), count <= source.count * 8 else {
      throw .badLength(
        element: "anticollision bits", offset: 0, found: count,
        expected: 0...(Self.maximumCount - 1))
    }
    var taken = Array(source.prefix((count + 7) / 8))
    if count % 8 != 0 { taken[taken.count - 1] &= (1 << UInt8(count % 8)) - 1 }
    self.init(checked: taken, count: count)
  }

  /// Decodes an anticollision frame and checks it against its NVB byte.
  init(frame: RadioFrame) throws(ProtocolError) {
    let nvb = frame.bytes[1]
    let wholeBytes = Int(nvb >> 4)
    let extraBits = Int(nvb & 0x0F)
    guard (2...6).contains(wholeBytes), extraBits < 8 else {
      throw .badValue(
        element: "anticollision", offset: 1, found: nvb, expected: "NVB from 20 to 67")
    }
    let bits = (wholeBytes - 2) * 8 + extraBits
    guard frame.bitCount == bits + 16 else {
      throw .badLength(
        element: "anticollision", offset: frame.bytes.count, found: frame.bitCount - 16,
        expected: bits...bits)
    }
    try self.init(first: bits, of: Array(frame.bytes.dropFirst(2)))
  }

  /// The NVB byte: whole bytes of the command in the upper half, further bits in the lower.
  public var validBits: UInt8 { UInt8(2 + count / 8) << 4 | UInt8(count % 8) }

  /// The bits of the last byte of the command, 1...8.
  public var lastByteBits: UInt8 { count % 8 == 0 ? 8 : UInt8(count % 8) }

  /// True if the UID part begins with these bits.
  public func matches(_ part: CascadeLevel.Part) -> Bool {
    let sent = part.bytes + [part.checkByte]
    for index in 0..<count {
      let mask: UInt8 = 1 << UInt8(index % 8)
      if (sent[index / 8] ^ bytes[index / 8]) & mask != 0 { return false }
    }
    return true
  }

  /// The answer of a card with this UID part: the bits that the command did not name.
  ///
  /// The first byte holds its bits where they stand in the part, the lower ones are 0, as a reader
  /// that joins both halves by OR wants them.
  public func answer(of part: CascadeLevel.Part) -> [UInt8] {
    var rest = Array((part.bytes + [part.checkByte]).dropFirst(count / 8))
    if count % 8 != 0 { rest[0] &= ~((1 << UInt8(count % 8)) - 1) }
    return rest
  }
}
