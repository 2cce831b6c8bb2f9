import NFCTrace
import Testing
import TraceFormats
import VirtualCards

/// A made-up Flipper file from its lines.
private func flipper(_ version: Int, _ type: String, _ lines: [String]) -> [UInt8] {
  let head = ["Filetype: Flipper NFC device", "Version: \(version)", "Device type: \(type)"]
  return Array((head + lines).joined(separator: "\n").utf8)
}

private func pages(_ count: Int) -> [String] {
  (0..<count).map { "Page \($0): 0\($0 % 10) 11 22 33" }
}

@Suite("Flipper files")
struct FlipperDumpTests {
  let uid7 = "UID: 04 A1 B2 C3 D4 E5 F6"

  @Test(
    "ATQA: as sent in version 2, swapped from version 3 on",
    arguments: [
      (2, "ATQA: 44 00"), (3, "ATQA: 00 44"), (4, "ATQA: 00 44"),
    ])
  func atqa(_ version: Int, _ line: String) throws {
    let type = version == 4 ? "ISO14443-3A" : "UID"
    let image = try CardDump.read(flipper(version, type, [uid7, line, "SAK: 08"]))
    #expect(image.kind == .typeA)
    #expect(image.atqa == [0x44, 0x00])
    #expect(image.sak == 0x08)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test(
    "Products of versions 2 and 3 stand in the device type",
    arguments: [
      ("Mifare Ultralight", Type2Product.ultralight, 16), ("NTAG203", .ntag203, 42),
      ("Mifare Ultralight 11", .ultralightEV1Small, 20), ("NTAG216", .ntag216, 231),
      ("NTAG I2C Plus 1K", .ntagI2CPlus1K, 236), ("Mifare Ultralight C", .ultralightC, 48),
    ])
  func products(_ name: String, _ product: Type2Product, _ count: Int) throws {
    let lines = [uid7, "ATQA: 00 44", "SAK: 00", "Pages total: \(count)"] + pages(count)
    let image = try CardDump.read(flipper(3, name, lines))
    #expect(image.kind == .type2(product))
    #expect(image.memory.unitCount == count)
  }

  @Test("Version 4 names the product apart; counters and unread pages")
  func version4() throws {
    let lines =
      [
        uid7, "ATQA: 00 44", "SAK: 00", "Data format version: 2",
        "NTAG/Ultralight type: Mifare Ultralight 11",
        "Mifare version: 00 04 03 01 01 00 0B 03", "Counter 0: 258", "Tearing 0: BD",
        "Counter 1: 0", "Tearing 1: BD", "Counter 2: 16777215", "Tearing 2: 00",
        "Pages total: 20", "Pages read: 16",
      ] + pages(20)
    let image = try CardDump.read(flipper(4, "NTAG/Ultralight", lines))
    #expect(image.kind == .type2(.ultralightEV1Small))
    #expect(image.counters.map(\.value) == [258, 0, 0xFFFFFF])
    #expect(image.counters[2].tearingFlag == 0)
    #expect(image.memory.knownUnitCount == 16)
    #expect(image.summary.hasSuffix("16 of 20 pages known"))
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("MIFARE Classic with unknown bytes")
  func classic() throws {
    let data = "Block 1: 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"
    let trailer = "Block 3: ?? ?? ?? ?? ?? ?? FF 07 80 69 FF FF FF FF FF FF"
    let lines = [
      "UID: DE 11 22 33", "ATQA: 00 02", "SAK: 18", "Mifare Classic type: 4K",
      "Data format version: 2", data, trailer,
    ]
    let image = try CardDump.read(flipper(4, "Mifare Classic", lines))
    #expect(image.kind == .classic(.fourK))
    #expect(image.atqa == [0x02, 0x00])
    #expect(image.memory.isKnown(1))
    #expect(Array(image.memory.knownBits[48..<55]) == [0, 0, 0, 0, 0, 0, 0xFF])
    #expect(image.summary == "MIFARE Classic 4K, UID DE 11 22 33, 1 of 256 blocks known")
  }

  @Test("Data format 1 of MIFARE Classic has maps of known keys")
  func classicKeyMaps() throws {
    let trailer = "FF FF FF FF FF FF FF 07 80 69 FF FF FF FF FF FF"
    let lines = [
      "UID: DE 11 22 33", "ATQA: 00 04", "SAK: 08", "Mifare Classic type: 1K",
      "Data format version: 1", "Key A map: 0000000000000001", "Key B map: 0000000000000002",
      "Block 3: \(trailer)", "Block 7: \(trailer)",
    ]
    let memory = try CardDump.read(flipper(3, "Mifare Classic", lines)).memory
    #expect(memory.knownBits[48] == 0xFF && memory.knownBits[63] == 0)
    #expect(memory.knownBits[112] == 0 && memory.knownBits[127] == 0xFF)
  }

  @Test(
    "An ATS in one line or in its parts",
    arguments: [
      ["ATS: 06 75 77 81 02 80"],
      ["T0: 75", "TA(1): 77", "TB(1): 81", "TC(1): 02", "T1...Tk: 80"],
    ])
  func ats(_ lines: [String]) throws {
    let all = [uid7, "ATQA: 03 44", "SAK: 20"] + lines
    let image = try CardDump.read(flipper(4, "ISO14443-4A", all))
    #expect(image.ats == [0x06, 0x75, 0x77, 0x81, 0x02, 0x80])
    #expect(image.atqa == [0x44, 0x03])
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("Type B")
  func typeB() throws {
    let lines = [
      "UID: 11 22 33 44", "Application data: 00 00 00 00", "Protocol info: 00 81 81",
    ]
    let image = try CardDump.read(flipper(4, "ISO14443-4B", lines))
    #expect(image.kind == .isoDepB)
    #expect(image.atqb == [0x50, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0x00, 0x81, 0x81])
  }

  @Test("ISO 15693 and SLIX", arguments: ["ISO15693-3", "SLIX"])
  func vicinity(_ type: String) throws {
    let lines = [
      "UID: E0 04 01 11 22 33 44 55", "DSFID: 05", "AFI: 3D", "IC Reference: 01",
      "Lock DSFID: true", "Lock AFI: false", "Block Count: 3", "Block Size: 04",
      "Data Content: 01 02 03 04 05 06 07 08 09 0A 0B 0C", "Security Status: 00 01 00",
    ]
    let image = try CardDump.read(flipper(4, type, lines))
    #expect(image.vicinity?.dsfid == 5)
    #expect(image.vicinity?.isDSFIDLocked == true)
    #expect(image.vicinity?.lockedBlocks == [false, true, false])
    #expect(image.summary == "ISO 15693 card, UID E0 04 01 11 22 33 44 55, 3 blocks of 4 bytes")
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("FeliCa Standard: systems, services and blocks in one line each")
  func feliCaStandard() throws {
    let lines = [
      "UID: 01 12 34 56 78 9A BC DE", "Data format version: 2",
      "Manufacture id: 01 12 34 56 78 9A BC DE",
      "Manufacture parameter: 0B 0B 08 20 20 20 FF FF", "IC Type: FeliCa Standard",
      "System found: 1", "System 00: 0003 | Key version 0001 |",
      "System 00 Key: 01 23 45 67 89 AB CD EF", "Public blocks read: 1",
      "Block 0000: | Service code 0009 | Block index 02 | "
        + "Data: 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 |",
    ]
    let image = try CardDump.read(flipper(4, "FeliCa", lines))
    #expect(image.systemCodes == [0x0003])
    #expect(image.feliCaBlocks == [FeliCaBlockAddress(service: 9, number: 2)])
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("Windows line ends, a byte order mark and no last newline do no harm")
  func lineEnds() throws {
    let plain = flipper(4, "ISO14443-3A", [uid7, "", "# remark", "ATQA: 00 44", "SAK: 00"])
    var windows: [UInt8] = [0xEF, 0xBB, 0xBF]
    for byte in plain { windows += byte == 0x0A ? [0x0D, 0x0A] : [byte] }
    #expect(try CardDump.read(windows) == CardDump.read(plain))
  }

  @Test(
    "Faults are told with their line",
    arguments: [
      (4, "ST25TB", ["UID: D0 02 11 22 33 44 55 66"], 3),
      (4, "ISO14443-3A", ["UID: 04 A1 B2"], 4),
      (4, "ISO14443-3A", ["UID: 04 A1 B2 C3 D4"], 4),
      (4, "ISO14443-3A", ["UID: 04 A1 B2 XX"], 4),
      (4, "ISO14443-3A", ["ATQA: 00 44"], 4),
      (4, "ISO14443-3A", ["UID: 04 A1 B2 C3", "what is this"], 5),
      (3, "NTAG213", ["UID: 04 A1 B2 C3", "Pages total: 9999", "Page 0: 00 00 00 00"], 5),
      (
        3, "NTAG213", ["UID: 04 A1 B2 C3", "Pages total: 45", "Page 45: 00 00 00 00", "Page 0:"], 6
      ),
      (3, "NTAG213", ["UID: 04 A1 B2 C3", "Pages total: 45", "Page 0: 00 00 00 00"], 5),
      (3, "NTAG213", ["UID: 04 A1 B2 C3", "Page 0: 00 00 00"], 5),
      (4, "Mifare Classic", ["UID: 04 A1 B2 C3", "Mifare Classic type: 8K"], 5),
      (4, "ISO15693-3", ["UID: E0 04 01 11 22 33 44 55", "Block Count: 2", "Data Content: 01"], 6),
      (4, "ISO15693-3", ["UID: E0 04 01 11 22 33 44 55", "Block Count: 1", "Block Size: 21"], 6),
      (4, "FeliCa", ["UID: 01 12 34 56 78 9A BC DE", "Blocks total: 2"], 5),
    ])
  func faults(_ version: Int, _ type: String, _ lines: [String], _ line: Int) {
    expectBadInput(flipper(version, type, lines), at: .line(line))
  }

  @Test("Versions 1 and 5")
  func versions() {
    expectBadInput(flipper(1, "UID", [uid7]), at: .line(2))
    #expect(throws: TraceError.newerVersion(found: 5, newestKnown: 4)) {
      try CardDump.read(flipper(5, "ISO14443-3A", [uid7]))
    }
  }

  @Test("A file cut anywhere is read or refused with a place, never more")
  func cut() {
    let whole = flipper(3, "NTAG213", [uid7, "Pages total: 45"] + pages(45))
    for end in 0..<whole.count {
      do throws(TraceError) {
        _ = try CardDump.read(Array(whole[..<end]))
      } catch {
        guard case .badInput(let bad) = error else { continue }
        #expect(!bad.expected.isEmpty && !bad.remedy.isEmpty)
      }
    }
  }
}

/// Expects bad input at a place.
func expectBadInput(
  _ bytes: [UInt8], name: String = "", at place: BadInput.Place,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(TraceError) {
    let image = try CardDump.read(bytes, name: name)
    Issue.record("read as \(image.summary)", sourceLocation: sourceLocation)
  } catch {
    guard case .badInput(let bad) = error else {
      Issue.record("\(error)", sourceLocation: sourceLocation)
      return
    }
    #expect(bad.place == place, "\(bad.found)", sourceLocation: sourceLocation)
    #expect(!bad.found.isEmpty && !bad.expected.isEmpty && !bad.remedy.isEmpty)
  }
}
