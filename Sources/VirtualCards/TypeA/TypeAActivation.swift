public import Exploration
public import NFCProtocols

/// The states of a type A card from power-on to selection (ISO/IEC 14443-3 figure 7).
///
/// Frames that belong to activation are answered here; what an active card receives beyond that is
/// handed on. Anticollision is bit-oriented: the first byte of an answer holds its bits where they
/// stand in the UID part, as `AnticollisionBits.answer` describes it.
public struct TypeAActivation {
  /// What the card is.
  public let identity: TypeAIdentity
  /// The state.
  public private(set) var state = State.powerOff
  /// The UID of this power-up, empty without power.
  public private(set) var uid: [UInt8] = []
  /// True if the card was in HALT before it was woken: it goes back there instead of to IDLE.
  public private(set) var isStarred = false
  /// What each cascade level sends in this power-up.
  private var parts: [CascadeLevel.Part] = []

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

  /// Makes a card without power.
  public init(_ identity: TypeAIdentity) { self.identity = identity }

  /// Takes a change of the field; power-on draws the UID.
  public mutating func fieldChanged(isOn: Bool, decisions: inout any Decisions) {
    isStarred = false
    if isOn {
      if state == .powerOff {
        uid = identity.draw(&decisions)
        parts = (try? UID(uid).parts) ?? []
      }
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
    switch command(frame) {
    case .wakeUp: break
    case .request where state == .idle: break
    default: return .silence
    }
    isStarred = state == .halt
    state = .ready(level: 1)
    return .answer(unprotected(identity.atqa))
  }

  private mutating func ready(_ frame: RadioFrame, _ level: Int) -> Outcome {
    let own = parts[level - 1]
    switch command(frame) {
    case .select(let asked, let part) where asked.index == level - 1 && part == own:
      guard level == parts.count else {
        state = .ready(level: level + 1)
        return .answer(.protected([identity.incompleteSAK], .a, kilobitsPerSecond: 106))
      }
      state = .active
      return .selected(.protected([identity.sak], .a, kilobitsPerSecond: 106))
    case .anticollision(let asked, let bits) where asked.index == level - 1 && bits.matches(own):
      return .answer(unprotected(bits.answer(of: own)))
    default:
      leave()
      return .silence
    }
  }

  private mutating func active(_ frame: RadioFrame) -> Outcome {
    if frame.bytes.count == 1, frame.lastByteBits == 7 {
      leave()
      return .silence
    }
    if command(frame) == .halt, frame.crc == .notCaptured || frame.bytes.count == 4 {
      halt()
      return .silence
    }
    return .forCard
  }

  /// The command of activation that a frame is, or `nil` if it is none or damaged.
  private func command(_ frame: RadioFrame) -> TypeACommand? {
    guard !isDamaged(frame), frame.crc != .bad, let found = try? TypeACommand(frame) else {
      return nil
    }
    if case .select = found, frame.crc != .notCaptured, !CRC16.a.check(frame.bytes) { return nil }
    return found
  }

  private func unprotected(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes, technology: .a, kilobitsPerSecond: 106, crc: .absent)
  }
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
