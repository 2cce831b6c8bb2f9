import NFCTrace
import Testing
import TraceFormats
import VirtualCards

/// Pages of a made-up Type 2 card with fitting check bytes (BCC0 = 9F, BCC1 = 04).
private func type2Pages(_ count: Int) -> [UInt8] {
  let head: [UInt8] = [0x04, 0xA1, 0xB2, 0x9F, 0xC3, 0xD4, 0xE5, 0xF6, 0x04, 0x48, 0, 0]
  let rest = (12..<(count * 4)).map { UInt8($0 % 251) }
  var pages = Array((head + rest).prefix(count * 4))
  // Configuration pages open to all, where the size has them.
  for first in [16, 37, 41, 131, 227] where count == first + 4 {
    pages[(first * 4)..<(first * 4 + 16)] = [0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  }
  return pages
}

/// Blocks of a made-up Classic with the transport configuration.
private func classicBlocks(_ size: ClassicSize, uid: [UInt8] = [0xDE, 0x11, 0x22, 0x33]) -> [UInt8]
{
  var memory = CardImage.classic(size, uid: uid).memory
  memory.set(1, to: (0..<16).map { UInt8($0 * 7) })
  return memory.bytes
}

@Suite("Binary card dumps")
struct BinaryDumpTests {
  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  @Test(
    "Plain Type 2 images by size",
    arguments: [
      (64, Type2Product.ultralight, 16), (80, .ultralightEV1Small, 20),
      (164, .ultralightEV1Large, 41), (168, .ntag203, 42), (176, .ultralightC, 48),
      (180, .ntag213, 45), (192, .ultralightC, 48), (532, .ntag215, 135), (540, .ntag215, 135),
      (888, .ntag216, 231), (924, .ntag216, 231), (240, .ultralightAES, 60),
    ])
  func plain(_ size: Int, _ product: Type2Product, _ pages: Int) throws {
    let bytes = type2Pages(size / 4)
    #expect(CardDump.recognise(FileSample(bytes: bytes, isWhole: true))?.format == .type2Image)
    let image = try CardDump.read(bytes)
    #expect(image.kind == .type2(product))
    #expect(image.uid == Self.uid)
    #expect(image.memory.unitCount == pages)
    #expect(image.memory.knownUnitCount == size / 4)
    if product != .ultralightC { #expect(try differencesReadingBack(image) == []) }
  }

  @Test("572 bytes are an NTAG215 with its signature behind")
  func signature() throws {
    let signature = (0..<32).map { UInt8(0xE0 ^ $0) }
    let image = try CardDump.read(type2Pages(135) + signature)
    #expect(image.kind == .type2(.ntag215))
    #expect(image.memory.unitCount == 135)
    #expect(image.signature == signature)
  }

  @Test("A usual size is taken with wrong check bytes as well, an unusual one is not")
  func wrongCheckBytes() throws {
    var bytes = type2Pages(45)
    bytes[3] ^= 1
    let match = CardDump.recognise(FileSample(bytes: bytes, isWhole: true))
    #expect(match == CardDumpMatch(.type2Image, .possible))
    #expect(try CardDump.read(bytes).kind == .type2(.ntag213))
    expectBadInput(Array(bytes.dropLast(8)), at: .byte(0))
  }

  /// version, tbo, tbo1, last page, signature, counters.
  static func prefix(lastPage: UInt8) -> [UInt8] {
    [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03, 0, 0, 0, lastPage]
      + (0..<32).map { UInt8($0) } + [0, 0, 0, 0xBD, 0, 0, 0, 0xBD, 0x05, 0x01, 0x00, 0xBD]
  }

  @Test("The prefix of 56 bytes: version, signature, counters")
  func prefix56() throws {
    let image = try CardDump.read(Self.prefix(lastPage: 44) + type2Pages(45))
    #expect(image.kind == .type2(.ntag213))
    #expect(image.version?.last == 0x03)
    #expect(image.signature?.last == 31)
    #expect(image.counters.map(\.value) == [0, 0, 0x105])
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("The older prefix of 48 bytes")
  func prefix48() throws {
    let prefix =
      [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03] + [UInt8](repeating: 0, count: 8)
      + (0..<32).map { UInt8($0) }
    let image = try CardDump.read(prefix + type2Pages(20))
    #expect(image.kind == .type2(.ultralightEV1Small))
    #expect(image.signature?.first == 0 && image.signature?.last == 31)
  }

  @Test("A prefix that tells more pages than follow: the file is cut")
  func cutPrefix() {
    let cut = Self.prefix(lastPage: 44) + type2Pages(45).dropLast(8)
    expectBadInput(cut, at: .byte(56 + 172))
  }

  @Test("Plain Classic images of every size", arguments: ClassicSize.allCases)
  func classic(_ size: ClassicSize) throws {
    let image = try CardDump.read(classicBlocks(size))
    #expect(image.kind == .classic(size))
    #expect(image.uid == [0xDE, 0x11, 0x22, 0x33])
    #expect(image.sak == size.sak)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("A Classic with a UID of seven bytes has its ATQA behind the SAK")
  func classicDoubleSize() throws {
    let image = try CardDump.read(classicBlocks(.oneK, uid: Self.uid))
    #expect(image.uid == Self.uid)
    #expect(image.atqa == [0x44, 0x00])
  }

  @Test(
    "Key files: all A, then all B",
    arguments: [
      (5, ClassicSize.mini), (7, .mini), (16, .oneK), (18, .oneK), (32, .twoK), (40, .fourK),
    ])
  func keys(_ count: Int, _ size: ClassicSize) throws {
    var a: [UInt8] = []
    var b: [UInt8] = []
    for sector in 0..<count {
      a += [0xA0, 0, 0, 0, 0, UInt8(sector)]
      b += [0xB0, 0, 0, 0, 0, UInt8(sector)]
    }
    let image = try CardDump.read(a + b, name: "x-key.bin")
    #expect(image.kind == .classic(size))
    #expect(image.sectorKeys.count == count)
    #expect(image.sectorKeys[4].b == [0xB0, 0, 0, 0, 0, 4])
    #expect(Array(image.memory[7].prefix(6)) == [0xA0, 0, 0, 0, 0, 1])
    #expect(image.memory.knownUnitCount == 0, "access bits are not in the file")
    #expect(throws: CardImageError.self) { _ = try image.makeCard() }
  }

  @Test("EM4233: 52 blocks, UID, AFI, DSFID, locks")
  func em4233() throws {
    var bytes = (0..<292).map { UInt8($0 % 199) }
    bytes[0xD0..<0xE0] = [0xE0, 0x16, 0x24, 1, 2, 3, 4, 5, 0x31, 0x07, 0, 0, 0x02, 0, 0, 0]
    bytes[0xE0..<0x114] = ArraySlice([UInt8](repeating: 0, count: 52))
    bytes[0xE3] = 0x01
    let image = try CardDump.read(bytes)
    #expect(image.kind == .vicinity)
    #expect(image.uid == [0xE0, 0x16, 0x24, 1, 2, 3, 4, 5])
    #expect(image.vicinity?.afi == 0x31 && image.vicinity?.dsfid == 0x07)
    #expect(image.vicinity?.isDSFIDLocked == true && image.vicinity?.isAFILocked == false)
    #expect(image.vicinity?.lockedBlocks.firstIndex(of: true) == 3)
    #expect(try differencesReadingBack(image) == [])
  }

  @Test("Other sizes, an empty file, other people's formats and too large a file")
  func foreign() {
    expectBadInput([], at: .byte(0))
    expectBadInput([UInt8](repeating: 0, count: 1_000), at: .byte(0))
    expectBadInput(Array("%PDF-1.4 and what follows".utf8), at: .byte(0))
    expectBadInput([0x0A, 0x0D, 0x0D, 0x0A] + [UInt8](repeating: 7, count: 25), at: .byte(0))
    let limit = CardDump.greatestByteCount
    expectBadInput([UInt8](repeating: 0, count: limit), at: .byte(0))
    expectBadInput([UInt8](repeating: 0, count: limit + 1), at: .byte(limit))
  }

  @Test("Pages with fitting check bytes: 512 are read, 513 are not")
  func manyPages() throws {
    #expect(try CardDump.read(type2Pages(512)).memory.unitCount == 512)
    expectBadInput(type2Pages(513), at: .byte(0))
    expectBadInput(type2Pages(200_000), at: .byte(0))
  }

  @Test("Rubbish of every length up to 400 bytes is read or refused")
  func rubbish() {
    for count in 0...400 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ count &* 31) }
      _ = try? CardDump.read(bytes)
    }
  }
}
