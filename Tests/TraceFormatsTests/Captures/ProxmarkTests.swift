import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct ProxmarkTests {
  private func decode(
    _ bytes: [UInt8], _ options: ImportOptions = ImportOptions()
  ) throws(TraceError) -> DecodedTrace {
    try DecodedTrace.decode(bytes, with: ProxmarkDecoder(options))
  }

  /// REQA 26 (992 or 1056 cycles by its last bit), ATQA, anticollision and a UID answer.
  static let activation: [UInt8] =
    CaptureBytes.proxmark(0, 1_056, tag: false, "26", parity: "00")
    + CaptureBytes.proxmark(2_228, 2_368, tag: true, "44 00", parity: "C0")
    + CaptureBytes.proxmark(7_040, 2_464, tag: false, "93 20", parity: "80")
    + CaptureBytes.proxmark(10_676, 5_888, tag: true, "88 04 01 02 8F", parity: "80")

  @Test func anActivationKeepsTicksTimesAndParity() throws {
    let trace = try decode(Self.activation)
    #expect(trace.header?.technology == .a)
    #expect(trace.header?.clock.tickUnit == "1/13.56 MHz")
    #expect(trace.events.count == 4)
    let request = trace.events[0]
    #expect(request.radioFrame?.lastByteBits == 7)
    #expect(request.end == .carrierCycles(1_056))
    #expect(trace.events[1].sourceTicks == SourceTicks(start: 2_228, length: 2_368))
    // 2,228 cycles are 164,306.8 ns.
    #expect(trace.events[1].start == Nanoseconds(164_307))
    #expect(trace.events[1].radioFrame?.parity == ParityBits([true, true]))
    #expect(trace.events[3].radioFrame?.parity == ParityBits([true, false, false, false, false]))
  }

  /// The rule of ISO/IEC 14443-3 as the trace stores it: 128 cycles a bit and the last modulation.
  @Test(arguments: [
    ("26", 7, Direction.outbound, 1_056), ("52", 7, .outbound, 992), ("0A", 4, .inbound, 576),
    ("00", 4, .inbound, 640), ("9320", 8, .outbound, 2_464), ("4400", 8, .inbound, 2_368),
  ])
  func durationsFollowBitsAndLastBit(
    _ bytes: String, _ bits: Int, _ direction: Direction, _ cycles: Int64
  ) {
    let frame = RadioFrame(CaptureBytes.hex(bytes), lastByteBits: UInt8(bits))
    #expect(ProxmarkDuration.typeA(direction, frame) == cycles)
    if frame.bytes.count == 1 {
      #expect(ProxmarkDuration.bitsOfSingleByte(lasting: UInt16(cycles)) == UInt8(bits))
    }
  }

  @Test(arguments: [1_087: 7, 1_088: 8, 1_216: 8, 960: 7, 959: 6, 448: 3, 0: 8, 65_535: 8])
  func shortFramesAreTakenFromTheDuration(_ duration: Int, _ bits: Int) {
    #expect(ProxmarkDuration.bitsOfSingleByte(lasting: UInt16(duration)) == UInt8(bits))
  }

  @Test func aSplitAnticollisionFrameHasTheBitsOfItsNVB() throws {
    let bytes =
      Self.activation
      + CaptureBytes.proxmark(20_000, 3_000, tag: false, "93 23 05", parity: "80")
    let trace = try decode(bytes)
    #expect(trace.events[4].radioFrame?.lastByteBits == 3)
  }

  @Test func timeGoesOnWhenTheCounterStartsAgain() throws {
    let bytes =
      CaptureBytes.proxmark(0xFFFF_FFF0, 992, tag: false, "52", parity: "00")
      + CaptureBytes.proxmark(0x0000_0800, 2_368, tag: true, "44 00", parity: "C0")
      + CaptureBytes.proxmark(0xFFFF_FFF8, 992, tag: false, "52", parity: "00")
    let trace = try decode(bytes)
    #expect(trace.events[1].start == .carrierCycles(0x810))
    #expect(!trace.events[1].isOutOfOrder)
    #expect(trace.events[1].sourceTicks?.start == 0x800)
    // A record that began before the end of the counter, written after it.
    #expect(trace.events[2].start == .carrierCycles(8))
    #expect(trace.events[2].isOutOfOrder)
  }

  @Test func timeThatGoesBackIsKeptAndFlagged() throws {
    let bytes =
      CaptureBytes.proxmark(50_000, 1_056, tag: false, "26", parity: "00")
      + CaptureBytes.proxmark(17_200, 2_368, tag: true, "44 00", parity: "C0")
    let trace = try decode(bytes)
    #expect(trace.events[1].isOutOfOrder)
    #expect(trace.events[1].start == .carrierCycles(-32_800))
  }

  @Test func saturatedMissingAndZeroTimes() throws {
    let bytes =
      CaptureBytes.proxmark(10, 0xFFFF, tag: false, "93 20", parity: "80")
      + CaptureBytes.proxmark(90_000, 0, tag: true, "44 00", parity: "C0")
      + CaptureBytes.proxmark(0, 0, tag: false, "93 20", parity: "80")
    let trace = try decode(bytes)
    #expect(trace.events.allSatisfy { $0.end == nil })
    #expect(trace.events.map(\.isTimeUnknown) == [false, false, true])
  }

  @Test func emptyRecordsHaveOneParityByte() throws {
    let bytes =
      Self.activation + CaptureBytes.proxmark(30_000, 64, tag: true, "", parity: "00")
      + CaptureBytes.proxmark(40_000, 992, tag: false, "52", parity: "00")
    let trace = try decode(bytes)
    #expect(trace.events.count == 6)
    #expect(trace.events[4].radioFrame?.bytes == [])
  }

  @Test func vicinityDurationsCountUnitsOf32Cycles() throws {
    let inventory = CRC16.b.appended(to: [0x26, 0x01, 0x00])
    let answer = CRC16.b.appended(
      to: [0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xE0])
    let bytes =
      CaptureBytes.proxmark(0, 688, tag: false, Hexadecimal.pairs(inventory), parity: "00")
      + CaptureBytes.proxmark(
        26_336, 1_000, tag: true, Hexadecimal.pairs(answer), parity: "00 00")
    let trace = try decode(bytes)
    #expect(trace.header?.technology == .v)
    // 688 × 32 cycles are 1.624 ms, what other tools measure for an inventory.
    #expect(trace.events[0].end == .carrierCycles(22_016))
  }

  @Test func typeBHasNoTrustworthyDurations() throws {
    let request = CRC16.b.appended(to: [0x05, 0x00, 0x00])
    let bytes = CaptureBytes.proxmark(
      0, 3_092, tag: false, Hexadecimal.pairs(request), parity: "00")
    let trace = try decode(bytes)
    #expect(trace.header?.technology == .b)
    #expect(trace.events[0].end == nil)
    #expect(trace.events[0].sourceTicks?.length == 3_092)
  }

  @Test func theSyncCodeTellsFeliCa() throws {
    let bytes = CaptureBytes.proxmark(
      0, 2_120, tag: false, "B2 4D 06 00 FF FF 00 00 09 21", parity: "00 00")
    #expect(try decode(bytes).header?.technology == .f)
  }

  @Test func theUserKnowsTheTechnologyBetter() throws {
    let trace = try decode(Self.activation, ImportOptions(technology: .b, role: .sniff))
    #expect(trace.header?.technology == .b)
    #expect(trace.header?.role == .sniff)
    #expect(trace.events[0].radioFrame?.parity == nil)
  }

  /// The layout of before 2014-12: u32 with bit 31 for the tag, u32 parity, u8 length, data.
  @Test func theOldLayoutIsReadWhenTheNewOneDoesNotFit() throws {
    let select = CRC16.a.appended(to: [0x93, 0x70, 0x88, 0x04, 0x01, 0x02, 0x8F])
    var parity: UInt64 = 0
    for (index, bit) in ParityBits.odd(for: select).bits.enumerated() where bit {
      parity |= 1 << UInt64(index)
    }
    let bytes =
      CaptureBytes.little(1_000, 4) + CaptureBytes.little(parity, 4) + [UInt8(select.count)]
      + select + CaptureBytes.little(0x8000_0000 | 9_000, 4) + CaptureBytes.little(7, 4)
      + [3] + CRC16.a.appended(to: [0x04])
    let trace = try decode(bytes)
    #expect(trace.events.count == 2)
    #expect(trace.warnings.count == 1)
    #expect(trace.events[0].radioFrame?.parity == .odd(for: select))
    guard case .radio(.inbound, let answer) = trace.events[1].content else {
      Issue.record("the second record is the tag's")
      return
    }
    #expect(answer.bytes == CRC16.a.appended(to: [0x04]))
  }

  @Test func aHitagTraceCountsBits() throws {
    let bytes =
      CaptureBytes.proxmark(371, 164, tag: false, "C0", parity: "05")
      + CaptureBytes.proxmark(722, 1_635, tag: true, "10 BD A8 10", parity: "00")
    let trace = try decode(bytes)
    #expect(trace.header?.technology == nil)
    #expect(trace.header?.clock.tickUnit == "8 us")
    #expect(trace.events[0].radioFrame?.bitCount == 5)
    #expect(trace.events[1].start == .microseconds(8 * 351))
  }

  @Test func tornRecordsAreToldWithTheirPlace() {
    let second = 10
    let bytes = Array(Self.activation.dropLast(3))
    #expect {
      try decode(bytes)
    } throws: { error in
      guard case .badInput(let bad)? = error as? TraceError else { return false }
      return bad.place == .byte(second + 11 + 11)
    }
    #expect(throws: TraceError.self) { try decode([]) }
  }
}
