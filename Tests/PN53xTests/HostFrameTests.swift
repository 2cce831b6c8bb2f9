import PN53x
import Testing

@Suite struct HostFrameTests {
  @Test(
    "Frames as UM0701-02 6.2.1 and public logs print them",
    arguments: [
      ("00 00 FF 00 FF 00", HostFrame.ack),
      ("00 00 FF FF 00 00", .nack),
      ("00 00 FF 01 FF 7F 81 00", .error),
      ("00 00 FF 02 FE D4 02 2A 00", .information([0xD4, 0x02], .normal)),
      (
        "00 00 FF 06 FA D5 03 33 02 07 07 E5 00",
        .information([0xD5, 0x03, 0x33, 0x02, 0x07, 0x07], .normal)
      ),
      // chrome-nfc sends short bodies in extended frames.
      (
        "00 00 FF FF FF 00 04 FC D4 4A 01 00 E1 00",
        .information([0xD4, 0x4A, 0x01, 0x00], .extended)
      ),
      // nfcpy, RC-S380: the low byte of the length comes first.
      (
        "00 00 FF FF FF 03 00 FD D6 2A 01 FF 00",
        .information([0xD6, 0x2A, 0x01], .extendedLittleEndian)
      ),
    ])
  func documentedFrame(text: String, frame: HostFrame) {
    #expect(verifiedEvents(hex(text)) == [.frame(frame)])
    #expect(frame.encoded() == hex(text))
  }

  @Test(
    "Every boundary of the length survives a round trip",
    arguments: [0, 1, 252, 253, 254, 262, 263], [Chip.pn532, .pn533, .rcS956])
  func boundaryLength(parameters: Int, chip: Chip) throws {
    let body = [0xD4, 0x00] + [UInt8](repeating: 0xA5, count: parameters)
    let frame = try HostFrame.information(body, for: chip)
    let bytes = frame.encoded()
    if parameters <= 253 {
      #expect(frame == .information(body, .normal))
      #expect(bytes.count == body.count + 7)
      #expect(bytes[3] == UInt8(body.count))
    } else {
      #expect(frame == .information(body, .extended))
      #expect(bytes.count == body.count + 10)
      #expect(Array(bytes[3...6]) == [0xFF, 0xFF, 0x01, UInt8(body.count - 256)])
    }
    #expect(verifiedEvents(bytes) == [.frame(frame)])
    let forced = try HostFrame.information(body, for: chip, alwaysExtended: true)
    #expect(verifiedEvents(forced.encoded()) == [.frame(.information(body, .extended))])
  }

  @Test("LEN = 255 is a normal frame although its length byte is FF")
  func longestNormalFrame() throws {
    let body = [UInt8](repeating: 0xD4, count: 255)
    let bytes = try HostFrame.information(body, for: .pn533).encoded()
    #expect(Array(bytes[2...4]) == [0xFF, 0xFF, 0x01])
    #expect(verifiedEvents(bytes) == [.frame(.information(body, .normal))])
  }

  @Test(
    "One byte more than a chip takes is refused",
    arguments: [(Chip.pn531, 254), (.pn532, 265), (.pn533, 265), (.rcS956, 265), (.rcS380, 512)])
  func tooLong(chip: Chip, maximum: Int) throws {
    let body = [UInt8](repeating: 0xD4, count: maximum + 1)
    _ = try HostFrame.information(Array(body.dropLast()), for: chip)
    #expect(throws: PN53xError.bodyTooLong(length: maximum + 1, maximum: maximum)) {
      try HostFrame.information(body, for: chip)
    }
    #expect(throws: PN53xError.emptyBody) { try HostFrame.information([], for: chip) }
  }

  @Test("An extended frame of 266 bytes is a fault, and the next frame is found")
  func tooLongOnTheWire() {
    let found = verifiedEvents(hex("00 00 FF FF FF 01 0A F5 D4 00 00 FF 00 FF 00"))
    #expect(
      found == [
        .corrupt(.tooLong, hex("00 FF FF FF 01 0A F5")), .corrupt(.unexpectedBytes, [0xD4]),
        .frame(.ack),
      ])
  }
}
