import NFCProtocols
import ProtocolTesting
import Testing
import VirtualCards

@Suite("MIFARE Classic at command level")
struct ClassicCardTests {
  static let uid: [UInt8] = [0xDE, 0x11, 0x22, 0x33]
  static let key = [UInt8](repeating: 0xFF, count: 6)

  func selected(_ image: CardImage = .classic(.oneK, uid: uid)) throws -> CardTerminal {
    var reader = CardTerminal(try ClassicCard(image))
    reader.fieldOn()
    let found = reader.activateA()
    try #require(found?.uid == image.uid)
    return reader
  }

  /// A 1K card whose sector 1 has other keys and access bits.
  func image(access: [UInt8], keyB: [UInt8] = [0xB0, 1, 2, 3, 4, 5]) -> CardImage {
    var image = CardImage.classic(.oneK, uid: Self.uid)
    image.memory.set(7, to: [0xA0, 1, 2, 3, 4, 5] + access + [0x69] + keyB)
    return image
  }

  @Test(
    "ATQA and SAK of each size",
    arguments: [
      (ClassicSize.mini, [UInt8](arrayLiteral: 0x04, 0x00), UInt8(0x09)),
      (.oneK, [0x04, 0x00], 0x08), (.fourK, [0x02, 0x00], 0x18),
    ])
  func identity(_ size: ClassicSize, _ atqa: [UInt8], _ sak: UInt8) throws {
    var reader = CardTerminal(try ClassicCard(.classic(size, uid: Self.uid)))
    reader.fieldOn()
    #expect(reader.short(0x26) == atqa)
    reader.fieldOff()
    reader.fieldOn()
    #expect(reader.activateA()?.sak == sak)
  }

  @Test("After the right key blocks of that sector can be read and written")
  func readWrite() throws {
    var reader = try selected()
    #expect(reader.exchange([0x60, 0x04] + Self.key + Self.uid) == [0x0A])
    let data = (0..<16).map { UInt8($0 + 0x40) }
    #expect(reader.exchange([0xA0, 0x05]) == [0x0A])
    #expect(reader.exchange(data) == [0x0A])
    #expect(reader.exchange([0x30, 0x05]) == data)
    #expect(reader.exchange([0x30, 0x08]) == [0x04], "another sector needs its own key")
    #expect(reader.exchange([0x30, 0x05]) == nil, "the card has left ACTIVE")
  }

  @Test("Key A never shows, key B does in the transport configuration")
  func trailer() throws {
    var reader = try selected()
    #expect(reader.exchange([0x60, 0x07] + Self.key) == [0x0A])
    #expect(
      reader.exchange([0x30, 0x07]) == [
        0, 0, 0, 0, 0, 0, 0xFF, 0x07, 0x80, 0x69, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      ])
  }

  @Test("Without a key there is NAK 4; a wrong key is met with silence and the card is gone")
  func refusals() throws {
    var reader = try selected()
    #expect(reader.exchange([0x30, 0x04]) == [0x04])
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0x60, 0x04, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(reader.exchange([0x60, 0x04] + Self.key) == nil)
    #expect(reader.activateA() != nil)
    #expect(reader.send(RadioFrame([0x30, 0x04, 0, 0]))?.bytes == [0x05])
  }

  @Test("The air form of authentication gives a nonce and fails without the cipher")
  func nonce() throws {
    var reader = try selected()
    #expect(reader.exchange([0x60, 0x04]) == [0, 0, 0, 0])
    #expect(reader.raw([1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(reader.exchange([0x60, 0x04] + Self.key) == nil)
  }

  @Test("Value blocks: increment, decrement, restore, transfer")
  func values() throws {
    var reader = try selected()
    _ = reader.exchange([0x60, 0x04] + Self.key)
    // 100 = 64 00 00 00, address byte 05 (MF1S50 8.6.2.1).
    let value: [UInt8] = [
      0x64, 0, 0, 0, 0x9B, 0xFF, 0xFF, 0xFF, 0x64, 0, 0, 0, 0x05, 0xFA, 0x05, 0xFA,
    ]
    _ = reader.exchange([0xA0, 0x05])
    _ = reader.exchange(value)
    #expect(reader.exchange([0xC0, 0x05]) == [0x0A])
    #expect(reader.exchange([0x65, 0, 0, 0]) == nil, "the second step has no answer")
    #expect(reader.exchange([0xB0, 0x06]) == [0x0A])
    #expect(
      reader.exchange([0x30, 0x06]) == [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x05, 0xFA, 0x05, 0xFA,
      ])
    #expect(reader.exchange([0xC1, 0x05]) == [0x0A])
    _ = reader.exchange([0x01, 0, 0, 0])
    #expect(reader.exchange([0xB0, 0x05]) == [0x0A])
    #expect(reader.exchange([0x30, 0x05])?.first == 0x65)
    #expect(reader.exchange([0xC2, 0x04]) == [0x04], "block 4 is no value block")
  }

  @Test("Access bits: read with A or B, write with B only (78 77 88)")
  func accessBits() throws {
    // C1 = 1000 for all data blocks: condition 100; trailer 011.
    var reader = try selected(image(access: [0x78, 0x77, 0x88]))
    _ = reader.exchange([0x60, 0x04, 0xA0, 1, 2, 3, 4, 5])
    #expect(reader.exchange([0x30, 0x04]) != [0x04])
    #expect(reader.exchange([0xA0, 0x04]) == [0x04])
    #expect(reader.activateA() != nil)
    #expect(reader.exchange([0x61, 0x04, 0xB0, 1, 2, 3, 4, 5]) == [0x0A])
    #expect(reader.exchange([0xA0, 0x04]) == [0x0A])
    #expect(reader.exchange([UInt8](repeating: 7, count: 16)) == [0x0A])
    #expect(reader.exchange([0x30, 0x07])?.suffix(6) == [0, 0, 0, 0, 0, 0])
  }

  @Test("Broken access bits shut the sector")
  func brokenAccess() throws {
    var reader = try selected(image(access: [0x00, 0x00, 0x00]))
    #expect(reader.exchange([0x60, 0x04, 0xA0, 1, 2, 3, 4, 5]) == [0x0A])
    #expect(reader.exchange([0x30, 0x04]) == [0x04])
  }

  @Test("Large sectors of 4K: 16 blocks behind block 128, groups of five")
  func largeSectors() throws {
    var reader = try selected(.classic(.fourK, uid: Self.uid))
    #expect(reader.exchange([0x60, 0xFF] + Self.key) == [0x0A])
    #expect(reader.exchange([0x30, 0xF0])?.count == 16)
    #expect(reader.exchange([0x30, 0xFE])?.count == 16)
    #expect(ClassicSize.sector(ofBlock: 255) == 39)
    #expect(ClassicSize.trailer(ofSector: 32) == 143)
  }

  @Test("An image of the wrong size is refused")
  func wrongSize() {
    var image = CardImage.classic(.oneK, uid: Self.uid)
    image.kind = .classic(.fourK)
    #expect(throws: CardImageError.self) { try ClassicCard(image) }
  }
}
