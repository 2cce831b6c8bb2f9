import NFCProtocols
import Testing

@Suite struct Type2CommandTests {
  @Test(arguments: [
    ("3000", "READ"), ("3A0410", "FAST_READ"), ("A20411223344", "WRITE"), ("A004", "COMP_WRITE"),
    ("60", "GET_VERSION"), ("3902", "READ_CNT"), ("A50001000000", "INCR_CNT"),
    ("3E00", "CHECK_TEARING_EVENT"), ("1BFFFFFFFF", "PWD_AUTH"), ("3C00", "READ_SIG"),
    ("C2FF", "SECTOR_SELECT"), ("1A00", "AUTHENTICATE"),
  ])
  func `commands both ways`(_ text: String, _ name: String) throws {
    let command = try #require(try Type2Command(hex(text)))
    #expect(command.bytes == hex(text))
    #expect(command.name == name)
  }

  @Test(arguments: ["30", "300000", "A2041122", "6000", "C200", "1B00", "3A04"])
  func `wrong lengths`(_ text: String) {
    #expect(throws: ProtocolError.self) { try Type2Command(hex(text)) }
  }

  @Test func `other bytes are no Type 2 command`() throws {
    #expect(try Type2Command([]) == nil)
    #expect(try Type2Command(hex("E080")) == nil)
  }

  @Test func `READ of block 0 as readers send it`() {
    #expect(Type2Command.read(page: 0).frame.bytes == hex("300002A8"))
    #expect(Type2Command.sectorSelectSecondPart(sector: 1).bytes.starts(with: hex("01000000")))
  }

  @Test func `four-bit answers`() {
    for answer in FourBitAnswer.allCases {
      #expect(answer.frame.bitCount == 4)
      #expect(FourBitAnswer(answer.frame) == answer)
    }
    #expect(FourBitAnswer(RadioFrame([0x0A])) == nil, "eight bits are no ACK")
    #expect(FourBitAnswer(RadioFrame([0x07], lastByteBits: 4)) == nil)
  }

  @Test func `versions name their product`() throws {
    let (version, isSame) = try roundTrip(Type2Version.self, "0004040201001103")
    #expect(isSame && version.productName == "NTAG215")
    #expect(try Type2Version(hex("0004040201000F03")).productName == "NTAG213")
    #expect(try Type2Version(hex("0053040201001103")).productName == nil)
  }

  @Test(arguments: [
    ("6000", "AUTH A", UInt8(0)), ("6104", "AUTH B", 1), ("3004", "READ", 1), ("A004", "WRITE", 1),
    ("C005", "DECREMENT", 1), ("C105", "INCREMENT", 1), ("C205", "RESTORE", 1),
    ("B080", "TRANSFER", 32), ("30FF", "READ", 39),
  ])
  func `commands of MIFARE Classic`(_ text: String, _ name: String, _ sector: UInt8) throws {
    let command = try #require(try MifareClassicCommand(hex(text)))
    #expect(command.bytes == hex(text))
    #expect(command.name == name && command.sector == sector)
  }

  @Test func `value blocks keep three copies`() throws {
    let (block, isSame) = try roundTrip(
      MifareValueBlock.self, "87D61200 7829EDFF 87D61200 11EE11EE")
    #expect(isSame && block.value == 1_234_567 && block.address == 0x11)
    #expect(MifareValueBlock(value: -1).bytes.starts(with: hex("FFFFFFFF00000000FFFFFFFF00FF")))
    for index in 0..<16 {
      var bad = block.bytes
      bad[index] ^= 1
      #expect(throws: ProtocolError.self) { try MifareValueBlock(bad) }
    }
  }
}
