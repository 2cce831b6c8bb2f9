/// A value block: the value thrice, once inverted, and an address byte four times (MF1S50 8.6.2.1).
struct ClassicValue: Hashable, Sendable {
  var value: Int32
  var address: UInt8

  init(value: Int32, address: UInt8) {
    self.value = value
    self.address = address
  }

  /// Reads a block; `nil` if it has not the format of a value block.
  init?(_ block: [UInt8]) {
    precondition(block.count == 16, "a block has 16 bytes")
    let first = Self.number(block[0..<4])
    guard first == ~Self.number(block[4..<8]), first == Self.number(block[8..<12]),
      block[12] == ~block[13], block[12] == block[14], block[13] == block[15]
    else { return nil }
    value = first
    address = block[12]
  }

  /// The 16 bytes of the block.
  var bytes: [UInt8] {
    let plain = Self.bytes(of: value)
    return plain + Self.bytes(of: ~value) + plain + [address, ~address, address, ~address]
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
    var bits: UInt32 = 0
    for byte in bytes.reversed() { bits = bits << 8 | UInt32(byte) }
    return Int32(bitPattern: bits)
  }

  private static func bytes(of value: Int32) -> [UInt8] {
    let bits = UInt32(bitPattern: value)
    return (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }
}
