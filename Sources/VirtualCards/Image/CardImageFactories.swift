import NFCProtocols

extension CardImage {
  /// A factory-fresh Type 2 tag with an NDEF message.
  ///
  /// - Parameters:
  ///   - product: One of NTAG213, NTAG215 and NTAG216.
  ///   - uid: 7 bytes.
  ///   - ndefMessage: The message; an empty one gives an empty NDEF TLV.
  /// - Throws: `CardImageError` if the message does not fit.
  public static func ntag(
    _ product: Type2Product = .ntag213, uid: [UInt8], ndefMessage: [UInt8]
  ) throws(CardImageError) -> CardImage {
    guard let configuration = product.configurationPage, let pages = product.pageCount,
      [.ntag213, .ntag215, .ntag216].contains(product)
    else { throw .notModelled(kind: "a fresh \(product.rawValue)") }
    guard uid.count == 7 else { throw .missing(what: "UID of 7 bytes", remedy: "give 7 bytes") }
    var image = CardImage(kind: .type2(product), uid: uid)
    var memory = CardMemory(unitSize: 4, bytes: [UInt8](repeating: 0, count: pages * 4))
    let check = uid[0..<3].reduce(0x88, ^)
    memory.set(0, to: Array(uid[0..<3]) + [check])
    memory.set(1, to: Array(uid[3..<7]))
    memory.set(2, to: [uid[3..<7].reduce(0, ^), 0x48, 0x00, 0x00])
    // Capability container: NDEF mapping 1.0, size in 8 bytes (NTAG213_215_216 table 4).
    let sizes: [Type2Product: UInt8] = [.ntag213: 0x12, .ntag215: 0x3E, .ntag216: 0x6D]
    memory.set(3, to: [0xE1, 0x10, sizes[product] ?? 0, 0x00])
    let tlv = try Self.messageTLV(ndefMessage)
    let room = (configuration - 1 - 4) * 4
    guard tlv.count <= room else {
      throw .missing(
        what: "room for \(ndefMessage.count) bytes of NDEF", remedy: "take a larger product")
    }
    for (offset, byte) in tlv.enumerated() { memory.set(byteAt: 16 + offset, to: byte) }
    memory.set(configuration - 1, to: [0x00, 0x00, 0x00, 0xBD])
    memory.set(configuration, to: [0x04, 0x00, 0x00, 0xFF])
    memory.set(configuration + 1, to: [0x00, 0x05, 0x00, 0x00])
    memory.set(configuration + 2, to: [0xFF, 0xFF, 0xFF, 0xFF])
    image.memory = memory
    image.version = product.version
    return image
  }

  /// A Type 4A tag with an NDEF message.
  public static func type4(
    uid: [UInt8], ndefMessage: [UInt8], ats: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]
  ) -> CardImage {
    var image = CardImage(kind: .isoDepA, uid: uid)
    image.sak = 0x20
    image.ats = ats
    image.ndefFile = ndefMessage
    return image
  }

  /// A Type 5 tag with an NDEF message.
  ///
  /// - Throws: `CardImageError` if the message does not fit.
  public static func type5(
    uid: [UInt8], blockCount: Int = 28, blockSize: Int = 4, ndefMessage: [UInt8]
  ) throws(CardImageError) -> CardImage {
    var image = CardImage(kind: .vicinity, uid: uid)
    let size = blockCount * blockSize
    // Capability container of 4 bytes: magic, version 1.0, size in 8 bytes, READ MULTIPLE.
    let content =
      [0xE1, 0x40, UInt8(truncatingIfNeeded: size / 8), 0x01] + (try messageTLV(ndefMessage))
    guard content.count <= size, size <= 2_040 else {
      throw .missing(
        what: "room for \(ndefMessage.count) bytes of NDEF", remedy: "give more blocks")
    }
    let rest = [UInt8](repeating: 0, count: size - content.count)
    image.memory = CardMemory(unitSize: blockSize, bytes: content + rest)
    image.vicinity = VicinityInformation(icReference: 0x01)
    return image
  }

  /// A Type 3 tag with an NDEF message.
  ///
  /// - Throws: `CardImageError` if the message does not fit.
  public static func type3(
    idm: [UInt8], pmm: [UInt8] = [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00],
    blockCount: Int = 13, ndefMessage: [UInt8]
  ) throws(CardImageError) -> CardImage {
    guard ndefMessage.count <= blockCount * 16, blockCount <= 0xFFF else {
      throw .missing(
        what: "room for \(ndefMessage.count) bytes of NDEF", remedy: "give more blocks")
    }
    var image = CardImage(kind: .feliCa, uid: idm)
    image.pmm = pmm
    image.systemCodes = [FeliCaCard.SystemCode.ndef]
    let attributes = Type3Attributes(
      maximumReadBlocks: 4, maximumWriteBlocks: 1, blockCount: UInt16(blockCount),
      messageLength: ndefMessage.count)
    let rest = [UInt8](repeating: 0, count: blockCount * 16 - ndefMessage.count)
    image.memory = CardMemory(unitSize: 16, bytes: attributes.bytes + ndefMessage + rest)
    image.feliCaBlocks = (0...blockCount).map {
      FeliCaBlockAddress(service: 0x0009, number: UInt16($0))
    }
    return image
  }

  /// A MIFARE Classic as delivered: all keys FF, all blocks 0 (MF1S50 8.6.3).
  public static func classic(_ size: ClassicSize, uid: [UInt8]) -> CardImage {
    var image = CardImage(kind: .classic(size), uid: uid)
    var memory = CardMemory(
      unitSize: 16, bytes: [UInt8](repeating: 0, count: size.blockCount * 16))
    let atqa = size.atqa(uidLength: uid.count)
    let check = uid.count == 4 ? [uid.reduce(0, ^)] : []
    memory.set(0, to: uid + check + [size.sak] + atqa)
    let key = [UInt8](repeating: 0xFF, count: 6)
    for sector in 0..<size.sectorCount {
      memory.set(
        ClassicSize.trailer(ofSector: sector), to: key + [0xFF, 0x07, 0x80, 0x69] + key)
    }
    image.memory = memory
    image.atqa = atqa
    image.sak = size.sak
    return image
  }

  /// NDEF message TLV and terminator.
  private static func messageTLV(_ message: [UInt8]) throws(CardImageError) -> [UInt8] {
    guard message.count <= TagTLV.maximumLength else {
      throw .missing(what: "room for \(message.count) bytes of NDEF", remedy: "shorten it")
    }
    return TagTLV.area([TagTLV(.ndef, message), TagTLV(.terminator)])
  }
}
