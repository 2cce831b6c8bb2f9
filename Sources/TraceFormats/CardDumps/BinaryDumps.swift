/// Recognition of the binary forms, by size and check bytes; none of them has a mark of its own.
enum BinaryDumps {
  /// Sizes that hold the blocks of a Classic.
  static let classicSizes = [320, 1_024, 2_048, 4_096]

  /// Rules in their order: EM4233 by size and `E0`; Type 2 with or without prefix by the check
  /// bytes of the UID; Classic by size; key files by size (192 bytes are Ultralight C only where
  /// the check bytes fit); Type 2 by size alone.
  static func recognise(_ bytes: [UInt8], name: String) -> CardDumpMatch? {
    let lowered = name.lowercased()
    if EM4233Dump.fits(bytes) { return CardDumpMatch(.em4233, .likely) }
    if classicSizes.contains(bytes.count) {
      // A Type 2 image of such a size is rare; the access bits of sector 0 decide.
      let isPlainType2 = Type2Dump.prefix(of: bytes) != nil && !ClassicDump.hasAccessBits(bytes)
      if !isPlainType2 {
        let isNamed = [".bin", ".mfd", ".dump", ".dmp"].contains { lowered.hasSuffix($0) }
        let isLikely = ClassicDump.hasAccessBits(bytes) || isNamed
        return CardDumpMatch(.classicImage, isLikely ? .likely : .possible)
      }
    }
    switch Type2Dump.prefix(of: bytes) {
    case .current, .old: return CardDumpMatch(.proxmarkType2, .likely)
    case .some(.none) where bytes.count >= 64: return CardDumpMatch(.type2Image, .likely)
    default: break
    }
    let pairs = bytes.count / ClassicDump.pairLength
    if bytes.count % ClassicDump.pairLength == 0, ClassicDump.keyFilePairs.contains(pairs) {
      return CardDumpMatch(.classicKeys, lowered.contains("key") ? .likely : .possible)
    }
    let plain = Type2Dump.plainSizes
    if plain.contains(bytes.count) || plain.contains(bytes.count - Type2Dump.signatureLength) {
      return CardDumpMatch(.type2Image, .possible)
    }
    return nil
  }
}
