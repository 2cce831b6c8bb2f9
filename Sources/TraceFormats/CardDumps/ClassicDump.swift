import VirtualCards

/// Blocks and keys of a MIFARE Classic.
enum ClassicDump {
  /// Key pairs of a key file by its size; 7 and 18 are 5 and 16 sectors with two more that the
  /// client adds for the signature.
  static let keyFilePairs = [5, 7, 16, 18, 32, 40]
  /// A pair is two keys of six bytes.
  static let pairLength = 12

  /// An image of blocks; the caller has checked that there are 20, 64, 128 or 256.
  static func image(blocks: CardMemory, uid given: [UInt8]? = nil) -> CardImage {
    guard let size = ClassicSize(blockCount: blocks.unitCount) else {
      preconditionFailure("a Classic has 20, 64, 128 or 256 blocks")
    }
    let uid =
      given ?? Self.uid(ofBlock0: Array(blocks[0]), knownBits: Array(blocks.knownBits[0..<16]))
    var image = CardImage(kind: .classic(size), uid: uid, memory: blocks)
    image.sak = size.sak
    if !uid.isEmpty { image.atqa = size.atqa(uidLength: uid.count) }
    return image
  }

  /// Seven bytes if SAK and ATQA of such a card stand behind them, else four.
  ///
  /// The check byte of a short UID is no sign: a long one has it by chance once in 256 times.
  private static func uid(ofBlock0 block: [UInt8], knownBits: [UInt8]) -> [UInt8] {
    guard knownBits[0..<4].allSatisfy({ $0 == 0xFF }) else { return [] }
    let isKnownSAK = ClassicSize.allCases.contains { $0.sak == block[7] & 0x7F }
    let isLong = isKnownSAK && (block[8] == 0x42 || block[8] == 0x44) && block[9] == 0
    return Array(block[0..<(isLong ? 7 : 4)])
  }

  /// An image of which only the keys are known.
  static func image(keyFile bytes: [UInt8]) -> CardImage {
    let count = bytes.count / pairLength
    let size = ClassicSize.allCases.last { $0.sectorCount <= count } ?? .mini
    var memory = CardMemory(unitSize: 16, unitCount: size.blockCount)
    var pairs: [ClassicKeyPair] = []
    for sector in 0..<count {
      let a = Array(bytes[(sector * 6)..<(sector * 6 + 6)])
      let start = (count + sector) * 6
      let b = Array(bytes[start..<(start + 6)])
      pairs.append(ClassicKeyPair(a: a, b: b))
      guard sector < size.sectorCount else { continue }
      let known = [UInt8](repeating: 0xFF, count: 6)
      memory.set(
        ClassicSize.trailer(ofSector: sector), to: a + [0, 0, 0, 0] + b,
        knownBits: known + [0, 0, 0, 0] + known)
    }
    var image = CardImage(kind: .classic(size), uid: [], memory: memory)
    image.sectorKeys = pairs
    return image
  }

  /// True if the inverted copies of the access bits of sector 0 fit (MF1S50 8.7.1).
  static func hasAccessBits(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 64 else { return false }
    let c1 = bytes[55] >> 4
    let c2 = bytes[56] & 0x0F
    let c3 = bytes[56] >> 4
    return ~bytes[54] & 0x0F == c1 && ~bytes[54] >> 4 == c2 && ~bytes[55] & 0x0F == c3
  }
}
