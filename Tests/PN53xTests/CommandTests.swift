import PN53x
import Testing

@Suite struct CommandTests {
  static let uid: [UInt8] = [0x04, 0x21, 0x32, 0x43]

  @Test(
    "Commands as drivers send them",
    arguments: [
      // Sequences of libnfc, nfcpy and Linux.
      ("D4 00 00 01 02 03", Command.diagnose(test: 0, parameters: [1, 2, 3])),
      ("D4 02", .getFirmwareVersion),
      ("D4 04", .getGeneralStatus),
      ("D4 06 63 02 63 03 63 05", .readRegister([.txMode, .rxMode, .txAuto])),
      (
        "D4 08 63 02 80 63 03 80",
        .writeRegister([RegisterWrite(.txMode, 0x80), RegisterWrite(.rxMode, 0x80)])
      ),
      ("D4 0C", .readGPIO),
      ("D4 0E 84 80", .writeGPIO(p3: 0x84, p7: 0x80)),
      ("D4 10 07", .setSerialBaudRate(.baud921600)),
      ("D4 12 14", .setParameters(.usual)),
      ("D4 14 01", .samConfiguration(mode: 1, timeout: nil, interrupt: nil)),
      ("D4 14 01 14 01", .samConfiguration(mode: 1, timeout: 0x14, interrupt: 1)),
      ("D4 16 F0", .powerDown(wakeUpBy: 0xF0, interrupt: nil)),
      ("D4 18 01", .alparOrResetMode([1])),
      ("D4 32 01 02", .rfConfiguration(.field(isOn: false, automaticCollisionAvoidance: true))),
      (
        "D4 32 02 00 0B 0A",
        .rfConfiguration(
          .timings(
            0, atrResponse: RFTimeoutCode(rawValue: 0x0B), retry: RFTimeoutCode(rawValue: 0x0A)))
      ),
      ("D4 32 04 00", .rfConfiguration(.maximumRetriesCommunication(0))),
      (
        "D4 32 05 FF FF FF",
        .rfConfiguration(.maximumRetries(atr: 0xFF, psl: 0xFF, passiveActivation: 0xFF))
      ),
      (
        "D4 32 0A 59 F4 3F 11 4D 85 61 6F 26 62 87",
        .rfConfiguration(.analogue106A(hex("59 F4 3F 11 4D 85 61 6F 26 62 87")))
      ),
      ("D4 32 0C FF 04 85", .rfConfiguration(.analogueB(hex("FF 04 85")))),
      ("D4 32 82 08 01 08", .rfConfiguration(.sonyTimings(hex("08 01 08")))),
      ("D4 40 01 30 04", .inDataExchange(TargetReference(1), [0x30, 0x04])),
      ("D4 40 41 00 A4", .inDataExchange(TargetReference(1, moreInformation: true), [0x00, 0xA4])),
      ("D4 42 30 04", .inCommunicateThru([0x30, 0x04])),
      ("D4 44 00", .inDeselect(TargetReference(0))),
      ("D4 4A 01 00", .inListPassiveTarget(maximum: 1, .typeA106, initiatorData: [])),
      (
        "D4 4A 01 01 00 FF FF 01 03",
        .inListPassiveTarget(maximum: 1, .feliCa212, initiatorData: hex("00 FF FF 01 03"))
      ),
      ("D4 4A 01 08 00", .inListPassiveTarget(maximum: 1, .typeB848, initiatorData: [0])),
      ("D4 4E 01 02 02", .inPSL(TargetReference(1), toTarget: 2, toInitiator: 2)),
      ("D4 50 01 00", .inATR(ATRParameters(target: TargetReference(1)))),
      ("D4 52 00", .inRelease(TargetReference(0))),
      ("D4 54 01", .inSelect(TargetReference(1))),
      (
        "D4 56 00 01 01 00 FF FF 00 00",
        .inJumpForDEP(
          JumpParameters(isActive: false, speed: 1, passiveData: hex("00 FF FF 00 00")))
      ),
      (
        "D4 46 01 02 06 01 02 03 04 05 06 07 08 09 0A 46 66 6D",
        .inJumpForPSL(
          JumpParameters(
            isActive: true, speed: 2, nfcid3: hex("01 02 03 04 05 06 07 08 09 0A"),
            generalBytes: hex("46 66 6D")))
      ),
      ("D4 58 00", .rfRegulationTest(txMode: 0)),
      (
        "D4 60 FF 01 20 11",
        .inAutoPoll(
          rounds: 0xFF, period: 1, [AutoPollType(rawValue: 0x20), AutoPollType(rawValue: 0x11)])
      ),
      ("D4 86", .tgGetData), ("D4 88", .tgGetInitiatorCommand), ("D4 8A", .tgGetTargetStatus),
      ("D4 8E 90 00", .tgSetData([0x90, 0x00])),
      ("D4 90 05 78 80 70 02", .tgResponseToInitiator(hex("05 78 80 70 02"))),
      ("D4 92 46 66 6D", .tgSetGeneralBytes(hex("46 66 6D"))),
      ("D4 94 01", .tgSetMetaData([1])), ("D4 96 01", .tgSetDataSecure([1])),
      ("D4 98 01", .tgSetMetaDataSecure([1])), ("D4 38 01", .inQuartetByteExchange([1])),
      ("D4 48 01", .inActivateDeactivatePaypass([1])), ("D4 1C 01", .controlLED([1])),
      ("D4 A0 01", .communicateThruEX([1])),
      ("D4 EE 01 02", .unknown(CommandCode(rawValue: 0xEE), [1, 2])),
    ])
  func command(text: String, expected: Command) throws {
    #expect(try Command(body: hex(text), for: .pn533) == expected)
    #expect(expected.body(for: .pn533) == hex(text))
  }

  @Test("An RC-S956 wants a byte in front of the target number")
  func sonyTargetNumber() throws {
    let command = Command.inDeselect(TargetReference(1, leadingByte: 1))
    #expect(command.body(for: .rcS956) == hex("D4 44 01 01"))
    #expect(try Command(body: hex("D4 44 01 01"), for: .rcS956) == command)
    #expect(throws: PN53xError.trailingBytes(offset: 3, count: 1)) {
      try Command(body: hex("D4 44 01 01"), for: .pn533)
    }
    #expect(
      try Response(body: hex("D5 45 01 27"), to: command, from: .rcS956).status?.status
        == .notAcceptable)
  }

  @Test("TgInitAsTarget has length bytes on PN532 and PN533, and none on PN531 and RC-S956")
  func initAsTarget() throws {
    let start = "D4 8C 00 08 00 12 34 56 40"
    let feliCa = "01 FE 0F BB BA A6 C9 89 FF FF FF FF FF FF FF FF FF FF"
    let nfcid3 = "01 FE 0F BB BA A6 C9 89 00 00"
    var expected = TargetModeParameters(
      mode: 0, sensRes: 0x0008, nfcid1: hex("12 34 56"), selRes: 0x40, feliCa: hex(feliCa),
      nfcid3: hex(nfcid3), generalBytes: hex("46 66 6D"), historicalBytes: [0x80])
    let long = hex("\(start) \(feliCa) \(nfcid3) 03 46 66 6D 01 80")
    #expect(try Command(body: long, for: .pn532) == .tgInitAsTarget(expected))
    #expect(Command.tgInitAsTarget(expected).body(for: .pn532) == long)
    expected.historicalBytes = []
    let short = hex("\(start) \(feliCa) \(nfcid3) 46 66 6D")
    #expect(try Command(body: short, for: .pn531) == .tgInitAsTarget(expected))
    #expect(Command.tgInitAsTarget(expected).body(for: .rcS956) == short)
  }

  @Test(
    "What is no command says where and what is missing",
    arguments: [
      ("", PN53xError.truncated(offset: 0, expected: .frameIdentifier)),
      ("D5 03", .unexpectedValue(offset: 0, found: 0xD5, expected: .frameIdentifier)),
      ("D4", .truncated(offset: 1, expected: .code)),
      ("D4 4A 01", .truncated(offset: 3, expected: .modulation)),
      ("D4 4A 01 09", .unexpectedValue(offset: 3, found: 9, expected: .modulation)),
      ("D4 06 63", .truncated(offset: 3, expected: .registerAddress)),
      ("D4 08 63 02", .truncated(offset: 4, expected: .registerValue)),
      ("D4 10 09", .unexpectedValue(offset: 2, found: 9, expected: .parameters)),
      ("D4 02 00", .trailingBytes(offset: 2, count: 1)),
      ("D4 56 00 00 08", .unexpectedValue(offset: 4, found: 8, expected: .parameters)),
      ("D4 60 01 01", .parameterOutOfRange(.parameters, value: 0, allowed: 1...15)),
    ])
  func faults(text: String, error: PN53xError) {
    #expect(throws: error) { try Command(body: hex(text), for: .pn532) }
  }

  @Test("InDataExchange takes 262 bytes of data and not one more")
  func longestExchange() throws {
    let data = [UInt8](repeating: 0, count: Command.maximumExchangeLength)
    let longest = Command.inDataExchange(TargetReference(1), data)
    #expect(try longest.frame(for: .pn533).body.count == 265)
    #expect(throws: PN53xError.bodyTooLong(length: 266, maximum: 265)) {
      try Command.inDataExchange(TargetReference(1), data + [0]).frame(for: .pn533)
    }
  }

  @Test("No body makes the decoders trap, and what is read is written the same")
  func anyBody() {
    var random = SplitMix(state: 20)
    for _ in 0..<20_000 {
      let code = random.below(3) == 0 ? random.below(256) : random.below(0xA2 / 2) * 2
      let content = (0..<random.below(60)).map { _ in UInt8(random.below(random.below(256) + 1)) }
      let chip = Chip.allCases[random.below(4)]
      let body = [0xD4, UInt8(code)] + content
      guard let command = try? Command(body: body, for: chip) else { continue }
      #expect(command.body(for: chip) == body)
      let answer = (0..<random.below(60)).map { _ in UInt8(random.below(random.below(64) + 1)) }
      let reply = [0xD5, UInt8(code) &+ 1] + answer
      guard let response = try? Response(body: reply, to: command, from: chip) else { continue }
      #expect(response.body(from: chip) == reply)
    }
  }
}
