/// A reader chip whose host link Retap understands, with the limits that differ between them.
///
/// The figures are those that the public drivers libnfc and nfcpy work with.
public enum Chip: UInt8, Hashable, Sendable, CaseIterable {
  /// NXP PN531 (firmware 3.x and 4.x).
  case pn531
  /// NXP PN532, also the chip inside an ACR122U.
  case pn532
  /// NXP PN533 (SCL3711, ASK LoGO).
  case pn533
  /// Sony RC-S956 (RC-S330, RC-S360, RC-S370).
  case rcS956
  /// Sony RC-S380: other commands, the same frame form with a little-endian length.
  case rcS380

  /// The longest body (TFI, command code and parameters) in bytes that the chip takes or sends.
  public var maximumBodyLength: Int {
    switch self {
    case .pn531: 254
    case .pn532, .pn533, .rcS956: 265
    case .rcS380: Chip.rcS380MaximumBodyLength
    }
  }

  /// The longest body in bytes taken from an RC-S380: 290 bytes of card data and a header of
  /// less than 32 bytes, as nfcpy limits it, rounded up.
  public static let rcS380MaximumBodyLength = 512

  /// The longest body in bytes that fits in the pseudo-APDU of an ACR122U, whose Lc is one byte.
  public static let acr122MaximumBodyLength = 254

  /// True if the chip takes and sends extended information frames.
  public var hasExtendedFrames: Bool { self != .pn531 }

  /// How many targets the chip can hold at a time.
  public var maximumTargets: Int {
    switch self {
    case .pn531, .pn532: 2
    case .pn533, .rcS956, .rcS380: 1
    }
  }

  /// The most registers that one ReadRegister or WriteRegister may name, or `nil` for no own limit.
  public var maximumRegistersPerCommand: Int? { self == .rcS956 ? 64 : nil }

  /// True if the response to ReadRegister and WriteRegister begins with a status byte.
  public var hasRegisterStatus: Bool { self == .pn533 }

  /// True if `modulation` may be asked for in InListPassiveTarget.
  public func allows(_ modulation: PassiveModulation) -> Bool {
    switch self {
    case .pn531: modulation.rawValue <= 2
    case .pn532, .rcS956: modulation.rawValue <= 4
    case .pn533: modulation.rawValue <= 8 && modulation.rawValue != 5
    case .rcS380: false
    }
  }

  /// The name as printed on the chip or the reader.
  public var name: StaticString {
    switch self {
    case .pn531: "PN531"
    case .pn532: "PN532"
    case .pn533: "PN533"
    case .rcS956: "RC-S956"
    case .rcS380: "RC-S380"
    }
  }
}
