import NFCProtocols
import NFCTrace
import Replay

/// Traces written by hand from the standards; UIDs are made up.
enum SampleTrace {
  /// Activation of a card with the 4-byte UID 11223344 (SAK 20, ATS with FWI 4), then SELECT of
  /// the NDEF application and READ BINARY of its length.
  static let activation: [TraceEvent] = [
    field(0, isOn: true),
    command(5_100_000, [0x26], bits: 7),
    answer(5_276_106, [0x04, 0x00], crc: .absent),
    command(6_000_000, [0x93, 0x20], crc: .absent),
    answer(6_268_416, [0x11, 0x22, 0x33, 0x44, 0x44], crc: .absent),
    command(7_000_000, [0x93, 0x70, 0x11, 0x22, 0x33, 0x44, 0x44], protected: true),
    answer(7_863_000, [0x20], protected: true),
    command(8_500_000, [0xE0, 0x80], protected: true),
    answer(9_300_000, [0x05, 0x78, 0x80, 0x40, 0x02], protected: true),
  ]

  static let session: [TraceEvent] =
    activation + [
      command(
        11_000_000,
        [0x02, 0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00],
        protected: true),
      answer(14_500_000, [0x02, 0x90, 0x00], protected: true),
      command(16_000_000, [0x03, 0x00, 0xB0, 0x00, 0x00, 0x02], protected: true),
      answer(18_000_000, [0x03, 0x00, 0x0B, 0x90, 0x00], protected: true),
    ]

  static func script(_ events: [TraceEvent] = session) -> ReplayScript {
    var lifting = RadioLifting(header: TraceHeader(technology: .a))
    for (index, event) in events.enumerated() { lifting.add(event, index: index) }
    return lifting.finish()
  }

  static func field(_ time: Int64, isOn: Bool) -> TraceEvent {
    TraceEvent(start: Nanoseconds(time), .field(FieldChange(isOn: isOn, technology: .a)))
  }

  static func command(
    _ time: Int64, _ bytes: [UInt8], bits: UInt8 = 8, crc: CRCState? = nil,
    protected: Bool = false
  ) -> TraceEvent {
    radio(.outbound, time, bytes, bits, crc, protected)
  }

  static func answer(
    _ time: Int64, _ bytes: [UInt8], bits: UInt8 = 8, crc: CRCState? = nil,
    protected: Bool = false
  ) -> TraceEvent {
    radio(.inbound, time, bytes, bits, crc, protected)
  }

  private static func radio(
    _ direction: Direction, _ time: Int64, _ bytes: [UInt8], _ bits: UInt8, _ crc: CRCState?,
    _ protected: Bool
  ) -> TraceEvent {
    let frame =
      protected
      ? RadioFrame.protected(bytes, .a)
      : RadioFrame(bytes, lastByteBits: bits, technology: .a, crc: crc)
    return TraceEvent(start: Nanoseconds(time), .radio(direction, frame))
  }
}

/// A script of exchanges `A0 n` → `B0 n`, one millisecond apart, answered after 100 µs.
func countingScript(_ count: Int) -> ReplayScript {
  ReplayScript(
    layer: .radio,
    entries: (0..<count).map { number in
      let byte = UInt8(truncatingIfNeeded: number)
      return ScriptEntry(
        command: RadioFrame([0xA0, byte], technology: .a), gap: .milliseconds(1),
        answers: [
          ScriptAnswer(RadioFrame([0xB0, byte], technology: .a), delay: .microseconds(100))
        ],
        limit: TimeLimit(.frameWaitingTime, .milliseconds(5)))
    })
}
