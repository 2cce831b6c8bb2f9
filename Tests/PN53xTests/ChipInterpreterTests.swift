import NFCProtocols
import PN53x
import Testing

@Suite struct ChipInterpreterTests {
  /// Says every body and gives the words and what was lifted.
  private func say(
    _ bodies: [String], chip: Chip = .pn533
  ) -> [(words: String, lifted: LiftedContent)] {
    var interpreter = ChipInterpreter(chip: chip)
    return bodies.map { body in
      var text = TextBuffer()
      let lifted = interpreter.interpret(hex(body), into: &text)
      return (text.string, lifted)
    }
  }

  @Test("An InDataExchange dialogue with a Type 4 tag gives its APDUs")
  func isoDEP() {
    let said = say([
      "D4 02", "D5 03 33 02 07 07", "D4 4A 01 00",
      "D5 4B 01 01 00 04 20 04 08 11 22 33 05 78 80 70 02",
      "D4 40 01 00 A4 04 00 07 D2 76 00 00 85 01 01 00", "D5 41 00 90 00",
    ])
    #expect(
      said.map(\.words) == [
        "GetFirmwareVersion", "GetFirmwareVersion: PN533 2.7",
        "InListPassiveTarget 1 target, 106 A",
        """
        InListPassiveTarget: 1 target  ATQA 0004, SAK 20, UID 08112233 (random), \
        ATS 05 78 80 70 02
        """, "InDataExchange target 1, 13 bytes", "InDataExchange: ok, 2 bytes",
      ])
    #expect(said[3].lifted == .activation(.a, sak: 0x20, isISODEP: true))
    #expect(
      said[4].lifted == .apdu(.outbound, hex("00 A4 04 00 07 D2 76 00 00 85 01 01 00")))
    #expect(said[5].lifted == .apdu(.inbound, [0x90, 0x00]))
  }

  @Test("More information in both directions is joined")
  func moreInformation() {
    let said = say([
      "D4 4A 01 00", "D5 4B 01 01 00 04 20 04 08 11 22 33 05 78 80 70 02",
      "D4 40 41 00 D6", "D5 41 00", "D4 40 01 00 00", "D5 41 40 01 02", "D4 40 01",
      "D5 41 00 90 00",
    ])
    #expect(said[2].lifted == .nothing)
    #expect(said[3].lifted == .nothing)
    #expect(said[4].lifted == .apdu(.outbound, hex("00 D6 00 00")))
    #expect(said[5].lifted == .nothing)
    #expect(said[5].words == "InDataExchange: ok, more follows, 2 bytes")
    #expect(said[6].lifted == .nothing)
    #expect(said[7].lifted == .apdu(.inbound, hex("01 02 90 00")))
  }

  @Test("InCommunicateThru gives frames; a MIFARE key stays with the chip")
  func frames() {
    let said = say([
      "D4 4A 01 00", "D5 4B 01 01 00 04 08 04 01 02 03 04",
      "D4 40 01 60 04 FF FF FF FF FF FF 01 02 03 04", "D5 41 14", "D4 42 30 04",
      "D5 43 00 01 02",
    ])
    #expect(said[2].words == "InDataExchange target 1, 12 bytes  AUTH A block 4")
    #expect(said[2].lifted == .nothing)
    #expect(said[3].words == "InDataExchange: 14 MIFARE authentication error")
    #expect(
      said[4].lifted
        == .radio(.outbound, RadioFrame([0x30, 0x04], technology: .a, crc: .notCaptured)))
    #expect(
      said[5].lifted
        == .radio(.inbound, RadioFrame([0x01, 0x02], technology: .a, crc: .notCaptured)))
  }

  @Test("Target mode: the reader speaks in the responses")
  func targetMode() {
    let said = say([
      """
      D4 8C 01 04 00 12 34 56 20 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
      00 00 00 00 00 00 00 00 00
      """, "D5 8D 08 E0 80", "D4 90 05 78 80 70 02", "D5 91 00", "D4 88",
      "D5 89 00 02 00 A4 04 00", "D4 88", "D5 89 29",
    ])
    #expect(said[1].words == "TgInitAsTarget: as card, 106 A, 2 bytes")
    guard case .radio(.outbound, let rats) = said[1].lifted else {
      Issue.record("no RATS")
      return
    }
    #expect(rats.bytes == [0xE0, 0x80])
    guard case .radio(.inbound, let ats) = said[2].lifted else {
      Issue.record("no ATS")
      return
    }
    #expect(ats.bytes == hex("05 78 80 70 02"))
    #expect(said[7].words == "TgGetInitiatorCommand: 29 released by the initiator")
  }

  @Test("The RC-S380 speaks another language in the same frames")
  func rcS380() {
    let said = say([
      "D6 2A 01", "D7 2B 00", "D6 00 02 03 0F 03", "D7 01 00", "D6 04 E8 03 26",
      "D7 05 00 00 00 00 08 44 00", "D7 05 80 00 00 00",
    ])
    #expect(said[0].words == "SetCommandType")
    #expect(said[1].words == "SetCommandType  ok")
    #expect(
      said[4].lifted == .radio(.outbound, RadioFrame([0x26], technology: .a, crc: .notCaptured)))
    #expect(
      said[5].lifted
        == .radio(.inbound, RadioFrame([0x44, 0x00], technology: .a, crc: .notCaptured)))
    #expect(said[6].words == "InCommRF  timeout, the target is silent")
  }

  @Test("An ACR122U is unwrapped")
  func acr122() {
    var interpreter = ChipInterpreter()
    var words: [String] = []
    for message in [
      "62 00 00 00 00 00 00 01 00 00", "6F 05 00 00 00 00 00 00 00 00 FF 00 51 00 00",
      "6F 07 00 00 00 00 00 00 00 00 FF 00 00 00 02 D4 02",
      "80 08 00 00 00 00 00 02 FE 00 D5 03 32 01 04 07 90 00",
      "80 02 00 00 00 00 00 02 FE 00 63 00",
    ] {
      var text = TextBuffer()
      _ = interpreter.interpret(ccid: hex(message), into: &text)
      words.append(text.string)
    }
    #expect(
      words == [
        "IccPowerOn", "XfrBlock  reader: polling parameter 00", "XfrBlock  GetFirmwareVersion",
        "DataBlock  GetFirmwareVersion: PN532 1.4", "DataBlock  63 00, the chip is silent",
      ])
  }

  @Test("Answers without their command, and parameters that do not fit, are said to be so")
  func faults() {
    let said = say(["D5 4B 00", "D4 4A 01", "D4 02", "D5 4B 00", "D5"])
    #expect(
      said.map(\.words) == [
        "InListPassiveTarget  (command not seen)",
        "InListPassiveTarget  (ends at byte 3, modulation and speed (BrTy) expected)",
        "GetFirmwareVersion", "InListPassiveTarget  (answers another command)",
        "frame without a code",
      ])
  }

  @Test("No bodies make the interpreter trap")
  func anyBodies() {
    var random = SplitMix(state: 380)
    var interpreter = ChipInterpreter()
    let identifiers: [UInt8] = [0xD4, 0xD5, 0xD5, 0xD6, 0xD7, 0x7F]
    var code: UInt8 = 0
    for _ in 0..<20_000 {
      let identifier = identifiers[random.below(identifiers.count)]
      if identifier != 0xD5 { code = UInt8(random.below(0xA2)) & 0xFE }
      let content = (0..<random.below(40)).map { _ in UInt8(random.below(random.below(255) + 1)) }
      let body = [identifier, identifier & 1 == 1 ? code &+ 1 : code] + content
      var text = TextBuffer()
      _ = interpreter.interpret(body, into: &text)
      _ = interpreter.interpret(ccid: body, into: &text)
      #expect(!text.bytes.isEmpty)
    }
  }
}
