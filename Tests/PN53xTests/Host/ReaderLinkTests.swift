import NFCProtocols
import PN53x
import Testing

/// An ACR122U: CCID messages with sequence numbers, no acknowledgement and no abort.
@Suite("Host engine: ACR122U") struct ReaderLinkTests {
  private static func block(
    _ sequence: UInt8, _ data: String, status: UInt8 = 0, error: UInt8 = 0x81
  ) -> [UInt8] {
    CCIDMessage(
      type: .dataBlock, sequence: sequence, parameters: .init(status, error, 0), data: hex(data)
    ).bytes
  }

  private func host() -> HostDialogue { HostDialogue(.acr122) }

  @Test("a command in a pseudo-APDU, its sequence number given back") func plain() {
    let host = host()
    host.perform(.getFirmwareVersion)
    #expect(host.takeSent() == ["6F 07 00 00 00 00 01 00 00 00 FF 00 00 00 02 D4 02"])
    host.input(.received(Self.block(1, "D5 03 32 01 04 07 90 00")))
    #expect(
      host.takeResponse()
        == .firmwareVersion(
          FirmwareVersion(integratedCircuit: 0x32, version: 1, revision: 4, support: 7)))
    host.perform(.getGeneralStatus)
    #expect(host.takeSent().first?.contains("00 02 00 00 00") == true, "the number counts up")
  }

  @Test("S2: the late answer of the poll before is dropped, then the right one is taken")
  func lag() {
    let host = host()
    host.perform(
      .inListPassiveTarget(maximum: 1, .feliCa212, initiatorData: [0xFF, 0xFF, 0x01, 0x00]),
      .patience(.milliseconds(300)))
    host.wait(milliseconds: 300)
    #expect(host.takeFailure()?.link == .notAnswered)
    host.perform(.rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 2)))
    host.input(.received(Self.block(1, "D5 4B 00 90 00")))
    #expect(host.takeOutcome() == nil)
    host.input(.received(Self.block(2, "D5 33 90 00")))
    #expect(host.takeResponse() == .done(.rfConfiguration))
    #expect(host.takeNotes() == [.sequenceMismatch(expected: 2, found: 1)])
  }

  @Test("S2: firmware that gives no number back is matched by the code of the answer")
  func noSequence() {
    let host = host()
    host.perform(.getFirmwareVersion)
    host.input(.received(Self.block(0, "D5 03 32 01 04 07 90 00")))
    #expect(host.takeResponse() != nil)
    host.perform(.poll, .patience(.milliseconds(300)))
    host.wait(milliseconds: 300)
    _ = host.takeOutcome()
    host.perform(.readRegister([.txMode, .rxMode]))
    host.input(.received(Self.block(0, "D5 4B 00 90 00")))
    #expect(host.takeOutcome() == nil)
    host.input(.received(Self.block(0, "D5 07 83 83 90 00")))
    #expect(host.takeResponse() == .registerValues(nil, [0x83, 0x83]))
  }

  @Test("S7: an empty block is a mute card, never success and never read beyond its end")
  func mute() {
    let host = host()
    host.perform(.exchange([0x00, 0xA4]))
    host.input(.received(Self.block(1, "", error: 0xFE)))
    #expect(host.takeFailure()?.link == .mute(error: 0xFE))
    host.perform(.getGeneralStatus)
    host.input(.received(Self.block(2, "D5 05 00 00 00 00 90 00")))
    #expect(host.takeResponse() != nil)
  }

  @Test("S8: 63 00, 63 7F and 61 xx are three different things") func statusWords() {
    let host = host()
    host.perform(.exchange([0x90, 0x5A]))
    host.input(.received(Self.block(1, "63 7F")))
    #expect(host.takeFailure()?.link == .syntaxError)
    #expect(host.takeSent().count == 1, "nothing is fetched after 63 7F")
    host.perform(.exchange([0x90, 0x5A]))
    host.input(.received(Self.block(2, "63 00")))
    #expect(host.takeFailure()?.link == .chipSilent)
    _ = host.takeSent()
    host.perform(.exchange([0x90, 0x5A]))
    host.input(.received(Self.block(3, "61 07")))
    #expect(host.takeSent().last == "6F 05 00 00 00 00 04 00 00 00 FF C0 00 00 07")
    host.input(.received(Self.block(4, "D5 41 00 91 00 90 00")))
    #expect(host.takeResponse() == .data(.inDataExchange, .success, [0x91, 0x00]))
  }

  @Test("61 xx twice in a row is an error") func fetchedTwice() {
    let host = host()
    host.perform(.exchange([0x90, 0x5A]))
    host.input(.received(Self.block(1, "61 07")))
    host.input(.received(Self.block(2, "61 07")))
    #expect(host.takeFailure()?.link == .notFetched(length: 7))
  }

  @Test("bStatus and bError do not matter when there is data") func statusWithData() {
    let host = host()
    host.perform(.getGeneralStatus)
    host.input(.received(Self.block(1, "D5 05 00 00 00 00 90 00", status: 0x02, error: 0xFE)))
    #expect(host.takeResponse() != nil)
  }

  @Test("a request for more time is granted") func timeExtension() {
    let host = host()
    host.perform(.exchange([0x00, 0xA4]), .within(.milliseconds(500)))
    host.wait(milliseconds: 400)
    host.input(.received(Self.block(1, "", status: 0x80, error: 1)))
    host.wait(milliseconds: 400)
    #expect(host.takeOutcome() == nil)
    host.input(.received(Self.block(1, "D5 41 00 90 00 90 00")))
    #expect(host.takeResponse() != nil)
  }

  @Test("a message may come in pieces, two may come in one, rubbish is dropped") func pieces() {
    let host = host()
    host.perform(.getGeneralStatus)
    host.input(.received([0x12, 0x34, 0xFF, 0xFF, 0xFF, 0xFF]))
    let answer = Self.block(1, "D5 05 00 00 00 00 90 00")
    host.input(.received(Self.block(9, "D5 4B 00 90 00") + answer[..<7]))
    #expect(host.takeOutcome() == nil)
    host.input(.received(Array(answer[7...])))
    #expect(host.takeResponse() != nil)
  }

  @Test("requests to the reader's own firmware") func ownFirmware() {
    let host = host()
    host.input(.ask(.powerOn))
    #expect(host.takeSent() == ["62 00 00 00 00 00 01 00 00 00"])
    host.input(.received(Self.block(1, "3B 00")))
    host.input(.ask(.pseudoAPDU([0xFF, 0x00, 0x51, 0x00, 0x00])))
    #expect(host.takeSent() == ["6F 05 00 00 00 00 02 00 00 00 FF 00 51 00 00"])
    host.wait(milliseconds: 5_000)
    #expect(host.answers.count == 2)
    #expect(host.answers.first == .success([0x3B, 0x00]))
    #expect(
      host.answers.last
        == .failure(
          CommandFailure(nil, in: .answering, waited: .seconds(5), .link(.notAnswered))))
  }

  @Test("254 bytes fit, one more does not") func limit() {
    let host = host()
    host.perform(.inCommunicateThru([UInt8](repeating: 0, count: 252)))
    #expect(host.takeSent().count == 1)
    host.input(.received(Self.block(1, "D5 43 00 90 00")))
    _ = host.takeOutcome()
    host.perform(.inCommunicateThru([UInt8](repeating: 0, count: 253)))
    #expect(
      host.takeFailure()?.link == .notEncodable(.bodyTooLong(length: 255, maximum: 254)))
  }
}
