import NFCProtocols
import NFCTrace

/// Builds the events of an exchange at 106 kbit/s and runs the lint over them.
///
/// Times are in periods of the carrier, so that the limits of the standard can be written as they
/// stand there.
struct LintScript {
  var header = TraceHeader(
    technology: .a, clock: TraceClock(tickUnit: "1/13.56 MHz", origin: "first event"))
  var events: [TraceEvent] = []
  /// The end of the last frame in periods of the carrier.
  var now: Int64 = 1

  /// UID 08 11 22 33, SAK 20.
  static let uid: [UInt8] = [0x08, 0x11, 0x22, 0x33]

  init(_ technology: Technology = .a) {
    header.technology = technology
  }

  mutating func frame(
    _ direction: Direction, _ frame: RadioFrame, after cycles: Int64
  ) {
    var sent = frame
    sent.technology = header.technology
    let start = now + cycles
    let length = AirTime.carrierCycles(of: sent, direction)
    now = start + length
    events.append(
      TraceEvent(
        start: .carrierCycles(start), end: .carrierCycles(start + length),
        .radio(direction, frame)))
  }

  /// The reader sends 10,000 periods after what came before.
  mutating func reader(_ frame: RadioFrame, after cycles: Int64 = 10_000) {
    self.frame(.outbound, frame, after: cycles)
  }

  /// The reader sends bytes and their CRC.
  mutating func reader(_ content: [UInt8], after cycles: Int64 = 10_000) {
    reader(.protected(content, header.technology ?? .a), after: cycles)
  }

  /// The card answers `late` periods after the first instant that it may.
  mutating func card(_ frame: RadioFrame, late: Int64 = 0) {
    var isOne = false
    if case .radio(_, let last)? = events.last?.content { isOne = last.lastBitOnAir }
    self.frame(.inbound, frame, after: FrameDelayTimeA(lastBitIsOne: isOne).carrierCycles + late)
  }

  /// The card answers bytes and their CRC.
  mutating func card(_ content: [UInt8], late: Int64 = 0) {
    card(.protected(content, header.technology ?? .a), late: late)
  }

  /// Activation of a type A card up to its SAK; each answer comes `late` periods late.
  mutating func select(late: Int64 = 0, sak: UInt8 = 0x20) {
    reader(TypeACommand.wakeUp.frame)
    card(RadioFrame([0x04, 0x00], crc: .absent), late: late)
    guard let part = try? UID(Self.uid).parts[0] else { return }
    reader(TypeACommand.anticollision(.one, .none).frame)
    card(RadioFrame(part.bytes + [part.checkByte], crc: .absent), late: late)
    reader(TypeACommand.select(.one, part).frame)
    card([sak], late: late)
  }

  /// Activation up to the ATS; FWI 4 and SFGI 0 unless told otherwise.
  mutating func activate(interfaceB: UInt8 = 0x40) {
    select()
    reader(RATS().bytes)
    card(ATS(interfaceB: interfaceB).bytes)
  }

  /// A block of the reader and one of the card.
  mutating func exchange(_ reader: Block, _ card: Block, late: Int64 = 0) {
    self.reader(reader.bytes)
    self.card(card.bytes, late: late)
  }

  var findings: [LintFinding] {
    var lint = ProtocolLint(header: header)
    var findings: [LintFinding] = []
    for event in events { lint.check(event, into: &findings) }
    lint.finish(into: &findings)
    return findings
  }

  /// The findings as `event rule`, in order.
  var summary: [String] { findings.map { "\($0.eventNumber) \($0.rule.rawValue)" } }
}
