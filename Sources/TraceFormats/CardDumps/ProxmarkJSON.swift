import NFCProtocols
import NFCTrace
import VirtualCards

/// A card dump of the Proxmark3 client as JSON.
struct ProxmarkJSON {
  /// A text value and where it stands.
  struct Entry {
    let key: String
    let text: String
    let offset: Int
  }

  private(set) var fileType: Entry?
  private(set) var card: [Entry] = []
  private(set) var blocks: [Entry] = []
  private let byteCount: Int

  /// The most blocks of any card here: 512 pages of 4 bytes.
  static let greatestBlockCount = 512

  init(_ bytes: [UInt8]) throws(TraceError) {
    byteCount = bytes.count
    var reader = JSONReader(bytes)
    var fileType: Entry?
    var card: [Entry] = []
    var blocks: [Entry] = []
    do {
      try reader.forEachMember { (key, reader) throws(JSONReader.Fault) in
        switch key {
        case "FileType":
          fileType = try Self.entry(key, &reader)
        case "Card":
          try reader.forEachMember { (key, reader) throws(JSONReader.Fault) in
            if let entry = try Self.entry(key, &reader) { card.append(entry) }
          }
        case "blocks":
          try reader.forEachMember { (key, reader) throws(JSONReader.Fault) in
            if let entry = try Self.entry(key, &reader) { blocks.append(entry) }
          }
        default:
          _ = try reader.readValue()
        }
      }
      try reader.finish()
    } catch {
      throw Self.fault(at: error.offset, "something else", expected: error.expected)
    }
    self.fileType = fileType
    self.card = card
    self.blocks = blocks
  }

  /// Reads a value; anything but a text gives nothing.
  private static func entry(
    _ key: String, _ reader: inout JSONReader
  ) throws(JSONReader.Fault) -> Entry? {
    _ = reader.nextByte()
    let offset = reader.offset
    guard case .string(let text) = try reader.readValue() else { return nil }
    return Entry(key: key, text: text, offset: offset)
  }

  static func fault(at offset: Int, _ found: String, expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .byte(offset), found: found, expected: expected,
        remedy: "save the dump anew, or repair it there"))
  }

  func image() throws(TraceError) -> CardImage {
    guard let fileType else {
      throw Self.fault(at: byteCount, "no FileType", expected: "FileType with the kind of card")
    }
    switch fileType.text {
    case "mfu": return try type2()
    case "mfcard", "mfc v2", "mfc v3": return try classic()
    case "15693", "15693 v2", "15693 v3", "15693 v4", "15693 v5", "15 v4": return try vicinity()
    case "14b", "14b v2": return try typeB()
    default:
      throw .badInput(
        BadInput(
          at: .byte(fileType.offset), found: "FileType \(fileType.text)",
          expected: "mfu, mfcard, mfc v2, mfc v3, 15693 v2 to v5 or 14b v2",
          remedy: "cards of this type are not supported"))
    }
  }

  // MARK: Values

  /// The bytes of an entry of `Card`; keys differ in case between versions.
  func value(_ key: String, count: ClosedRange<Int>) throws(TraceError) -> [UInt8]? {
    let lowered = key.lowercased()
    guard let entry = card.first(where: { $0.key.lowercased() == lowered }) else { return nil }
    guard let bytes = Hexadecimal.bytes(of: entry.text), count.contains(bytes.count) else {
      throw Self.fault(
        at: entry.offset, "\(key) \"\(entry.text.prefix(40))\"",
        expected: count.lowerBound == count.upperBound
          ? "\(count.lowerBound) bytes of hexadecimal digits"
          : "\(count.lowerBound) to \(count.upperBound) bytes of hexadecimal digits")
    }
    return bytes
  }

  /// All blocks; numbers that are left out are unknown.
  func memory(unitSize: Int) throws(TraceError) -> CardMemory {
    var memory = CardMemory(unitSize: unitSize, unitCount: 0)
    for entry in blocks {
      guard let number = Int(entry.key), (0..<Self.greatestBlockCount).contains(number) else {
        throw Self.fault(
          at: entry.offset, "block \"\(entry.key.prefix(20))\"",
          expected: "a block number below \(Self.greatestBlockCount)")
      }
      guard let content = PartlyKnownBytes(entry.text), content.bytes.count == unitSize else {
        throw Self.fault(
          at: entry.offset, "\"\(entry.text.prefix(40))\" in block \(number)",
          expected: "\(unitSize) bytes of hexadecimal digits")
      }
      memory.grow(to: number + 1)
      memory.set(number, to: content.bytes, knownBits: content.knownBits)
    }
    guard !memory.isEmpty else {
      throw Self.fault(at: byteCount, "no blocks", expected: "blocks with the memory of the card")
    }
    return memory
  }

  // MARK: Kinds

  private func type2() throws(TraceError) -> CardImage {
    let pages = try memory(unitSize: 4)
    guard pages.unitCount >= 4 else {
      throw Self.fault(
        at: byteCount, "\(pages.unitCount) blocks", expected: "at least pages 0 to 3")
    }
    let told = try value("Version", count: 8...8)
    let version = told.flatMap { $0.contains { $0 != 0 } ? $0 : nil }
    var image = Type2Dump.image(pages: pages, version: version)
    if let uid = try value("UID", count: 4...10), [4, 7, 10].contains(uid.count) {
      image.uid = uid
    }
    if version != nil { image.signature = try value("Signature", count: 32...32) }
    for index in 0..<3 {
      guard let counter = try value("Counter\(index)", count: 3...3) else { break }
      let flag = try value("Tearing\(index)", count: 1...1)?.first ?? 0xBD
      let number = UInt32(counter[0]) | UInt32(counter[1]) << 8 | UInt32(counter[2]) << 16
      image.counters.append(CardCounter(value: number, tearingFlag: flag))
    }
    return image
  }

  private func classic() throws(TraceError) -> CardImage {
    let memory = try memory(unitSize: 16)
    guard ClassicSize(blockCount: memory.unitCount) != nil else {
      throw Self.fault(
        at: byteCount, "\(memory.unitCount) blocks", expected: "20, 64, 128 or 256 blocks")
    }
    let uid = try value("UID", count: 4...10)
    var image = ClassicDump.image(blocks: memory, uid: uid)
    image.atqa = try value("ATQA", count: 2...2) ?? image.atqa
    image.sak = try value("SAK", count: 1...1)?.first ?? image.sak
    if let signature = try value("SIGNATURE", count: 0...32), signature.count == 32 {
      image.signature = signature
    }
    return image
  }

  private func vicinity() throws(TraceError) -> CardImage {
    guard let stored = try value("uid", count: 8...8) else {
      throw Self.fault(at: byteCount, "no uid", expected: "the UID in Card")
    }
    let told = try value("bytesperpage", count: 1...1).map { Int($0[0]) }
    let size = told ?? (blocks.first?.text.utf8.count ?? 8) / 2
    // A block has 1 to 32 bytes (ISO/IEC 15693-3 10.3.1).
    guard (1...32).contains(size) else {
      throw Self.fault(
        at: blocks.first?.offset ?? byteCount, "blocks of \(size) bytes",
        expected: "blocks of 1 to 32 bytes")
    }
    let memory = try memory(unitSize: size)
    // The client keeps the UID as it is sent, E0 last; a hand-made file may turn it round.
    let uid = stored.last == 0xE0 ? Array(stored.reversed()) : stored
    var image = CardImage(kind: .vicinity, uid: uid, memory: memory)
    var information = VicinityInformation(
      dsfid: try value("dsfid", count: 1...1)?.first ?? 0,
      afi: try value("afi", count: 1...1)?.first ?? 0,
      icReference: try value("ic", count: 1...1)?.first)
    information.isDSFIDLocked = try value("dsfidlock", count: 1...1)?.first ?? 0 != 0
    information.isAFILocked = try value("afilock", count: 1...1)?.first ?? 0 != 0
    information.lockedBlocks =
      (try value("locks", count: 0...Self.greatestBlockCount) ?? []).map { $0 & 0x01 != 0 }
    image.vicinity = information
    return image
  }

  /// Memory of SRx and ST25TB cards in blocks of 4 bytes; the UID is not always in the file.
  private func typeB() throws(TraceError) -> CardImage {
    let uid = try value("uid", count: 4...10) ?? []
    return CardImage(kind: .typeB, uid: uid, memory: try memory(unitSize: 4))
  }
}
