import NFCProtocols
import Testing

@Suite struct NDEFTests {
  /// RTD URI 1.0 A.1, RTD Text 1.0 A.1 and a common Android record.
  @Test(arguments: [
    ("D1010855016E66632E636F6D", NDEFContent.uri("http://www.nfc.com")),
    ("D1010D5500 6D6D73746573743A2F2F78", .uri("mmstest://x")),
    ("D1011054 02656E48656C6C6F2C20776F726C64", .text(NDEFText("Hello, world"))),
    ("D1010B5482656E FEFF 00480069", .text(NDEFText("Hi", isUTF16: true))),
    ("D1010B5482656E FFFE 48006900", .text(NDEFText("Hi", isUTF16: true))),
    ("D40F0561 6E64726F69642E636F6D3A706B67 612E622E63", .androidApplication("a.b.c")),
    ("D20A03746578742F706C61696E616263", .media(type: "text/plain", Array("abc".utf8))),
    ("D000 00", .empty),
    ("D50003010203", .unknown([1, 2, 3])),
  ])
  func `common records`(_ text: String, _ content: NDEFContent) throws {
    var bytes = hex(text)
    if bytes[0] == 0xD1, bytes[3] == 0x54 { bytes[2] = UInt8(bytes.count - 4) }
    if bytes[0] == 0xD1, bytes[3] == 0x55 { bytes[2] = UInt8(bytes.count - 4) }
    if bytes[0] == 0xD4 {
      // The external record above is written without its lengths being counted by hand.
      bytes = NDEFMessage([.androidApplication("a.b.c")]).bytes
      #expect(bytes.starts(with: [0xD4, 0x0F, 0x05] + "android.com:pkg".utf8))
    }
    let message = try NDEFMessage(bytes)
    #expect(message.records.count == 1)
    #expect(try message.records[0].content() == content)
    #expect(message.bytes == bytes)
  }

  @Test func `every URI prefix is used and found again`() throws {
    #expect(NDEFURI.prefixes.count == 0x24)
    for (code, prefix) in NDEFURI.prefixes.enumerated() {
      let record = NDEFRecord.uri(prefix + "x")
      #expect(record.payload == [UInt8(code)] + "x".utf8)
      #expect(try record.content() == .uri(prefix + "x"))
    }
    let reserved = NDEFRecord(.wellKnown, type: Array("U".utf8), payload: [0x24, 0x61])
    #expect(try reserved.content() == .uri("a"), "a reserved code counts as no prefix")
  }

  @Test func `a smart poster both ways`() throws {
    let poster = SmartPoster(
      uri: "https://example.org/t", titles: [NDEFText("Tor"), NDEFText("Gate", language: "en-GB")],
      action: 0, size: 70_000, mediaType: "text/html",
      others: [.media("image/png", [0x89, 0x50])])
    let message = NDEFMessage([.smartPoster(poster)])
    #expect(try NDEFMessage(message.bytes).records[0].content() == .smartPoster(poster))
    let empty = NDEFRecord(.wellKnown, type: Array("Sp".utf8), payload: hex("D1010154 00"))
    #expect(throws: ProtocolError.self) { try empty.content() }
  }

  @Test func `chunks are joined`() throws {
    let record = NDEFRecord.media("text/plain", Array("0123456789".utf8))
    let message = NDEFMessage([.empty, record, .text(NDEFText("x"))])
    for size in 1...12 {
      let bytes = message.bytes(chunkedBy: size)
      #expect(try NDEFMessage(bytes) == message)
    }
    #expect(message.bytes(chunkedBy: 12) == message.bytes)
  }

  @Test(arguments: [0, 1, 254, 255, 256, 65_536])
  func `short and long records`(_ count: Int) throws {
    let payload = [UInt8](repeating: 0x55, count: count)
    let message = NDEFMessage([NDEFRecord(.unknown, identifier: [7], payload: payload)])
    #expect((message.bytes[0] & 0x10 != 0) == (count <= 255))
    #expect(try NDEFMessage(message.bytes) == message)
  }

  @Test(arguments: [
    "", "D1", "D101", "D10105", "D1010555", "D1010A550161", "11010155 00", "910101550051010155",
    "51010155 00", "D1010155 0000", "D0 00 01 00", "D0 01 00 54", "D6 00 01 00", "D5 01 00 54",
    "D1 00 01 00", "B1 01 01 54 00 56 00 01", "F1 01 01 54 00", "C1 01 FFFFFFFF 54",
    "B101015400 5101015400",
  ])
  func `broken messages are refused`(_ text: String) {
    #expect(throws: ProtocolError.self) { try NDEFMessage(hex(text)) }
  }

  @Test func `TLV blocks of a Type 2 tag`() throws {
    // Lock control as NTAG213 has it, NDEF, terminator, rubbish.
    let area = hex("0103A00C34 0000 0303D00000 FE 99")
    let blocks = try TagTLV.blocks(in: area[...])
    #expect(blocks.map(\.tag) == [.lockControl, .null, .null, .ndef, .terminator])
    #expect(blocks[3].value == hex("D00000"))
    #expect(TagTLV.area(blocks) == Array(area.dropLast()))
    let lock = try ReservedAreaControl(blocks[0].value)
    #expect(lock.pageAddress == 0xA && lock.size == 12 && lock.firstByte == 160)
    #expect(lock.bytes == blocks[0].value)
    #expect(try TagTLV.firstNDEF(in: area[...]) == hex("D00000"))
  }

  @Test(arguments: [0, 1, 253, 254, 255, 256, 65_534])
  func `TLV lengths at the ends of both forms`(_ count: Int) throws {
    let block = TagTLV(.ndef, [UInt8](repeating: 1, count: count))
    let area = TagTLV.area([block, TagTLV(.terminator)])
    #expect(area.count == count + (count > 254 ? 4 : 2) + 1)
    #expect(try TagTLV.firstNDEF(in: area[...]) == block.value)
  }

  @Test func `TLV lengths that lie`() {
    for text in ["03", "0302D0", "03FF", "03FF00", "03FF0004AA", "03FFFFFF"] {
      #expect(throws: ProtocolError.self) { try TagTLV.blocks(in: hex(text)[...]) }
    }
  }

  @Test func `an area without NDEF block has none`() throws {
    #expect(try TagTLV.firstNDEF(in: hex("0000FE0300")[...]) == nil)
    #expect(try TagTLV.firstNDEF(in: []) == nil)
  }

  @Test func `capability containers`() throws {
    let (two, sameTwo) = try roundTrip(Type2Capability.self, "E1101200")
    #expect(sameTwo && two.dataAreaSize == 144 && two.isReadable && two.isWritable)
    #expect(!(try Type2Capability(hex("E110120F")).isWritable))
    let (five, sameFive) = try roundTrip(Type5Capability.self, "E1400D01")
    #expect(sameFive && five.dataAreaSize == 104 && five.supportsReadMultiple && five.length == 4)
    let (long, sameLong) = try roundTrip(Type5Capability.self, "E240000100000200")
    #expect(sameLong && long.dataAreaSize == 4_096 && !long.hasShortAddresses && long.length == 8)
    #expect(Type5Capability(dataAreaSize: 2_040).length == 4)
    #expect(Type5Capability(dataAreaSize: 2_048).length == 8)
    for bad in ["", "E1", "E0400D01", "E1400D0100", "E14000010000"] {
      #expect(throws: ProtocolError.self) { try Type5Capability(hex(bad)) }
    }
    #expect(throws: ProtocolError.self) { try Type2Capability(hex("00101200")) }
  }

  @Test func `the attribute block of a Type 3 tag is guarded by a sum`() throws {
    let (block, isSame) = try roundTrip(
      Type3Attributes.self, "10 04 01 000D 00000000 00 01 000010 0033")
    #expect(isSame && block.blockCount == 13 && block.messageLength == 16)
    #expect(
      throws: ProtocolError.badChecksum(
        element: "attribute block", offset: 14, found: 0x34, expected: 0x33)
    ) { try Type3Attributes(hex("10 04 01 000D 00000000 00 01 000010 0034")) }
  }

  @Test func `the capability container file of a Type 4 tag`() throws {
    let (file, isSame) = try roundTrip(
      Type4CapabilityFile.self, "000F20003B00340406E10400320000")
    #expect(isSame)
    #expect(file.maximumResponseData == 0x3B && file.maximumCommandData == 0x34)
    #expect(file.ndefFile?.identifier == 0xE104 && file.ndefFile?.maximumSize == 50)
    let (three, sameThree) = try roundTrip(
      Type4CapabilityFile.self, "001130FFFFFFFF0608E104000100000000")
    #expect(sameThree && three.ndefFile?.maximumSize == 65_536)
    for bad in [
      "", "000E", "000F20", "001020003B00340406E10400320000", "000F20003B00340405E10400320000",
    ] {
      #expect(throws: ProtocolError.self) { try Type4CapabilityFile(hex(bad)) }
    }
  }
}
