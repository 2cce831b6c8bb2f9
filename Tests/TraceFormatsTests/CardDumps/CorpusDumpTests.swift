import NFCTrace
import ProtocolTesting
import Testing
import TraceFormats
import VirtualCards

@Suite(
  "Card dumps of the corpus",
  .enabled(if: SharedFolder.isExpected, "needs the folder 'shared' beside the checkout"))
struct CorpusDumpTests {
  /// All dumps of the manifest: in their own folder, and made ones by their ending.
  static let rows: [[String: String]] = {
    let all = (try? SharedFolder.manifest()) ?? []
    return all.filter { row in
      let path = row["path"] ?? ""
      let isDump = path.hasPrefix("dumps/")
      let made = ["generated/flipper_", "generated/mfc_", "generated/pm3_mfu_"]
      return isDump || made.contains { path.hasPrefix($0) }
    }
  }()

  static func image(_ row: [String: String]) throws -> CardImage {
    let path = row["path"] ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return try CardDump.read(SharedFolder.bytes("corpus/" + path), name: name)
  }

  @Test("There are rows")
  func rowsFound() { #expect(Self.rows.count >= 13) }

  @Test("What the manifest tells is found", arguments: rows)
  func expected(_ row: [String: String]) throws {
    let image = try Self.image(row)
    let told = row["expected"] ?? ""
    try #require(!told.isEmpty)
    for item in told.split(separator: ",") {
      let parts = item.split(separator: "=")
      guard parts.count == 2 else { continue }
      try check(String(parts[0]), String(parts[1]), image, row)
    }
  }

  private func check(
    _ key: String, _ value: String, _ image: CardImage, _ row: [String: String]
  ) throws {
    let memory = image.memory
    switch key {
    case "pages":
      #expect(value == "0" || memory.unitSize == 4 && memory.unitCount == Int(value))
    case "blocks":
      // A pages file counts its pages as blocks in the JSON form.
      #expect(value == "0" || memory.unitCount == Int(value))
    case "sectors":
      guard case .classic(let size) = image.kind else { throw Unexpected(key) }
      #expect(size.sectorCount == Int(value))
    case "key_pairs":
      #expect(image.sectorKeys.count == Int(value))
    case "words":
      // 52 blocks and 21 words of state.
      #expect(memory.unitCount + 21 == Int(value))
    case "Version", "FileType":
      let path = row["path"] ?? ""
      let text = String(decoding: try SharedFolder.bytes("corpus/" + path), as: UTF8.self)
      #expect(text.contains(value))
    case "prefix":
      #expect(value == "56")
    default:
      throw Unexpected(key)
    }
  }

  @Test("Commands on the air give back what the file holds", arguments: rows)
  func readBack(_ row: [String: String]) throws {
    let image = try Self.image(row)
    // Key files hold no card.
    if !image.sectorKeys.isEmpty {
      #expect(throws: CardImageError.self) { _ = try image.makeCard() }
      return
    }
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("Both Flipper versions and both Proxmark3 forms hold the same card")
  func sameCard() throws {
    let names = [
      "flipper_v2_ntag213.nfc", "flipper_v3_ntag213.nfc", "pm3_mfu_ntag213.bin",
      "pm3_mfu_ntag213.json",
    ]
    for name in names {
      let image = try CardDump.read(SharedFolder.bytes("corpus/generated/" + name), name: name)
      #expect(image.kind == .type2(.ntag213))
      #expect(image.uid == [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66])
      #expect(image.atqa ?? [0x44, 0x00] == [0x44, 0x00])
      #expect(image.version == [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03])
      #expect(
        image.summary == "NTAG213, UID 04 11 22 33 44 55 66, 45 pages, NDEF Text en \"retap test\"")
    }
  }
}

/// A column of the manifest says something that the test does not know.
struct Unexpected: Error {
  var key: String
  init(_ key: String) { self.key = key }
}
