public import Exploration
public import NFCProtocols

/// The states of a modelled type B card up to its selection (ISO/IEC 14443-3 7.4).
public struct TypeBActivation {
  /// What the card answers to REQB and WUPB.
  public let atqb: ATQB
  /// The application family of the card; 0 matches requests for all families only.
  public let afi: UInt8
  /// The state.
  public private(set) var state = State.powerOff

  /// The states of figure 23.
  public enum State: Hashable, Sendable {
    /// No field.
    case powerOff
    /// Waits for REQB or WUPB.
    case idle
    /// Waits for the marker of its slot, 2 to 16.
    case requested(slot: UInt8)
    /// Has sent its ATQB; ATTRIB selects it.
    case declared
    /// Waits for WUPB.
    case halt
    /// Selected; the block protocol has taken over.
    case active
  }

  /// What came of a frame.
  public enum Outcome: Hashable, Sendable {
    /// The card says nothing.
    case silence
    /// The card answers.
    case answer(RadioFrame)
    /// The card is selected with this answer, and what was agreed.
    case selected(RadioFrame, IsoDepParameters, FrameWaitingTime)
  }

  /// TR0 and TR1 at their least: 64/fs and 80/fs, fs = fc/16 (ISO/IEC 14443-3 7.1.6).
  public static let answerDelay = Nanoseconds.carrierCycles((64 + 80) * 16)

  /// Makes a card without power.
  public init(_ atqb: ATQB, afi: UInt8 = 0) {
    self.atqb = atqb
    self.afi = afi
  }

  /// Takes a change of the field.
  public mutating func fieldChanged(isOn: Bool) { state = isOn ? .idle : .powerOff }

  /// Goes to HALT, as after HLTB and S(DESELECT).
  public mutating func halt() {
    if state != .powerOff { state = .halt }
  }

  /// Takes a frame in any state but ACTIVE.
  public mutating func receive(
    _ frame: RadioFrame, decisions: inout any Decisions
  ) -> Outcome {
    guard state != .powerOff, let command = command(frame) else { return .silence }
    switch command {
    case .request(let request): return requested(request, &decisions)
    case .slotMarker(let slot):
      guard state == .requested(slot: slot) else { return .silence }
      state = .declared
      return .answer(.protected(atqb.bytes, .b, kilobitsPerSecond: 106))
    case .halt(let pupi):
      guard state == .declared, pupi == atqb.pupi else { return .silence }
      state = .halt
      return .answer(.protected([0x00], .b, kilobitsPerSecond: 106))
    case .attrib(let attrib):
      guard state == .declared, attrib.pupi == atqb.pupi, atqb.supportsISODEP else {
        return .silence
      }
      state = .active
      let cid = attrib.cid
      let answer = AttribAnswer(cid: cid)
      let parameters = IsoDepParameters(
        technology: .b, cardFrameSize: atqb.frameSize,
        deviceFrameSize: FrameSize.bytes(ofIndex: attrib.frameSizeIndex),
        cid: atqb.supportsCID && cid <= IsoDepParameters.highestCID ? cid : nil)
      return .selected(
        .protected(answer.bytes, .b, kilobitsPerSecond: 106), parameters, atqb.frameWaitingTime)
    }
  }

  private mutating func requested(
    _ request: RequestB, _ decisions: inout any Decisions
  ) -> Outcome {
    switch state {
    case .powerOff, .active: return .silence
    case .halt where !request.isWakeUp: return .silence
    case .halt, .idle, .requested, .declared: break
    }
    guard matches(request.afi) else {
      // A request for others sends a card that took part back (ISO/IEC 14443-3 7.4.4).
      if state != .halt { state = .idle }
      return .silence
    }
    let slot = decisions.choose("card.slot", count: Int(request.slots)) + 1
    guard slot == 1 else {
      state = .requested(slot: UInt8(truncatingIfNeeded: slot))
      return .silence
    }
    state = .declared
    return .answer(.protected(atqb.bytes, .b, kilobitsPerSecond: 106))
  }

  /// 00 means all; a zero in the lower half means all of that family (14443-3 Table 15).
  private func matches(_ asked: UInt8) -> Bool {
    if asked == 0 { return true }
    if asked & 0x0F == 0 { return asked & 0xF0 == afi & 0xF0 }
    return asked == afi
  }

  private func command(_ frame: RadioFrame) -> TypeBCommand? {
    if frame.isCollision || frame.isTruncated || frame.crc == .bad { return nil }
    if let technology = frame.technology, technology != .b { return nil }
    if frame.crc == .notCaptured { return (try? TypeBCommand(frame.bytes)) ?? nil }
    guard CRC16.b.check(frame.bytes) else { return nil }
    return (try? TypeBCommand(frame.bytes.dropLast(CRC16.byteCount))) ?? nil
  }
}
