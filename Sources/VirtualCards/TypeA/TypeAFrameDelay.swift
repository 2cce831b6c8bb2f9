public import NFCProtocols

/// Frame delay times of a type A card at 106 kbit/s (ISO/IEC 14443-3 6.2.1.1).
public enum TypeAFrameDelay {
  /// The value of n for REQA, WUPA, anticollision and SELECT.
  public static let activationFactor: Int64 = 9

  /// The first instant on the card's bit grid at which an answer may begin.
  ///
  /// - Parameters:
  ///   - frame: The command; its last bit on the air selects the row of the table.
  ///   - processing: The time the card needs; the delay is the next of n·128 + 84 or n·128 + 20
  ///     carrier cycles that is not shorter, n at least 9.
  public static func afterCommand(
    _ frame: RadioFrame, processing: Nanoseconds = .zero
  ) -> Nanoseconds {
    let offset: Int64 = lastBitIsOne(frame) ? 84 : 20
    // 13.56 cycles a microsecond; rounded up so that the answer is never too early.
    let needed = (processing.count * 339 + 24_999) / 25_000
    let steps = (needed - offset + 127) / 128
    return .carrierCycles(max(activationFactor, steps) * 128 + offset)
  }

  /// The last bit on the air: the parity bit of the last byte, or the last bit of a short frame.
  static func lastBitIsOne(_ frame: RadioFrame) -> Bool {
    guard let last = frame.bytes.last else { return false }
    if frame.lastByteBits < 8 { return last >> (frame.lastByteBits - 1) & 1 == 1 }
    return frame.parity?.bits.last ?? (last.nonzeroBitCount % 2 == 0)
  }
}
