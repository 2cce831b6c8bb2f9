import NFCProtocols

/// Bytes with their parity bits as a receiver stores them: nine bits a byte, lowest bit first.
enum NineBitGroups {
  /// Takes `bitCount` bits apart into bytes and parity bits.
  ///
  /// Bits behind the last whole group are filling.
  static func split(_ packed: ArraySlice<UInt8>, bitCount: Int) -> ([UInt8], ParityBits) {
    precondition(bitCount <= packed.count * 8, "the bits lie in the bytes")
    var bytes: [UInt8] = []
    var parity: [Bool] = []
    func bit(_ index: Int) -> UInt8 {
      packed[packed.startIndex + index / 8] >> UInt8(index % 8) & 1
    }
    for group in 0..<(bitCount / 9) {
      var byte: UInt8 = 0
      for index in 0..<8 { byte |= bit(group * 9 + index) << UInt8(index) }
      bytes.append(byte)
      parity.append(bit(group * 9 + 8) == 1)
    }
    return (bytes, ParityBits(parity))
  }
}
