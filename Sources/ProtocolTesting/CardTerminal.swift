public import NFCProtocols

/// A reader reduced to its voice: sends frames to a card model and gives back what it answers.
///
/// Time passes only as the card asks for it, so a test states exactly what was said when.
public struct CardTerminal {
  /// The card.
  public private(set) var card: any RadioEndpoint
  /// The instant of the last event.
  public private(set) var now = VirtualInstant.start
  /// The delay of the last answer, from the end of the command.
  public private(set) var lastDelay: Nanoseconds?
  private var timers: [(timer: RadioTimer, at: VirtualInstant)] = []

  /// The most timers that may run out while one answer is awaited.
  static let timerLimit = 64

  /// Makes a terminal in front of a card, the field still off.
  public init(_ card: any RadioEndpoint) {
    self.card = card
    _ = step(.start)
  }

  /// Switches the field on.
  public mutating func fieldOn() { _ = step(.fieldChanged(isOn: true)) }

  /// Switches the field off.
  public mutating func fieldOff() { _ = step(.fieldChanged(isOn: false)) }

  /// Sends a frame; the answer, or `nil` for silence.
  public mutating func send(_ frame: RadioFrame) -> RadioFrame? {
    lastDelay = nil
    let sentAt = now
    _ = step(.receiving)
    if let answer = answer(in: step(.received(frame)), sentAt) { return answer }
    for _ in 0..<Self.timerLimit {
      guard let next = timers.min(by: { $0.at < $1.at }) else { return nil }
      timers.removeAll { $0.timer == next.timer }
      now = max(now, next.at)
      if let answer = answer(in: step(.timer(next.timer)), sentAt) { return answer }
    }
    return nil
  }

  /// Sends a frame of 7 bits; the answer's bytes, or `nil` for silence.
  public mutating func short(_ byte: UInt8) -> [UInt8]? {
    send(RadioFrame([byte], lastByteBits: 7, technology: .a, crc: .absent))?.bytes
  }

  /// Sends bytes without CRC; the answer's bytes as they are, or `nil` for silence.
  public mutating func raw(
    _ bytes: [UInt8], lastByteBits: UInt8 = 8, _ technology: Technology = .a
  ) -> [UInt8]? {
    send(
      RadioFrame(bytes, lastByteBits: lastByteBits, technology: technology, crc: .absent))?.bytes
  }

  /// Sends content with its CRC; the answer without its CRC, or `nil` for silence.
  ///
  /// An answer that has no CRC (ACK, NAK) comes as it is.
  public mutating func exchange(_ content: [UInt8], _ technology: Technology = .a) -> [UInt8]? {
    guard let answer = send(.protected(content, technology)) else { return nil }
    guard answer.crc == .good else { return answer.bytes }
    precondition(
      CRC16(of: technology).check(answer.bytes), "the card answered with a CRC that does not fit")
    return Array(answer.bytes.dropLast(CRC16.byteCount))
  }

  /// Activates a type A card; its UID and SAK, or `nil` if it does not answer as it should.
  public mutating func activateA(wakeUp: UInt8 = 0x26) -> (uid: [UInt8], sak: UInt8)? {
    guard short(wakeUp) != nil else { return nil }
    var uid: [UInt8] = []
    for level: UInt8 in [0x93, 0x95, 0x97] {
      guard let part = raw([level, 0x20]), part.count == 5,
        let sak = exchange([level, 0x70] + part)?.first
      else { return nil }
      guard sak & 0x04 != 0 else { return (uid + part[0..<4], sak) }
      uid += part[1..<4]
    }
    return nil
  }

  private mutating func answer(in outputs: [RadioOutput], _ sentAt: VirtualInstant) -> RadioFrame? {
    for case .send(let frame, let delay) in outputs {
      now = now + delay
      lastDelay = now - sentAt
      _ = step(.sent)
      return frame
    }
    return nil
  }

  private mutating func step(_ input: RadioInput) -> [RadioOutput] {
    var outputs: [RadioOutput] = []
    card.step(input, at: now, into: &outputs)
    for output in outputs {
      switch output {
      case .setTimer(let timer, let instant):
        timers.removeAll { $0.timer == timer }
        timers.append((timer, instant))
      case .cancelTimer(let timer):
        timers.removeAll { $0.timer == timer }
      default: break
      }
    }
    return outputs
  }
}
