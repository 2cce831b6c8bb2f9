/// Modulation and speed of a passive target: the byte BrTy of InListPassiveTarget.
public enum PassiveModulation: UInt8, Hashable, Sendable, CaseIterable {
  /// ISO/IEC 14443 type A at 106 kbit/s.
  case typeA106 = 0x00
  /// FeliCa at 212 kbit/s.
  case feliCa212 = 0x01
  /// FeliCa at 424 kbit/s.
  case feliCa424 = 0x02
  /// ISO/IEC 14443 type B at 106 kbit/s.
  case typeB106 = 0x03
  /// Innovision Jewel (Topaz) at 106 kbit/s.
  case jewel106 = 0x04
  /// Barcode at 106 kbit/s; known from a constant of libnfc only.
  case barcode106 = 0x05
  /// ISO/IEC 14443 type B at 212 kbit/s (PN533).
  case typeB212 = 0x06
  /// ISO/IEC 14443 type B at 424 kbit/s (PN533).
  case typeB424 = 0x07
  /// ISO/IEC 14443 type B at 848 kbit/s (PN533).
  case typeB848 = 0x08

  /// A short name such as `106 A`.
  public var name: StaticString {
    switch self {
    case .typeA106: "106 A"
    case .feliCa212: "212 F"
    case .feliCa424: "424 F"
    case .typeB106: "106 B"
    case .jewel106: "106 Jewel"
    case .barcode106: "106 barcode"
    case .typeB212: "212 B"
    case .typeB424: "424 B"
    case .typeB848: "848 B"
    }
  }
}
