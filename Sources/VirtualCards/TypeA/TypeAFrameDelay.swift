public import NFCProtocols

/// Frame delay times of a type A card at 106 kbit/s (ISO/IEC 14443-3 6.2.1.1).
public enum TypeAFrameDelay {
  /// The first instant on the card's bit grid at which an answer may begin.
  ///
  /// - Parameters:
  ///   - frame: The command; its last bit on the air selects the row of the table.
  ///   - processing: The time the card needs; the delay is the next of n·128 + 84 or n·128 + 20
  ///     carrier cycles that is not shorter, n at least 9.
  public static func afterCommand(
    _ frame: RadioFrame, processing: Nanoseconds = .zero
  ) -> Nanoseconds {
    // 13.56 cycles a microsecond; rounded up so that the answer is never too early.
    let needed = (processing.count * 339 + 24_999) / 25_000
    return FrameDelayTimeA.atLeast(needed, lastBitIsOne: frame.lastBitOnAir).duration
  }
}
