/// How long a frame is on the air, from the start of its first bit to the end of its modulation.
///
/// Sources: type A ISO/IEC 14443-2 8 (modified Miller, Manchester) as seen in published captures;
/// type B 14443-3 7.1; FeliCa JIS X 6319-4 6.3; ISO/IEC 15693-2 7 and 8 (one of four coding,
/// one subcarrier, high data rate unless stated).
public enum AirTime {
  /// The time in periods of the carrier; a technology or bit rate that is not known counts as
  /// type A and as the lowest rate.
  public static func carrierCycles(of frame: RadioFrame, _ direction: Direction) -> Int64 {
    switch frame.technology ?? .a {
    case .a: typeA(frame, direction)
    case .b: typeB(frame)
    case .f: felica(frame)
    case .v: vicinity(frame, direction)
    }
  }

  /// The time.
  public static func duration(of frame: RadioFrame, _ direction: Direction) -> Nanoseconds {
    .carrierCycles(carrierCycles(of: frame, direction))
  }

  /// Periods of the carrier for one bit at a nominal bit rate; an unknown rate counts as 106.
  public static func cyclesPerBit(kilobitsPerSecond: UInt16?) -> Int64 {
    switch kilobitsPerSecond {
    case 212: 64
    case 424: 32
    case 848: 16
    default: 128
    }
  }

  private static func typeA(_ frame: RadioFrame, _ direction: Direction) -> Int64 {
    let bit = cyclesPerBit(kilobitsPerSecond: frame.kilobitsPerSecond)
    // Each whole byte has a parity bit; a frame that ends inside a byte has none behind it.
    let whole = Int64(frame.lastByteBits == 8 ? frame.bytes.count : max(frame.bytes.count - 1, 0))
    let bits = whole * 9 + (frame.lastByteBits == 8 ? 0 : Int64(frame.lastByteBits))
    let last = frame.lastBitOnAir
    switch direction {
    case .outbound:
      // The pause of the last 1 lies in the middle of its bit; a last 0 ends with the pause of the
      // end of communication.
      return bit * bits + (last ? bit * 3 / 4 : bit * 5 / 4)
    case .inbound where bit == 128:
      return bit * bits + (last ? bit / 2 : bit)
    case .inbound:
      // Above 106 kbit/s the card begins with 32 periods of the subcarrier fc/16 (14443-2 8.2.5).
      return 32 * 16 + bit * (bits + 1)
    }
  }

  private static func typeB(_ frame: RadioFrame) -> Int64 {
    let bit = cyclesPerBit(kilobitsPerSecond: frame.kilobitsPerSecond)
    // SOF 10 + 2, each character 10 (start, 8 data, stop), EOF 10 bits; no extra guard time.
    return bit * (12 + 10 * Int64(frame.bytes.count) + 10)
  }

  private static func felica(_ frame: RadioFrame) -> Int64 {
    // 212 kbit/s is the lowest rate. Preamble of 6 bytes and sync code of 2 in front of LEN.
    let bit: Int64 = frame.kilobitsPerSecond == 424 ? 32 : 64
    return bit * 8 * (8 + Int64(frame.bytes.count))
  }

  private static func vicinity(_ frame: RadioFrame, _ direction: Direction) -> Int64 {
    let count = Int64(frame.bytes.count)
    switch direction {
    case .outbound:
      // A nominal rate of 1 kbit/s is the one of 256 coding: 4.833 ms a byte.
      let byte: Int64 = frame.kilobitsPerSecond == 1 ? 65_536 : 4_096
      return 1_024 + byte * count + 512
    case .inbound:
      // 6 kbit/s is the low data rate, four times as long in all parts.
      let factor: Int64 = frame.kilobitsPerSecond == 6 ? 4 : 1
      return factor * (2_048 + 512 * 8 * count + 2_048)
    }
  }
}
