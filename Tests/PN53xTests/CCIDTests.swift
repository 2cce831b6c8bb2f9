import PN53x
import Testing

@Suite struct CCIDTests {
  @Test("GetFirmwareVersion through an ACR122U, as libnfc sends it")
  func firmwareVersion() throws {
    let command = hex("6F 07 00 00 00 00 00 00 00 00 FF 00 00 00 02 D4 02")
    let message = try CCIDMessage(command)
    #expect(message.type == .transferBlock)
    #expect(message.bytes == command)
    #expect(ACR122Envelope.Request(message.data) == .body([0xD4, 0x02]))
    #expect(try ACR122Envelope.wrap([0xD4, 0x02]) == message.data)
    // bStatus and bError tell of a missing card although the data are good.
    let answer = try CCIDMessage(hex("80 08 00 00 00 00 00 02 FE 00 D5 03 32 01 04 07 90 00"))
    #expect(ACR122Envelope.Reply(answer.data) == .body(hex("D5 03 32 01 04 07")))
  }

  @Test(
    "What the reader answers",
    arguments: [
      ("63 00", ACR122Envelope.Reply.chipSilent), ("63 7F", .chipError),
      ("61 12", .moreAvailable(length: 0x12)), ("90 00", .done([])), ("", .empty),
      ("6A 81", .other([0x6A, 0x81])),
    ])
  func replies(text: String, reply: ACR122Envelope.Reply) {
    #expect(ACR122Envelope.Reply(hex(text)) == reply)
  }

  @Test(
    "What a host asks of the reader itself",
    arguments: [
      ("FF 00 51 7F 00", ACR122Envelope.Request.setPollingParameter(0x7F)),
      ("FF 00 41 FF 00", .setTimeout(0xFF)),
      ("FF 00 40 0E 04 00 00 00 00", .setLights(0x0E, [0, 0, 0, 0])),
      ("FF 00 52 00 00", .setBuzzer(0)), ("FF 00 48 00 00", .getVersion),
      ("FF C0 00 00 12", .getResponse(length: 0x12)),
      ("FF 00 00 00 03 D4 02", .other(hex("FF 00 00 00 03 D4 02"))),
    ])
  func requests(text: String, request: ACR122Envelope.Request) {
    #expect(ACR122Envelope.Request(hex(text)) == request)
  }

  @Test("Lengths that lie, and headers that are cut")
  func faults() {
    #expect(throws: PN53xError.truncated(offset: 9, expected: .ccidHeader)) {
      try CCIDMessage(hex("80 00 00 00 00 00 00 00 00"))
    }
    #expect(throws: PN53xError.truncated(offset: 10, expected: .parameters)) {
      try CCIDMessage(hex("80 01 00 00 00 00 00 00 00 00"))
    }
    #expect(throws: PN53xError.trailingBytes(offset: 10, count: 1)) {
      try CCIDMessage(hex("80 00 00 00 00 00 00 00 00 00 01"))
    }
    #expect(throws: PN53xError.self) {
      try CCIDMessage(hex("80 FF FF FF FF 00 00 00 00 00 01"))
    }
  }

  @Test("The envelope takes 254 bytes and not one more")
  func longest() throws {
    let body = [UInt8](repeating: 0xD4, count: 254)
    #expect(try ACR122Envelope.wrap(body).count == 259)
    #expect(throws: PN53xError.bodyTooLong(length: 255, maximum: 254)) {
      try ACR122Envelope.wrap(body + [0])
    }
  }
}
