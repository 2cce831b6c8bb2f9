/// The states of a type A card up to its selection, ISO/IEC 14443-3 6.3, for card models.
///
/// Give it the frames of the reader as long as the card has not entered a protocol of its own
/// (ISO/IEC 14443-4 after RATS). Frames that it does not deal with come back as `.passed` while
/// the card is selected. All answers of this machine are due after the fixed frame delay, see
/// `FrameDelayTimeA(after:)`.
public struct TypeACardActivation: Hashable, Sendable {
  /// What a card tells of itself in activation.
  public struct Identity: Hashable, Sendable {
    /// The identifier.
    public var uid: UID
    /// The answer to REQA and WUPA.
    public var atqa: ATQA
    /// The answer to the last SELECT.
    public var sak: SAK
    /// The answer to the SELECT of each level but the last; its bit 3 must be set.
    public var cascadeSAK: SAK

    /// Makes an identity.
    public init(uid: UID, atqa: ATQA, sak: SAK, cascadeSAK: SAK = .cascade) {
      precondition(!cascadeSAK.isUIDComplete, "a SAK between levels has bit 3 set")
      self.uid = uid
      self.atqa = atqa
      self.sak = sak
      self.cascadeSAK = cascadeSAK
    }
  }

  /// The states; those with a star in the standard are told by `isStarred`.
  public enum State: Hashable, Sendable {
    /// No field.
    case powerOff
    /// Waits for REQA or WUPA.
    case idle
    /// Takes part in anticollision on a cascade level.
    case ready(CascadeLevel)
    /// Is selected.
    case active
    /// Waits for WUPA.
    case halted
  }

  /// What a frame of the reader leads to.
  public enum Reaction: Hashable, Sendable {
    /// No answer.
    case silent
    /// An answer, due after the fixed frame delay.
    case answered(RadioFrame)
    /// The last SELECT was answered by this frame: the card is now selected.
    case selected(RadioFrame)
    /// The frame is for the selected card and not a command of activation.
    case passed
  }

  /// What the card tells of itself; a card with a random UID gets a new one at field off.
  public var identity: Identity
  /// The state.
  public private(set) var state = State.powerOff
  /// True if the card was woken from HALT, to which it falls back on a wrong command.
  public private(set) var isStarred = false

  /// Makes a card outside of any field.
  public init(_ identity: Identity) { self.identity = identity }

  /// The field of the reader was switched on or off.
  public mutating func fieldChanged(isOn: Bool) {
    state = isOn ? .idle : .powerOff
    isStarred = false
  }

  /// The selected card heard something wrong: back to IDLE, or to HALT if it came from there.
  public mutating func fallBack() {
    guard state != .powerOff else { return }
    state = isStarred ? .halted : .idle
  }

  /// The selected card was sent to HALT by HLTA or S(DESELECT).
  public mutating func halt() {
    guard state != .powerOff else { return }
    state = .halted
    isStarred = true
  }

  /// Takes a frame of the reader.
  public mutating func received(_ frame: RadioFrame) -> Reaction {
    guard state != .powerOff else { return .silent }
    guard frame.hasSoundCRC else {
      // What a wrong CRC does to a selected card is up to its kind; some answer with a NAK.
      if state == .active { return .passed }
      fallBackUnlessResting()
      return .silent
    }
    let command: TypeACommand?
    do {
      command = try TypeACommand(frame)
    } catch {
      fallBackUnlessResting()
      return .silent
    }
    switch state {
    case .powerOff:
      return .silent
    case .idle, .halted:
      guard command == .wakeUp || (command == .request && state == .idle) else { return .silent }
      isStarred = state == .halted
      state = .ready(.one)
      return .answered(
        RadioFrame(identity.atqa.bytes, technology: .a, kilobitsPerSecond: 106, crc: .absent))
    case .ready(let level):
      return ready(level, command)
    case .active:
      return active(command, frame)
    }
  }

  private mutating func fallBackUnlessResting() {
    switch state {
    case .ready, .active: fallBack()
    case .powerOff, .idle, .halted: break
    }
  }

  private mutating func ready(_ level: CascadeLevel, _ command: TypeACommand?) -> Reaction {
    let parts = identity.uid.parts
    let part = parts[level.index]
    switch command {
    case .anticollision(level, let bits):
      guard bits.matches(part) else {
        fallBack()
        return .silent
      }
      return .answered(
        RadioFrame(bits.answer(of: part), technology: .a, kilobitsPerSecond: 106, crc: .absent))
    case .select(level, part):
      if level.index < parts.count - 1, let next = level.next {
        state = .ready(next)
        return .answered(
          .protected([identity.cascadeSAK.rawValue], .a, kilobitsPerSecond: 106))
      }
      state = .active
      return .selected(.protected([identity.sak.rawValue], .a, kilobitsPerSecond: 106))
    default:
      fallBack()
      return .silent
    }
  }

  private mutating func active(_ command: TypeACommand?, _ frame: RadioFrame) -> Reaction {
    switch command {
    case .halt:
      halt()
      return .silent
    case nil:
      return .passed
    case .request, .wakeUp, .anticollision, .select:
      fallBack()
      return .silent
    }
  }
}

extension RadioFrame {
  /// False if the frame is known to be broken or carries a CRC that does not fit.
  fileprivate var hasSoundCRC: Bool {
    if isCollision || isTruncated { return false }
    switch crc {
    case .bad: return false
    case .good: return CRC16.a.check(bytes)
    case .absent, .notCaptured, nil: return true
    }
  }
}
