import NFCProtocols
import NFCTrace
import Testing
import TraceFormats
import VirtualCards

private func hex(_ bytes: some Collection<UInt8>) -> String {
  Hexadecimal.pairs(Array(bytes)).filter { $0 != " " }
}

@Suite("Block text and JSON card dumps")
struct TextDumpTests {
  let classic = CardImage.classic(.mini, uid: [0xDE, 0x11, 0x22, 0x33])

  var classicLines: [String] { (0..<20).map { hex(classic.memory[$0]) } }

  @Test("eml of a Classic")
  func eml() throws {
    let text = classicLines.joined(separator: "\r\n")
    let image = try CardDump.read(Array(text.utf8))
    #expect(image.kind == .classic(.mini))
    #expect(image.memory == classic.memory)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("eml of a Type 2 card, with and without the 56 bytes of prefix")
  func type2EML() throws {
    let card = try CardImage.ntag(
      uid: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], ndefMessage: [0xD0, 0x00, 0x00])
    let pages = (0..<45).map { hex(card.memory[$0]) }
    let prefix = BinaryDumpTests.prefix(lastPage: 44)
    let head = (0..<14).map { hex(prefix[($0 * 4)..<($0 * 4 + 4)]) }
    for lines in [pages, head + pages] {
      let image = try CardDump.read(Array(lines.joined(separator: "\n").utf8))
      #expect(image.kind == .type2(.ntag213))
      #expect(image.memory == card.memory)
      #expect(image.summary == "NTAG213, UID 04 A1 B2 C3 D4 E5 F6, 45 pages, NDEF Empty")
    }
  }

  @Test("eml faults: another width, another character, a block too few")
  func emlFaults() {
    var lines = classicLines
    lines[7] = String(lines[7].dropLast(2))
    let narrow = CardDump.recognise(
      FileSample(bytes: Array(lines.joined(separator: "\n").utf8), isWhole: true))
    #expect(narrow == nil)
    let few = classicLines.dropLast().joined(separator: "\n")
    expectBadInput(Array(few.utf8), at: .line(19))
    let iclass = [String](repeating: "0011223344556677", count: 19).joined(separator: "\n")
    expectBadInput(Array(iclass.utf8), at: .line(19))
  }

  @Test("mct with an unknown sector and unknown keys")
  func classicTool() throws {
    var text = ""
    for sector in [0, 1, 3, 4] {
      text += "+Sector: \(sector)\n"
      for block in 0..<4 {
        var line = hex(classic.memory[sector * 4 + block])
        if sector == 3, block == 3 { line = "------------" + line.dropFirst(12) }
        text += line + "\n"
      }
    }
    let image = try CardDump.read(Array(text.utf8))
    #expect(image.kind == .classic(.mini))
    #expect(image.memory.knownUnitCount == 15)
    #expect(image.memory.knownBits[(15 * 16)..<(15 * 16 + 7)] == [0, 0, 0, 0, 0, 0, 0xFF])
    #expect(try differencesReadingBack(image) == [])
  }

  @Test(
    "mct faults",
    arguments: [
      ("+Sector: 40\n", 1), ("+Sector: x\n", 1), ("+Sector: 0\n0011\n", 2),
      ("+Sector: 0\n00112233445566778899AABBCCDDEEFF\n", 1),
      ("+Sector: 0\n+Sector: 0\n", 2), ("+Sector: 0\n\u{0}\n", 2),
    ])
  func classicToolFaults(_ text: String, _ line: Int) {
    expectBadInput(Array(text.utf8), at: .line(line))
  }

  func json(_ type: String, _ card: String, _ blocks: [String]) -> [UInt8] {
    let entries = blocks.enumerated().map { "\"\($0.offset)\": \"\($0.element)\"" }
    return Array(
      ("{\"Created\": \"proxmark3\", \"FileType\": \"\(type)\", \"Card\": {\(card)}, "
        + "\"blocks\": {\(entries.joined(separator: ", "))}}").utf8)
  }

  @Test("JSON of a Classic in its three versions", arguments: ["mfcard", "mfc v2", "mfc v3"])
  func classicJSON(_ type: String) throws {
    let card = "\"UID\": \"DE112233\", \"ATQA\": \"0400\", \"SAK\": \"09\""
    let image = try CardDump.read(json(type, card, classicLines))
    #expect(image.kind == .classic(.mini))
    #expect(image.atqa == [0x04, 0x00])
    #expect(image.sak == 0x09)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("JSON of ISO 15693: UID as sent, locks", arguments: ["15693 v4", "15693 v5"])
  func vicinityJSON(_ type: String) throws {
    let card =
      "\"uid\": \"55443322110104E0\", \"dsfid\": \"07\", \"afi\": \"31\", \"bytesperpage\": \"04\","
      + "\"pagescount\": \"03\", \"ic\": \"02\", \"locks\": \"000100\""
    let image = try CardDump.read(json(type, card, ["01020304", "05060708", "090A0B0C"]))
    #expect(image.uid == [0xE0, 0x04, 0x01, 0x11, 0x22, 0x33, 0x44, 0x55])
    #expect(image.vicinity?.lockedBlocks == [false, true, false])
    #expect(image.vicinity?.icReference == 0x02)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("JSON of 14b v2 is read, but there is no model of such cards")
  func typeBJSON() throws {
    let image = try CardDump.read(json("14b v2", "", ["01020304", "05060708"]))
    #expect(image.kind == .typeB)
    #expect(image.memory.unitCount == 2)
    #expect(throws: CardImageError.notModelled(kind: "ISO 14443-3B card")) {
      _ = try image.makeCard()
    }
  }

  @Test("JSON faults: another kind, no kind, no blocks, wrong digits, broken text")
  func jsonFaults() {
    expectBadInput(json("iclass", "", []), at: .byte(37))
    expectBadInput(Array("{\"Created\":\"proxmark3\",\"blocks\":{}}".utf8), at: .byte(35))
    let empty = json("mfu", "", [])
    expectBadInput(empty, at: .byte(empty.count))
    let wrong = json("mfu", "", ["0411223G"])
    expectBadInput(wrong, at: .byte(wrong.count - 12))
    let cut = Array(json("mfu", "", ["04112233"]).dropLast(5))
    expectBadInput(cut, at: .byte(cut.count))
    let far = Array("{\"FileType\":\"mfu\",\"blocks\":{\"512\":\"00000000\"}}".utf8)
    expectBadInput(far, at: .byte(34))
  }

  @Test("JSON blocks of 0, 33 and too many bytes are refused, 32 are read")
  func vicinityBlockSizes() throws {
    let uid = "\"uid\": \"55443322110104E0\", \"bytesperpage\": "
    for size in ["00", "21", "FF"] {
      #expect(throws: TraceError.self) {
        try CardDump.read(json("15693 v4", uid + "\"\(size)\"", ["01020304"]))
      }
    }
    #expect(throws: TraceError.self) {
      try CardDump.read(json("15693 v4", "\"uid\": \"55443322110104E0\"", [""]))
    }
    let block = String(repeating: "AB", count: 32)
    let image = try CardDump.read(json("15693 v4", uid + "\"20\"", [block]))
    #expect(image.memory.unitSize == 32)
  }

  @Test("Lines of pages: 512 are read, 527 and 100,000 are refused at the last line")
  func manyPages() throws {
    let page = "00112233"
    let most = [String](repeating: page, count: 512).joined(separator: "\n")
    #expect(try CardDump.read(Array(most.utf8)).memory.unitCount == 512)
    for count in [527, 100_000] {
      let text = [String](repeating: page, count: count).joined(separator: "\n")
      expectBadInput(Array(text.utf8), at: .line(count))
    }
  }
}
