/// MurmurHash2 of 32 bits with seed 0, little-endian: the hash of udev's filters.
///
/// After Austin Appleby's public domain description; systemd's `string_hash32` is the same.
enum MurmurHash2 {
  static func hash(_ bytes: [UInt8]) -> UInt32 {
    let factor: UInt32 = 0x5BD1_E995
    var hash = UInt32(truncatingIfNeeded: bytes.count)
    var offset = 0
    while bytes.count - offset >= 4 {
      var block = bytes[offset...].word32(at: 0) &* factor
      block ^= block >> 24
      block = block &* factor
      hash = (hash &* factor) ^ block
      offset += 4
    }
    let rest = bytes[offset...]
    if !rest.isEmpty {
      for (index, byte) in rest.enumerated() { hash ^= UInt32(byte) << (8 * UInt32(index)) }
      hash = hash &* factor
    }
    hash ^= hash >> 13
    hash = hash &* factor
    return hash ^ hash >> 15
  }
}
