public import Exploration
public import NFCProtocols

/// The states of a type A card from power-on to selection (ISO/IEC 14443-3 figure 7).
///
/// Frames that belong to activation are answered here; what an active card receives beyond that is
/// handed on. Bit-oriented anticollision is complete: an answer holds the bits that follow those
/// of the reader, packed from the first bit on, so its last byte may be short.
public struct TypeAActivation {
  /// What the card is.
  public let identity: TypeAIdentity
  /// The state.
  public private(set) var state = State.powerOff
  /// The UID of this power-up, empty without power.
  public private(set) var uid: [UInt8] = []
  /// True if the card was in HALT before it was woken: it goes back there instead of to IDLE.
  public private(set) var isStarred = false

  /// The states of figure 7; the starred ones are told by `isStarred`.
  public enum State: Hashable, Sendable {
    /// No field.
    case powerOff
    /// Waits for REQA or WUPA.
    case idle
    /// Answers anticollision of one cascade level, 1 to 3.
    case ready(level: Int)
    /// Selected.
    case active
    /// Waits for WUPA.
    case halt
  }

  /// What came of a frame.
  public enum Outcome: Hashable, Sendable {
    /// The card says nothing.
    case silence
    /// The card answers.
    case answer(RadioFrame)
    /// The card has just been selected with this answer.
    case selected(RadioFrame)
    /// The frame is for the card itself, which is active.
    case forCard
  }

  /// Commands of activation (ISO/IEC 14443-3 6.4).
  enum Code {
    static let reqa: UInt8 = 0x26
    static let wupa: UInt8 = 0x52
    static let hlta: [UInt8] = [0x50, 0x00]
    /// SEL of cascade levels 1, 2 and 3.
    static let select: [UInt8] = [0x93, 0x95, 0x97]
    /// NVB of a SELECT: seven whole bytes.
    static let wholeNVB: UInt8 = 0x70
    static let cascadeTag: UInt8 = 0x88
  }

  /// Makes a card without power.
  public init(_ identity: TypeAIdentity) { self.identity = identity }

  /// Takes a change of the field; power-on draws the UID.
  public mutating func fieldChanged(isOn: Bool, decisions: inout any Decisions) {
    isStarred = false
    if isOn {
      if state == .powerOff { uid = identity.draw(&decisions) }
      state = .idle
    } else {
      uid = []
      state = .powerOff
    }
  }

  /// Leaves READY or ACTIVE after an error: to HALT if woken from there, else to IDLE.
  public mutating func leave() {
    guard state != .powerOff else { return }
    state = isStarred ? .halt : .idle
    isStarred = false
  }

  /// Goes to HALT, as after HLTA.
  public mutating func halt() {
    guard state != .powerOff else { return }
    state = .halt
    isStarred = false
  }

  /// Takes a frame in any state.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    switch state {
    case .powerOff: return .silence
    case .idle, .halt: return wake(frame)
    case .ready(let level): return ready(frame, level)
    case .active: return active(frame)
    }
  }

  private mutating func wake(_ frame: RadioFrame) -> Outcome {
    guard isShort(frame) else { return .silence }
    switch frame.bytes[0] {
    case Code.wupa: break
    case Code.reqa where state == .idle: break
    default: return .silence
    }
    isStarred = state == .halt
    state = .ready(level: 1)
    return .answer(unprotected(identity.atqa))
  }

  private mutating func ready(_ frame: RadioFrame, _ level: Int) -> Outcome {
    let bytes = frame.bytes
    guard bytes.count >= 2, bytes[0] == Code.select[level - 1], !isDamaged(frame) else {
      leave()
      return .silence
    }
    if bytes[1] == Code.wholeNVB { return select(frame, level) }
    return anticollision(frame, level)
  }

  private mutating func select(_ frame: RadioFrame, _ level: Int) -> Outcome {
    let content = frame.content()
    let hasCRC = frame.crc == .notCaptured || CRC16.a.check(frame.bytes)
    guard content.count == 7, frame.lastByteBits == 8, hasCRC,
      Array(content.dropFirst(2)) == part(level)
    else {
      leave()
      return .silence
    }
    guard level == levelCount else {
      state = .ready(level: level + 1)
      return .answer(.protected([identity.incompleteSAK], .a, kilobitsPerSecond: 106))
    }
    state = .active
    return .selected(.protected([identity.sak], .a, kilobitsPerSecond: 106))
  }

  private mutating func anticollision(_ frame: RadioFrame, _ level: Int) -> Outcome {
    // NVB: whole bytes including SEL and NVB in the high nibble, further bits in the low one.
    let nvb = frame.bytes[1]
    let bitCount = Int(nvb >> 4) * 8 + Int(nvb & 0x0F)
    guard nvb & 0x0F < 8, (16..<56).contains(bitCount), frame.bitCount == bitCount else {
      leave()
      return .silence
    }
    let own = part(level)
    let given = bitCount - 16
    for index in 0..<given where bit(index, of: own) != bit(index + 16, of: frame.bytes) {
      leave()
      return .silence
    }
    var rest: [UInt8] = []
    let count = 40 - given
    for index in 0..<count {
      if index % 8 == 0 { rest.append(0) }
      if bit(given + index, of: own) { rest[index / 8] |= 1 << UInt8(index % 8) }
    }
    let lastBits = UInt8(truncatingIfNeeded: (count - 1) % 8 + 1)
    return .answer(unprotected(rest, lastByteBits: lastBits))
  }

  private mutating func active(_ frame: RadioFrame) -> Outcome {
    if isShort(frame) {
      leave()
      return .silence
    }
    if !isDamaged(frame), Array(frame.content()) == Code.hlta,
      frame.crc == .notCaptured || frame.bytes.count == 4
    {
      halt()
      return .silence
    }
    return .forCard
  }

  /// UID bytes and BCC of one cascade level.
  private func part(_ level: Int) -> [UInt8] {
    let start = (level - 1) * 3
    let bytes =
      level == levelCount
      ? Array(uid[start..<(start + 4)]) : [Code.cascadeTag] + uid[start..<(start + 3)]
    return bytes + [bytes.reduce(0, ^)]
  }

  private var levelCount: Int { (uid.count - 1) / 3 }

  private func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
    bytes[index / 8] >> UInt8(index % 8) & 1 == 1
  }

  private func unprotected(_ bytes: [UInt8], lastByteBits: UInt8 = 8) -> RadioFrame {
    RadioFrame(
      bytes, lastByteBits: lastByteBits, technology: .a, kilobitsPerSecond: 106, crc: .absent)
  }
}

/// True for a frame of 7 bits.
///
/// A single whole byte REQA or WUPA whose bit count a source did not keep is not one: importers
/// restore the count where it can be known.
func isShort(_ frame: RadioFrame) -> Bool {
  frame.bytes.count == 1 && frame.lastByteBits == 7 && !isDamaged(frame)
}

/// True if the receiver of a card would not take the frame: broken modulation or parity.
func isDamaged(_ frame: RadioFrame) -> Bool {
  if frame.isCollision || frame.isTruncated { return true }
  guard let technology = frame.technology else { return hasParityError(frame) }
  return technology != .a || hasParityError(frame)
}

/// True if recorded parity bits differ from odd parity.
func hasParityError(_ frame: RadioFrame) -> Bool {
  guard let parity = frame.parity, !frame.isEncrypted else { return false }
  let whole = frame.lastByteBits == 8 ? frame.bytes : Array(frame.bytes.dropLast())
  let expected = ParityBits.odd(for: whole).bits
  for (given, right) in zip(parity.bits, expected) where given != right { return true }
  return false
}
