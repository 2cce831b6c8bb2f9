public import Exploration
public import NFCProtocols

/// Activation of a modelled type A card: the states of ISO/IEC 14443-3, a UID that may be random,
/// and reception that notices broken parity.
public struct TypeAActivation {
  /// What the card is.
  public let identity: TypeAIdentity
  private var machine: TypeACardActivation

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
  public init(_ identity: TypeAIdentity) {
    self.identity = identity
    machine = TypeACardActivation(identity.fixed)
  }

  /// The state.
  public var state: TypeACardActivation.State { machine.state }
  /// The UID of this power-up.
  public var uid: [UInt8] { machine.identity.uid.bytes }

  /// Takes a change of the field; power-on draws the UID.
  public mutating func fieldChanged(isOn: Bool, decisions: inout any Decisions) {
    if isOn, machine.state == .powerOff { machine.identity.uid = identity.draw(&decisions) }
    machine.fieldChanged(isOn: isOn)
  }

  /// Leaves READY or ACTIVE after an error: to HALT if woken from there, else to IDLE.
  public mutating func leave() { machine.fallBack() }

  /// Goes to HALT, as after HLTA and S(DESELECT).
  public mutating func halt() { machine.halt() }

  /// Takes a frame in any state.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    // A pulse without bits is no frame of type A.
    guard !frame.bytes.isEmpty else { return .silence }
    var frame = frame
    if isDamaged(frame) {
      frame.isTruncated = true
    } else if machine.state == .active, frame.bytes.count == 1, frame.lastByteBits < 8 {
      leave()
      return .silence
    }
    switch machine.received(frame) {
    case .silent: return .silence
    case .answered(let answer): return .answer(answer)
    case .selected(let answer): return .selected(answer)
    case .passed: return .forCard
    }
  }
}

/// True if the receiver of a type A card would not take the frame: broken modulation or parity.
func isDamaged(_ frame: RadioFrame) -> Bool {
  if frame.isCollision || frame.isTruncated { return true }
  guard let technology = frame.technology else { return hasParityError(frame) }
  return technology != .a || hasParityError(frame)
}

/// True if recorded parity bits differ from odd parity.
private func hasParityError(_ frame: RadioFrame) -> Bool {
  guard let parity = frame.parity, !frame.isEncrypted else { return false }
  let whole = frame.lastByteBits == 8 ? frame.bytes : Array(frame.bytes.dropLast())
  let expected = ParityBits.odd(for: whole).bits
  for (given, right) in zip(parity.bits, expected) where given != right { return true }
  return false
}
