public import NFCProtocols

/// How long frames are on the air.
public enum AirTime {
  /// The time from the first to the last bit of a frame, start and end marks included.
  ///
  /// Type A: ISO/IEC 14443-3 6.2.3, one etu each for start and end of communication, 9 etu a byte.
  /// Type B: ISO/IEC 14443-3 7.1.4–7.1.5, 10 etu a character, SOF 12 etu and EOF 10 etu at their
  /// shortest, no extra guard time. FeliCa: JIS X 6319-4, 48 bits of preamble, 16 of sync code.
  /// ISO/IEC 15693-2: 1 out of 4 towards the card (4096/fc a byte, SOF and EOF 1024/fc + 512/fc),
  /// high data rate towards the reader (512/fc a bit, SOF and EOF about 8 bits together).
  @inlinable
  public static func duration(
    of frame: RadioFrame, direction: Direction, technology: Technology
  ) -> Nanoseconds {
    let bits = Int64(frame.bitCount)
    let bytes = Int64(frame.bytes.count)
    switch technology {
    case .a:
      let parityBits = bits / 8
      return .carrierCycles((bits + parityBits + 2) * etuCycles(frame))
    case .b:
      return .carrierCycles((bytes * 10 + 22) * etuCycles(frame))
    case .f:
      let bitCycles: Int64 = frame.kilobitsPerSecond == 424 ? 32 : 64
      return .carrierCycles((bytes * 8 + 64) * bitCycles)
    case .v:
      switch direction {
      case .outbound: return .carrierCycles(bytes * 4_096 + 1_536)
      case .inbound: return .carrierCycles((bytes * 8 + 8) * 512)
      }
    }
  }

  /// The carrier cycles of one etu: 128 at 106 kbit/s and half of that at each doubling.
  @usableFromInline
  static func etuCycles(_ frame: RadioFrame) -> Int64 {
    switch frame.kilobitsPerSecond {
    case 212: 64
    case 424: 32
    case 848: 16
    default: 128
    }
  }
}

/// What lies between the two sides of a run.
public enum RunMedium: Hashable, Sendable {
  /// The air: one speaks at a time, frames take their air time, nothing works without a field.
  case air(Technology)
  /// A link between host and chip: both may speak, a frame carries one transfer and takes no time.
  case link
}
