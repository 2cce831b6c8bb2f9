import NFCProtocols

/// What the duration field of a Proxmark3 trace means, ISO/IEC 14443-3 type A at 106 kbit/s.
///
/// All lengths are carrier cycles (1/13.56 MHz). The rule was checked on published traces: a frame
/// lasts 128 cycles a bit and ends with its last modulation, which depends on its last bit and on
/// which side sent it.
enum ProxmarkDuration {
  /// Cycles of one bit at 106 kbit/s, ISO/IEC 14443-2 8.1.1.
  static let bit: Int64 = 128
  /// The largest number that the field holds; it stands for every longer frame.
  static let saturated: Int64 = 0xFFFF
  /// A frame of one byte that lasts less is a short frame (as the project's own client reads it).
  static let shortFrameLimit: Int64 = 1_088

  /// The duration of a frame: 9 bits a byte with its parity, no parity behind a partial byte.
  static func typeA(_ direction: Direction, _ frame: RadioFrame) -> Int64 {
    guard let last = frame.bytes.last else { return 0 }
    let isPartial = frame.lastByteBits < 8
    let whole = Int64(frame.bytes.count - (isPartial ? 1 : 0))
    let bits = whole * 9 + (isPartial ? Int64(frame.lastByteBits) : 0)
    let isLastBitSet: Bool
    if isPartial {
      isLastBitSet = last >> (frame.lastByteBits - 1) & 1 == 1
    } else {
      isLastBitSet = (frame.parity ?? .odd(for: frame.bytes)).bits.last ?? false
    }
    let tail: Int64 =
      direction == .outbound ? (isLastBitSet ? 96 : 160) : (isLastBitSet ? 64 : 128)
    return min(saturated, bits * bit + tail)
  }

  /// Bits of a one-byte frame that lasted `duration`, or 8 if that is no short frame.
  static func bitsOfSingleByte(lasting duration: UInt16) -> UInt8 {
    let cycles = Int64(duration)
    guard cycles < shortFrameLimit else { return 8 }
    let bits = (cycles - 64) / bit
    return (1...7).contains(bits) ? UInt8(bits) : 8
  }
}
