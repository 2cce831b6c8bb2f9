import NFCProtocols
import PN53x
import Testing

@Suite struct ResponseTests {
  static let listA = Command.inListPassiveTarget(maximum: 1, .typeA106, initiatorData: [])

  @Test(
    "Replies to InListPassiveTarget from public logs, UIDs replaced",
    arguments: [
      // SENS_RES the wrong way round, as an ACR122U log prints it: accepted as it is.
      ("D5 4B 01 01 04 00 08 04 11 22 33 DE", 0x0400, 0x08, "11 22 33 DE", nil),
      ("D5 4B 01 01 00 04 28 04 22 33 44 E1", 0x0004, 0x28, "22 33 44 E1", nil),
      ("D5 4B 01 01 00 44 00 07 04 11 22 33 44 A6 80", 0x0044, 0, "04 11 22 33 44 A6 80", nil),
      (
        "D5 4B 01 01 00 04 20 04 08 11 22 2C 05 78 80 70 02", 0x0004, 0x20, "08 11 22 2C",
        "05 78 80 70 02"
      ),
      (
        "D5 4B 01 01 03 44 20 07 04 21 32 43 54 52 80 06 75 77 81 02 80", 0x0344, 0x20,
        "04 21 32 43 54 52 80", "06 75 77 81 02 80"
      ),
      (
        """
        D5 4B 01 01 00 48 20 07 04 31 42 53 64 C9 80 \
        0D 78 77 B1 02 4A 43 4F 50 76 32 34 31
        """, 0x0048, 0x20, "04 31 42 53 64 C9 80", "0D 78 77 B1 02 4A 43 4F 50 76 32 34 31"
      ),
    ] as [(String, UInt16, UInt8, String, String?)])
  func typeATarget(
    text: String, sensRes: UInt16, selRes: UInt8, uid: String, ats: String?
  ) throws {
    let response = try Response(body: hex(text), to: ResponseTests.listA, from: .pn533)
    let target = TypeATarget(
      sensRes: sensRes, selRes: selRes, nfcid1: hex(uid), ats: ats.map(hex))
    #expect(response == .passiveTargets([PassiveTarget(number: 1, data: .typeA(target))]))
    #expect(response.body(from: .pn533) == hex(text))
    #expect(target.isISODEP == (selRes & 0x20 != 0))
  }

  @Test("Whole frames of public logs carry the same targets")
  func loggedFrames() throws {
    let log = hex("00 00 FF 11 EF D5 4B 01 01 00 04 20 04 08 33 44 03 05 78 80 71 00 C6 00")
    guard case .frame(let frame)? = verifiedEvents(log).first else {
      Issue.record("no frame")
      return
    }
    let response = try Response(body: frame.body, to: ResponseTests.listA, from: .pn532)
    guard case .passiveTargets(let targets) = response,
      case .typeA(let target)? = targets.first?.data
    else {
      Issue.record("no target")
      return
    }
    #expect(target.ats == hex("05 78 80 71 00"))
  }

  @Test("A PN531 swaps SENS_RES and keeps the cascade tags")
  func pn531Target() throws {
    let body = hex("D5 4B 01 01 44 00 00 08 88 04 11 22 33 44 A6 80")
    let response = try Response(body: body, to: ResponseTests.listA, from: .pn531)
    guard case .passiveTargets(let targets) = response,
      case .typeA(let target)? = targets.first?.data
    else {
      Issue.record("no target")
      return
    }
    #expect(target.sensRes == 0x0044)
    #expect(target.uid == hex("04 11 22 33 44 A6 80"))
    #expect(response.body(from: .pn531) == body)
  }

  @Test("Two targets, the first with an ATS: its end is where the second number stands")
  func twoTargets() throws {
    let body = hex(
      "D5 4B 02 01 00 04 20 04 08 11 22 33 05 78 80 70 02 02 00 44 00 04 11 22 33 44")
    let command = Command.inListPassiveTarget(maximum: 2, .typeA106, initiatorData: [])
    let response = try Response(body: body, to: command, from: .pn532)
    guard case .passiveTargets(let targets) = response else {
      Issue.record("no targets")
      return
    }
    #expect(targets.map(\.number) == [1, 2])
    #expect(response.body(from: .pn532) == body)
  }

  @Test("FeliCa, type B, Jewel and nothing found")
  func otherTargets() throws {
    let feliCa = "12 01 01 FE 01 02 03 04 05 06 01 20 22 04 27 67 4E FF"
    let list = Command.inListPassiveTarget(
      maximum: 1, .feliCa212, initiatorData: hex("00 FF FF 01 00"))
    let body = hex("D5 4B 01 01 14") + hex(feliCa).dropFirst() + hex("88 B4")
    #expect(
      try Response(body: body, to: list, from: .pn533)
        == .passiveTargets([
          PassiveTarget(
            number: 1,
            data: .feliCa(
              FeliCaTarget(
                nfcid2: hex("01 FE 01 02 03 04 05 06"), pad: hex("01 20 22 04 27 67 4E FF"),
                systemCode: 0x88B4)))
        ]))
    let atqb = "50 11 22 33 44 00 00 00 00 00 81 81"
    #expect(
      try Response(
        body: hex("D5 4B 01 01 \(atqb) 01 00"),
        to: .inListPassiveTarget(maximum: 1, .typeB106, initiatorData: [0]), from: .pn533)
        == .passiveTargets([
          PassiveTarget(
            number: 1, data: .typeB(TypeBTarget(atqb: hex(atqb), attribResponse: [0])))
        ]))
    #expect(
      try Response(
        body: hex("D5 4B 01 01 0C 00 11 22 33 44"),
        to: .inListPassiveTarget(maximum: 1, .jewel106, initiatorData: []), from: .pn532)
        == .passiveTargets([
          PassiveTarget(
            number: 1,
            data: .jewel(JewelTarget(sensRes: [0x0C, 0x00], identifier: hex("11 22 33 44"))))
        ]))
    #expect(
      try Response(body: hex("D5 4B 00"), to: ResponseTests.listA, from: .pn533)
        == .passiveTargets([]))
  }

  @Test("InAutoPoll entries begin with the number of the target, not with an unknown byte")
  func autoPoll() throws {
    let body = hex("D5 61 01 10 0C 01 00 44 00 07 04 41 52 63 74 0B 89")
    let poll = Command.inAutoPoll(rounds: 1, period: 1, [AutoPollType(rawValue: 0x10)])
    guard case .autoPolled(let entries) = try Response(body: body, to: poll, from: .pn532),
      let target = try entries.first?.target()
    else {
      Issue.record("no target")
      return
    }
    #expect(
      target
        == PassiveTarget(
          number: 1,
          data: .typeA(
            TypeATarget(sensRes: 0x0044, selRes: 0, nfcid1: hex("04 41 52 63 74 0B 89")))))
  }

  @Test(
    "Firmware versions tell the chips apart",
    arguments: [
      ("D5 03 33 02 07 07", Chip.pn533), ("D5 03 32 01 06 07", .pn532),
      ("D5 03 33 01 30 07", .rcS956), ("D5 03 04 02", .pn531),
    ])
  func firmware(text: String, chip: Chip) throws {
    let response = try Response(body: hex(text), to: .getFirmwareVersion, from: chip)
    guard case .firmwareVersion(let version) = response else {
      Issue.record("no version")
      return
    }
    #expect(version.chip == chip)
    #expect(response.body(from: chip) == hex(text))
  }

  @Test("Only a PN533 puts a status in front of register values")
  func registers() throws {
    let read = Command.readRegister([.txMode])
    #expect(
      try Response(body: hex("D5 07 00 80"), to: read, from: .pn533)
        == .registerValues(.success, [0x80]))
    #expect(
      try Response(body: hex("D5 07 80"), to: read, from: .pn532) == .registerValues(nil, [0x80]))
    let write = Command.writeRegister([RegisterWrite(.txMode, 0x80)])
    #expect(try Response(body: hex("D5 09"), to: write, from: .pn532) == .registersWritten([]))
    #expect(
      try Response(body: hex("D5 09 00"), to: write, from: .rcS956)
        == .registersWritten([.success]))
  }

  @Test("A response to another command and the error frame are told apart")
  func mismatch() throws {
    #expect(throws: PN53xError.responseMismatch(command: 0x02, response: 0x4B)) {
      try Response(body: hex("D5 4B 00"), to: .getFirmwareVersion, from: .pn533)
    }
    #expect(
      try Response(body: [0x7F], to: .getFirmwareVersion, from: .pn533) == .syntaxError)
  }

  @Test("Status byte: two flags and a number")
  func statusByte() throws {
    let response = try Response(
      body: hex("D5 41 40 01 02"), to: .inDataExchange(TargetReference(1), []), from: .pn533)
    let status = try #require(response.status)
    #expect(status.hasMoreInformation && !status.hasNodeAddress)
    #expect(status.status == .success)
    #expect(StatusByte(rawValue: 0x81).status == .timeout)
    #expect(ChipStatus.timeout.category == .radio)
    #expect(ChipStatus.authenticationError.category == .authentication)
    #expect(ChipStatus.notAcceptable.category == .argument)
    #expect(ChipStatus.releasedByInitiator.category == .released)
    let unlisted: [UInt8] = [0x08, 0x0F, 0x11, 0x15, 0x16, 0x1A, 0x22, 0x24, 0x28, 0x30]
    for number in unlisted { #expect(ChipStatus(rawValue: number).category == .unknown) }
  }

  @Test(
    "Time codes: 100 µs · 2^(n-1); libnfc rounds down",
    arguments: [
      (50, 0x09), (52, 0x0A), (100, 0x0A), (103, 0x0B), (300, 0x0C), (500, 0x0D),
      (1000, 0x0E), (5000, 0x10),
    ] as [(Int64, UInt8)])
  func timeoutCode(milliseconds: Int64, code: UInt8) {
    #expect(RFTimeoutCode(notLongerThan: .milliseconds(milliseconds)).rawValue == code)
  }

  @Test("Time codes: nfcpy rounds up; 0 and 11 have no time")
  func timeoutCodeBounds() {
    #expect(RFTimeoutCode(rawValue: 0x0A).duration == .microseconds(51_200))
    #expect(RFTimeoutCode(rawValue: 0x10).duration == .microseconds(3_276_800))
    #expect(RFTimeoutCode(rawValue: 0).duration == nil)
    #expect(RFTimeoutCode(rawValue: 0x11).duration == nil)
    #expect(RFTimeoutCode(notShorterThan: .milliseconds(52)).rawValue == 0x0B)
    #expect(RFTimeoutCode(notShorterThan: .seconds(10)) == .maximum)
  }
}
