/// Limits of ISO/IEC 14443 that do not depend on what a card says, in periods of the carrier.
public enum ProtocolTiming {
  /// What a reader adds to every frame waiting time: ΔFWT of 14443-4 7.2 (3.62 ms).
  public static let waitingTimeMarginCycles: Int64 = 49_152
  /// The waiting time of RATS, PPS and S(DESELECT): 14443-4 5.7 and 8.1 (4.83 ms).
  public static let activationCycles: Int64 = 65_536
  /// The least time between the starts of two REQA: 14443-3 6.2.2 (516 µs).
  public static let requestGuardCycles: Int64 = 7_000
  /// The least time from a card's last modulation to the reader's next frame: 14443-3 6.2.1.2.
  public static let cardToReaderMinimumCycles: Int64 = 1_172
  /// The least time from a reader's frame to the answer of a type A card: 14443-3 6.2.1.1, n = 9.
  public static let readerToCardMinimumCycles: Int64 = 1_172
  /// One bit at 106 kbit/s: 128 periods.
  public static let elementaryTimeUnitCycles: Int64 = 128

  /// What a reader adds to every frame waiting time.
  public static let waitingTimeMargin = Nanoseconds.carrierCycles(waitingTimeMarginCycles)
  /// The waiting time of RATS, PPS and S(DESELECT).
  public static let activation = Nanoseconds.carrierCycles(activationCycles)
  /// The least time between the starts of two REQA.
  public static let requestGuard = Nanoseconds.carrierCycles(requestGuardCycles)
  /// The least time from a card's last modulation to the reader's next frame.
  public static let cardToReaderMinimum = Nanoseconds.carrierCycles(cardToReaderMinimumCycles)
  /// The unmodulated field before the first command, and the pause that resets a card: 5 ms.
  public static let fieldGuard = Nanoseconds.milliseconds(5)
}

/// The delay from the end of a reader's frame to the start of a type A card's answer.
///
/// ISO/IEC 14443-3 6.2.1.1: (n·128 + 84)/fc if the reader's last bit was 1, (n·128 + 20)/fc if 0;
/// n is exactly 9 for REQA, WUPA, ANTICOLLISION and SELECT, and at least 9 for all others.
public struct FrameDelayTimeA: Hashable, Sendable {
  /// True if the last bit that the reader sent was 1 (the parity bit of a whole byte).
  public var lastBitIsOne: Bool
  /// The number n.
  public var slots: Int64

  /// The n of commands that all cards answer at the same instant.
  public static let synchronousSlots: Int64 = 9

  /// Makes a delay.
  public init(lastBitIsOne: Bool, slots: Int64 = synchronousSlots) {
    self.lastBitIsOne = lastBitIsOne
    self.slots = slots
  }

  /// The delay after a frame of the reader at 106 kbit/s.
  public init(after frame: RadioFrame, slots: Int64 = synchronousSlots) {
    self.init(lastBitIsOne: frame.lastBitOnAir, slots: slots)
  }

  /// The delay in periods of the carrier.
  public var carrierCycles: Int64 { slots * 128 + (lastBitIsOne ? 84 : 20) }

  /// The delay.
  public var duration: Nanoseconds { .carrierCycles(carrierCycles) }

  /// The shortest legal delay that is not below `cycles`.
  public static func atLeast(_ cycles: Int64, lastBitIsOne: Bool) -> FrameDelayTimeA {
    let base: Int64 = lastBitIsOne ? 84 : 20
    let slots = max(synchronousSlots, (max(cycles, 0) - base + 127) / 128)
    return FrameDelayTimeA(lastBitIsOne: lastBitIsOne, slots: slots)
  }
}

extension RadioFrame {
  /// The last bit of a type A frame on the air: the recorded parity bit, else the odd parity of
  /// the last byte, else the last data bit of a frame that ends inside a byte.
  public var lastBitOnAir: Bool {
    guard let last = bytes.last else { return false }
    if lastByteBits < 8 { return last >> (lastByteBits - 1) & 1 == 1 }
    if let recorded = parity?.bits, recorded.count == bytes.count, let bit = recorded.last {
      return bit
    }
    return last.nonzeroBitCount % 2 == 0
  }
}
