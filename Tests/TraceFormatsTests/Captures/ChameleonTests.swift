import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct ChameleonTests {
  typealias Make = CaptureBytes

  private func mini(_ bytes: [UInt8]) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(bytes, with: ChameleonMiniDecoder(ImportOptions()))
  }

  /// Type, length, u16 time big endian, data.
  private func entry(_ type: UInt8, _ time: UInt16, _ data: [UInt8]) -> [UInt8] {
    [type, UInt8(data.count)] + Make.number(UInt64(time), 2, isBig: true) + data
  }

  private func boot(_ configuration: String) -> [UInt8] {
    entry(0xFF, 0, []) + entry(0x11, 5, Array(configuration.utf8))
  }

  @Test func entriesOfASniffer() throws {
    let bytes =
      boot("ISO14443A_SNIFF") + entry(0x48, 0xFFF0, [])
      + entry(0x44, 0xFFFA, [0x26]) + entry(0x46, 0xFFFC, [0x44, 0x03])
      // 93 20 with odd parity bits 1 and 0, nine bits a byte, lowest first.
      + entry(0x45, 0x0001, [0x93, 0x41, 0x00]) + [0x00, 0x00, 0x00]
    let trace = try mini(bytes)
    #expect(trace.events.count == 6)
    #expect(trace.events[2].content == .field(FieldChange(isOn: true, technology: .a)))
    #expect(
      trace.events[3].content
        == .radio(.outbound, RadioFrame([0x26], lastByteBits: 7, technology: .a)))
    #expect(
      trace.events[5].content
        == .radio(
          .outbound,
          RadioFrame([0x93, 0x20], technology: .a, parity: ParityBits([true, false]))))
    // The counter of milliseconds has 16 bits.
    #expect(trace.events[5].start == .milliseconds(0x1_0001))
    #expect(trace.events[5].sourceTicks?.start == 1)
  }

  /// As a card the codec receives from the reader, in reader mode from the card.
  @Test(arguments: [
    ("MF_ULTRALIGHT", Direction.outbound), ("ISO14443A_READER", .inbound),
  ])
  func theConfigurationTellsWhoReceives(_ name: String, _ direction: Direction) throws {
    let trace = try mini(
      boot(name) + entry(0x40, 9, [0x30, 0x00]) + entry(0x41, 10, [0x0A, 0x0B]))
    guard case .radio(let received, _) = trace.events[2].content,
      case .radio(let sent, _) = trace.events[3].content
    else {
      Issue.record("both are frames")
      return
    }
    #expect(received == direction)
    #expect(sent == direction.opposite)
  }

  @Test func tornAndUnknownEntriesAreBadInput() {
    #expect(throws: TraceError.self) { try mini(boot("X") + [0x44, 0x05, 0x00, 0x01, 0x26]) }
    #expect(throws: TraceError.self) { try mini(boot("X") + entry(0x33, 0, [])) }
    #expect(throws: TraceError.self) { try mini(boot("X") + [0x00, 0x00, 0x26]) }
    #expect(throws: TraceError.self) { try mini([]) }
  }

  @Test func framesOfTheUltraHaveBitCountsAndParityButNoTime() throws {
    let bytes: [UInt8] =
      [0x00, 0x07, 0x26] + [0x80, 0x12, 0x44, 0x01, 0x02] + [0x80, 0x04, 0x0A]
    let trace = try DecodedTrace.decode(
      bytes, with: ChameleonUltraDecoder(ImportOptions(role: .sniff)))
    #expect(trace.events.allSatisfy { $0.isTimeUnknown })
    #expect(
      trace.events.map(\.content) == [
        .radio(.outbound, RadioFrame([0x26], lastByteBits: 7, technology: .a)),
        .radio(
          .inbound,
          RadioFrame([0x44, 0x00], technology: .a, parity: ParityBits([true, true]))),
        .radio(.inbound, RadioFrame([0x0A], lastByteBits: 4, technology: .a)),
      ])
    #expect(throws: TraceError.self) {
      try DecodedTrace.decode(
        Array(bytes.dropLast()), with: ChameleonUltraDecoder(ImportOptions()))
    }
  }
}
