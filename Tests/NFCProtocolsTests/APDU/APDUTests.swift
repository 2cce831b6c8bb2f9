import NFCProtocols
import Testing

@Suite struct APDUTests {
  @Test(arguments: [
    ("00A40000", 1), ("9060000000", 2), ("00B0000002", 2), ("00A4000C02E103", 3),
    ("00A4040007D276000085010100", 4), ("905A00000300000000", 4), ("00CB000000FFFF", 2),
    ("00D600000000020102", 3), ("00CB3FFF0000025C000000", 4), ("8010000000 0001 04 0000", 4),
  ])
  func `the seven forms of the standard`(_ text: String, _ number: Int) throws {
    let (command, isSame) = try roundTrip(CommandAPDU.self, text)
    #expect(isSame)
    #expect(command.caseNumber == number)
  }

  @Test func `Le of zero stands for the most that the form can ask for`() throws {
    #expect(try CommandAPDU(hex("00B0000000")).expectedLength == 256)
    #expect(try CommandAPDU(hex("00B00000000000")).expectedLength == 65_536)
    #expect(try CommandAPDU(hex("00B00000000100")).expectedLength == 256)
    #expect(try CommandAPDU(hex("00B00000000100")).isExtended)
  }

  @Test(arguments: [0, 1, 254, 255, 256, 257, 65_534, 65_535])
  func `data lengths at the ends of both forms`(_ count: Int) throws {
    for expected in [nil, 1, 255, 256, 257, 65_535, 65_536] {
      let command = CommandAPDU(
        cla: 0, ins: 0xD6, p1: 0, p2: 0, data: [UInt8](repeating: 0xD6, count: count),
        expectedLength: expected)
      #expect(command.isExtended == (count > 255 || (expected ?? 0) > 256))
      let again = try CommandAPDU(command.bytes)
      #expect(again == command)
    }
  }

  @Test func `known builders give the frames of the Type 4 document`() {
    let application = CommandAPDU.select(application: Type4CapabilityFile.applicationIdentifier)
    #expect(application.bytes == hex("00A4040007D276000085010100"))
    #expect(CommandAPDU.select(file: 0xE103).bytes == hex("00A4000C02E103"))
    #expect(CommandAPDU.readBinary(offset: 0, length: 15).bytes == hex("00B000000F"))
    #expect(CommandAPDU.updateBinary(offset: 0x102, data: [1]).bytes == hex("00D601020101"))
  }

  @Test(arguments: [
    ("", ProtocolError.truncated(element: "command APDU", offset: 0, missing: 1)),
    ("00A404", .truncated(element: "command APDU", offset: 3, missing: 1)),
    ("00A4040007D276", .truncated(element: "command APDU", offset: 7, missing: 5)),
    ("00A40400021122AABB", .trailingBytes(element: "command APDU", offset: 8, count: 1)),
    (
      "00A404000000",
      .badValue(element: "command APDU", offset: 4, found: 0, expected: "Lc from 01 to FF")
    ),
    (
      "00A4040000000011",
      .badLength(element: "command APDU", offset: 5, found: 0, expected: 1...65_535)
    ),
    ("00A4040000000111AA", .truncated(element: "command APDU", offset: 9, missing: 1)),
  ])
  func `lengths that lie are refused`(_ text: String, _ fault: ProtocolError) {
    #expect(throws: fault) { try CommandAPDU(hex(text)) }
  }

  @Test(arguments: [
    ("00A4040007D276", "D276", Int?.none),  // Lc too large
    ("00A40400021122AABB", "1122", 0xAA),  // bytes behind Le
    ("00A404000000", "", 256),  // Lc 00 in front of Le
    ("00A4040000000111AA", "11", nil),
  ])
  func `the lenient mode takes them`(_ text: String, _ data: String, _ expected: Int?) throws {
    let command = try CommandAPDU(hex(text), mode: .lenient)
    #expect(command.data == hex(data))
    #expect(command.expectedLength == expected)
  }

  @Test func `only less than four bytes is too little for the lenient mode`() {
    #expect(throws: ProtocolError.self) { try CommandAPDU(hex("00A404"), mode: .lenient) }
  }

  @Test func `responses`() throws {
    let (answer, isSame) = try roundTrip(ResponseAPDU.self, "00 0B 90 00")
    #expect(isSame && answer.data == hex("000B") && answer.status == .success)
    #expect(try ResponseAPDU(hex("6A82")).status.name == "file or application not found")
    #expect(throws: ProtocolError.truncated(element: "response APDU", offset: 1, missing: 1)) {
      try ResponseAPDU(hex("90"))
    }
  }

  @Test func `status words`() {
    #expect(StatusWord(0x9000).isSuccess && StatusWord(0x91AF).isSuccess)
    #expect(StatusWord(0x6110).remainingBytes == 16 && StatusWord(0x6100).remainingBytes == 256)
    #expect(StatusWord(0x6C05).correctExpectedLength == 5)
    #expect(StatusWord(0x63C2).name == "counter is 2")
    #expect(StatusWord.wrongLength.name == "wrong length")
    #expect(StatusWord(0x1234).name == nil)
  }

  @Test(arguments: [
    ("00A40400", "SELECT"), ("00B00000", "READ BINARY"), ("80A80000", "GET PROCESSING OPTIONS"),
    ("80AE8000", "GENERATE AC"), ("90600000", "DESFire GetVersion"),
    ("90AF0000", "DESFire AdditionalFrame"), ("0CB00000", "READ BINARY"),
  ])
  func `names of instructions`(_ text: String, _ name: String) throws {
    #expect(try CommandAPDU(hex(text)).name == name)
  }
}
