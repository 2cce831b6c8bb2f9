import NFCProtocols
import Testing

@Suite struct TimingTests {
  @Test func `frame delay time is 1236 after a one and 1172 after a zero`() {
    #expect(FrameDelayTimeA(lastBitIsOne: true).carrierCycles == 1_236)
    #expect(FrameDelayTimeA(lastBitIsOne: false).carrierCycles == 1_172)
    // REQA 26: bit 6 is 0. WUPA 52: bit 6 is 1.
    #expect(!RadioFrame([0x26], lastByteBits: 7).lastBitOnAir)
    #expect(RadioFrame([0x52], lastByteBits: 7).lastBitOnAir)
    #expect(FrameDelayTimeA(after: RadioFrame([0x52], lastByteBits: 7)).carrierCycles == 1_236)
  }

  @Test func `a later answer falls on the next slot`() {
    #expect(FrameDelayTimeA.atLeast(0, lastBitIsOne: false).carrierCycles == 1_172)
    #expect(FrameDelayTimeA.atLeast(1_172, lastBitIsOne: false).carrierCycles == 1_172)
    #expect(FrameDelayTimeA.atLeast(1_173, lastBitIsOne: false).carrierCycles == 1_300)
    #expect(FrameDelayTimeA.atLeast(1_237, lastBitIsOne: true).carrierCycles == 1_364)
  }

  @Test func `a recorded parity bit is the last bit of a frame`() {
    #expect(RadioFrame([0x93, 0x20]).lastBitOnAir == false)
    #expect(RadioFrame([0x93, 0x20], parity: ParityBits([true, true])).lastBitOnAir)
    #expect(!RadioFrame([]).lastBitOnAir)
  }

  /// 128·bits + 96 or 160 (reader), + 64 or 128 (card), as published captures have it.
  @Test(arguments: [
    (RadioFrame([0x26], lastByteBits: 7), Direction.outbound, Int64(1_056)),
    (RadioFrame([0x52], lastByteBits: 7), Direction.outbound, Int64(992)),
    (RadioFrame([0x93, 0x20]), Direction.outbound, Int64(2_464)),
    (RadioFrame([0x44, 0x00]), Direction.inbound, Int64(2_368)),
    (RadioFrame([0x0A], lastByteBits: 4), Direction.inbound, Int64(576)),
    (RadioFrame([0x05], lastByteBits: 4), Direction.inbound, Int64(640)),
  ])
  func `air time of type A at 106 kbit/s`(
    _ frame: RadioFrame, _ direction: Direction, _ cycles: Int64
  ) {
    #expect(AirTime.carrierCycles(of: frame, direction) == cycles)
  }

  @Test func `air time of the other technologies`() {
    // REQB 680 µs, FeliCa polling at 212 kbit/s 604.5 µs and ISO 15693 inventory 1.624 ms as
    // measured from the air in public recordings.
    let request = RadioFrame.protected([0x05, 0x00, 0x00], .b)
    #expect(AirTime.duration(of: request, .outbound) == .carrierCycles(9_216))
    let poll = RadioFrame.protected(hex("0600FFFF000F"), .f, kilobitsPerSecond: 212)
    #expect(AirTime.duration(of: poll, .outbound) == .carrierCycles(8_192))
    let inventory = RadioFrame.protected([0x26, 0x01, 0x00], .v)
    #expect(AirTime.carrierCycles(of: inventory, .outbound) == 22_016)
  }

  @Test func `air time falls with the bit rate`() {
    let slow = RadioFrame.protected([0x02, 0x90, 0x00], .a, kilobitsPerSecond: 106)
    let fast = RadioFrame.protected([0x02, 0x90, 0x00], .a, kilobitsPerSecond: 424)
    let ratio =
      AirTime.carrierCycles(of: slow, .outbound) / AirTime.carrierCycles(of: fast, .outbound)
    #expect(ratio == 4)
    #expect(
      AirTime.carrierCycles(of: fast, .inbound) < AirTime.carrierCycles(of: slow, .inbound))
  }

  @Test func `a frame with 256 bytes takes at least 22 ms at 106 kbit/s`() {
    let frame = RadioFrame([UInt8](repeating: 0, count: 256), technology: .a)
    #expect(AirTime.duration(of: frame, .inbound) > .microseconds(21_700))
  }

  @Test func `fixed limits in time`() {
    #expect(abs(ProtocolTiming.activation.count - 4_833_038) < 10)
    #expect(abs(ProtocolTiming.waitingTimeMargin.count - 3_624_779) < 10)
    #expect(abs(ProtocolTiming.cardToReaderMinimum.count - 86_431) < 10)
    #expect(abs(ProtocolTiming.requestGuard.count - 516_224) < 10)
  }
}
