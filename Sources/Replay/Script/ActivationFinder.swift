import NFCProtocols

/// Finds UID, ATQA, SAK, ATS and ATQB of the first card that a recording activates.
struct ActivationFinder: Sendable {
  private(set) var found = RecordedActivation()
  private var uid: [UInt8] = []
  private var lastCommand = RadioFrame([])
  private var isDone = false

  /// The cascade tag in front of an incomplete UID, ISO/IEC 14443-3 6.5.4.
  private static let cascadeTag: UInt8 = 0x88

  /// Takes over what another source tells, unless there is something already.
  mutating func know(_ activation: RecordedActivation) {
    guard found.uid == nil else { return }
    found = activation
    isDone = true
  }

  /// The frame waiting time of the card, 4.83 ms where it has not told one.
  var frameWaitingTime: Nanoseconds {
    if let bytes = found.ats, let ats = try? ATS(bytes) { return ats.frameWaitingTime.duration }
    if let bytes = found.atqb, let atqb = try? ATQB(bytes) { return atqb.frameWaitingTime.duration }
    return FrameWaitingTime.standard.duration
  }

  mutating func see(_ frame: RadioFrame, _ direction: Direction) {
    guard !isDone else { return }
    switch direction {
    case .outbound: commandComes(frame)
    case .inbound: answerComes(frame)
    }
  }

  private mutating func commandComes(_ frame: RadioFrame) {
    lastCommand = frame
    guard frame.technology == .a, !frame.isEncrypted else { return }
    if frame.lastByteBits == 7 { uid = [] }
  }

  private mutating func answerComes(_ frame: RadioFrame) {
    guard let command = lastCommand.bytes.first, !frame.isCollision, !frame.isEncrypted else {
      return
    }
    let content = Array(frame.content(assuming: frame.technology ?? .a))
    switch (frame.technology, command) {
    case (.a, _) where lastCommand.lastByteBits == 7:
      if frame.bytes.count == 2 { found.atqa = frame.bytes }
    case (.a, 0x93), (.a, 0x95), (.a, 0x97):
      if lastCommand.bytes.count == 9, let sak = content.first { selected(sak) }
    case (.a, 0xE0) where lastCommand.bytes.count == 4 && found.sak != nil:
      found.ats = content
      isDone = true
    case (.b, 0x05):
      if content.count >= 12, content[0] == 0x50 {
        found.atqb = content
        found.uid = Array(content[1..<5])
      }
    case (.b, 0x1D): isDone = true
    default:
      break
    }
  }

  /// A SELECT was answered: the UID part of its command is good; bit 3 of the SAK tells of more.
  private mutating func selected(_ sak: UInt8) {
    let part = lastCommand.bytes[2..<6]
    if sak & 0x04 != 0, part.first == Self.cascadeTag {
      uid += part.dropFirst()
    } else {
      found.uid = uid + part
      found.sak = sak
      uid = []
    }
  }
}
