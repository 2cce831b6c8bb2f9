import PN53x
import Testing

@Suite struct HostFrameDecoderTests {
  let version = HostFrame.information([0xD4, 0x02], .normal)

  @Test("`00 00 FF 00 00 D5 00` (seen in the field) is no ACK")
  func zeroLengthIsNoAcknowledgement() {
    let found = verifiedEvents(hex("00 00 FF 00 00 D5 00 00 FF 00 FF 00"))
    #expect(
      found == [
        .corrupt(.emptyFrame, hex("00 FF 00")), .corrupt(.unexpectedBytes, [0xD5]), .frame(.ack),
      ])
  }

  @Test("A one-byte frame is the error frame only with TFI 7F")
  func oneByteFrame() {
    #expect(
      verifiedEvents(hex("00 00 FF 01 FF D5 2B 00")) == [.frame(.information([0xD5], .normal))])
  }

  @Test("A wake-up of the serial link is one event, however long")
  func wakeUp() {
    let libnfc = hex("55 55") + [UInt8](repeating: 0, count: 14)
    let command = hex("00 00 FF 03 FD D4 14 01 17 00")
    #expect(
      verifiedEvents(libnfc + command) == [
        .wakeUp, .frame(.information([0xD4, 0x14, 0x01], .normal)),
      ])
  }

  @Test("Long preambles, no preamble, no postamble and touching frames are all accepted")
  func dressing() {
    let long = version.encoded(options: FramingOptions(preambleLength: 10))
    let bare = version.encoded(options: .bare)
    #expect(bare == hex("00 FF 02 FE D4 02 2A"))
    #expect(
      verifiedEvents(long + bare + bare + HostFrame.ack.encoded(options: .bare) + bare) == [
        .frame(version), .frame(version), .frame(version), .frame(.ack), .frame(version),
      ])
  }

  @Test("A wrong checksum is reported with its bytes, and the next frame is found")
  func checksums() {
    #expect(
      verifiedEvents(hex("00 00 FF 02 FD D4 02 2A 00 00 00 FF 00 FF 00")) == [
        .corrupt(.lengthChecksum, hex("00 FF 02 FD")),
        .corrupt(.unexpectedBytes, hex("D4 02 2A")), .frame(.ack),
      ])
    #expect(
      verifiedEvents(hex("00 00 FF 02 FE D4 02 2B 00 00 00 FF 00 FF 00")) == [
        .corrupt(.dataChecksum, hex("00 FF 02 FE D4 02 2B")), .frame(.ack),
      ])
    #expect(
      verifiedEvents(hex("00 00 FF FF FF 00 04 FD D4 00 00 FF 00 FF 00")) == [
        .corrupt(.lengthChecksum, hex("00 FF FF FF 00 04 FD")),
        .corrupt(.unexpectedBytes, [0xD4]), .frame(.ack),
      ])
  }

  @Test("When bytes of a frame are lost, the frames behind it survive", arguments: 1...5)
  func lostBytes(count: Int) {
    let answer = hex("00 00 FF 06 FA D5 03 32 01 06 07 E8 00")
    let next = hex("00 00 FF 02 FE D5 15 16 00")
    let torn = Array(answer[..<6]) + Array(answer[(6 + count)...])
    let found = verifiedEvents(torn + next + next)
    let survivor = HostFrameEvent.frame(.information([0xD5, 0x15], .normal))
    #expect(found.filter { $0 == survivor }.count == 2)
  }

  @Test("A frame inside the data of another is data, even when the checksum fails")
  func frameInsideData() throws {
    let body = hex("D4 42") + HostFrame.ack.encoded() + hex("01 02 03")
    let frame = try HostFrame.information(body, for: .pn533)
    var bytes = frame.encoded()
    #expect(verifiedEvents(bytes) == [.frame(frame)])
    bytes[bytes.count - 2] ^= 0xFF
    #expect(verifiedEvents(bytes).count == 1)
  }

  @Test("A frame that never ends is reported at the end of the input")
  func incomplete() {
    #expect(
      verifiedEvents(hex("00 00 FF 06 FA D5 03")) == [
        .corrupt(.incomplete, hex("00 FF 06 FA D5 03"))
      ])
    #expect(verifiedEvents(hex("00 00 00")) == [])
    #expect(verifiedEvents(hex("12 34")) == [.corrupt(.unexpectedBytes, [0x12, 0x34])])
  }

  @Test("Endless noise is reported in bounded pieces and never kept")
  func boundedNoise() {
    var decoder = HostFrameDecoder()
    var found: [HostFrameEvent] = []
    var longest = 0
    for _ in 0..<10_000 {
      decoder.decode([0x12], into: &found)
      longest = max(longest, decoder.pendingCount)
    }
    #expect(longest == HostFrameDecoder.maximumUnexpected - 1)
    #expect(found.first == .corrupt(.unexpectedBytes, [UInt8](repeating: 0x12, count: 64)))
  }

  @Test("No bytes make the decoder trap, keep more than its bound, or depend on the cuts")
  func anyBytes() {
    var random = SplitMix(state: 53)
    let alphabet: [UInt8] = [
      0x00, 0x00, 0xFF, 0xFF, 0x01, 0x02, 0xFE, 0xD4, 0xD5, 0x7F, 0x55, 0x81,
    ]
    for round in 0..<2_000 {
      let bytes = (0..<random.below(80)).map { _ in
        round % 2 == 0 ? alphabet[random.below(alphabet.count)] : UInt8(random.below(256))
      }
      #expect(events(bytes.map { [$0] }) == events([bytes]))
      var decoder = HostFrameDecoder()
      var ignored: [HostFrameEvent] = []
      decoder.decode(bytes, into: &ignored)
      #expect(decoder.pendingCount <= HostFrameDecoder.maximumPending)
    }
  }
}
