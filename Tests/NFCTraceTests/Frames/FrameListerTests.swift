import NFCProtocols
import NFCTrace
import PN53x
import ProtocolTesting
import Testing

@Suite struct FrameListerTests {
  private func list(_ events: [TraceEvent.Content]) -> String {
    var lister = FrameLister()
    var output = TextBuffer()
    for content in events { lister.append(TraceEvent(start: .zero, content), to: &output) }
    return output.string
  }

  @Test func listsRadioFramesAndAPDUs() {
    let lines = list([
      .field(FieldChange(isOn: true)), .radio(.outbound, RadioFrame([0x26], lastByteBits: 7)),
      .radio(.inbound, RadioFrame([0x44, 0x00])), .radio(.inbound, RadioFrame([])),
      .application(nil, "x"), .apdu(.outbound, [0x00, 0xA4]), .apdu(.inbound, [0x90, 0x00]),
    ])
    #expect(lines == "R 26\nT 4400\nT \nR 00a4\nT 9000\n")
  }

  /// GetFirmwareVersion of a PN533 (UM 7.2.2) with its ACK, the answer in two transfers.
  @Test func joinsHostFrames() {
    let lines = list([
      .link(LinkTransfer(.outbound, [0x55, 0x55, 0x00, 0x00], transport: .serial)),
      .link(LinkTransfer(.outbound, [0, 0, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0])),
      .link(LinkTransfer(.inbound, [0, 0, 0xFF, 0, 0xFF, 0])),
      .link(LinkTransfer(.inbound, [0, 0, 0xFF, 0x06, 0xFA, 0xD5, 0x03])),
      .link(LinkTransfer(.inbound, [0x33, 0x02, 0x07, 0x07, 0xE5, 0])),
      .link(LinkTransfer(.outbound, [0, 0, 0xFF, 0xFF, 0, 0])),
    ])
    #expect(lines == "H wake\nH d402\nC ack\nC d50333020707\nH nack\n")
  }

  @Test func joinsCCIDMessagesByTheirLength() {
    let power: [UInt8] = [0x62, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let block: [UInt8] = [0x80, 2, 0, 0, 0, 0, 0, 0, 0x81, 0, 0x3B, 0x00]
    let lines = list([
      .link(LinkTransfer(.outbound, power, payload: .ccid)),
      .link(LinkTransfer(.inbound, Array(block[..<10]), payload: .ccid)),
      .link(LinkTransfer(.inbound, Array(block[10...]), payload: .ccid)),
    ])
    #expect(lines == "H 62000000000000000000\nC 800200000000000081003b00\n")
  }

  @Test func takesNCIPacketsOfALogAsTheyAreAndJoinsThoseOfABus() {
    let reset: [UInt8] = [0x20, 0x00, 0x01, 0x00]
    let lines = list([
      .link(LinkTransfer(.outbound, reset, transport: .unspecified, payload: .nci)),
      .link(LinkTransfer(.inbound, [0x40, 0x00, 0x03], transport: .unspecified, payload: .nci)),
      .link(LinkTransfer(.outbound, Array(reset[..<3]), transport: .i2c, payload: .nci)),
      .link(LinkTransfer(.outbound, Array(reset[3...]), transport: .i2c, payload: .nci)),
    ])
    #expect(lines == "H 20000100\nC 400003\nH 20000100\n")
  }

  /// Frames that the capture cut do not swallow the next transfer.
  @Test func passesOverCutFrames() {
    let lines = list([
      .link(
        LinkTransfer(.inbound, [0, 0, 0xFF, 0x06, 0xFA, 0xD5, 0x03], originalLength: 13)),
      .link(LinkTransfer(.inbound, [0, 0, 0xFF, 0, 0xFF, 0])),
    ])
    #expect(lines == "C ack\n")
  }

  @Test func doesNotDependOnHowTransfersAreCut() {
    let frame = HostFrame.information(Array(repeating: 0xD5, count: 264), .extended)
    let bytes = [0, 0, 0xFF, 0, 0xFF, 0] + frame.encoded()
    for pieces in SplitVerifier.cuts(of: bytes) {
      var reassembler = LinkReassembler()
      var messages: [LinkMessage] = []
      for piece in pieces {
        reassembler.take(LinkTransfer(.inbound, Array(piece)), into: &messages)
      }
      reassembler.finish(into: &messages)
      #expect(
        messages == [LinkMessage(.inbound, .pn53x(.ack)), LinkMessage(.inbound, .pn53x(frame))])
    }
  }

  @Test func reportsWhatIsLeft() {
    var reassembler = LinkReassembler()
    var messages: [LinkMessage] = []
    reassembler.take(LinkTransfer(.inbound, [0x80, 5, 0, 0], payload: .ccid), into: &messages)
    reassembler.take(
      LinkTransfer(.inbound, [0x60], transport: .i2c, payload: .nci), into: &messages)
    reassembler.finish(into: &messages)
    #expect(
      messages == [
        LinkMessage(.inbound, .incomplete([0x80, 5, 0, 0])),
        LinkMessage(.inbound, .incomplete([0x60])),
      ])
  }

  @Test func refusesALengthThatNoCCIDMessageHas() {
    var reassembler = LinkReassembler()
    var messages: [LinkMessage] = []
    let lie: [UInt8] = [0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0]
    reassembler.take(LinkTransfer(.inbound, lie, payload: .ccid), into: &messages)
    #expect(messages == [LinkMessage(.inbound, .incomplete(lie))])
  }
}
