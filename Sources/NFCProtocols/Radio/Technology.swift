/// The four radio technologies of NFC, under the letters of the NFC Forum.
public enum Technology: UInt8, Hashable, Sendable, CaseIterable {
  /// ISO/IEC 14443 type A.
  case a
  /// ISO/IEC 14443 type B.
  case b
  /// FeliCa, JIS X 6319-4.
  case f
  /// ISO/IEC 15693.
  case v

  /// The letter `A`, `B`, `F` or `V` as ASCII.
  public var letter: UInt8 {
    switch self {
    case .a: 0x41
    case .b: 0x42
    case .f: 0x46
    case .v: 0x56
    }
  }

  /// The technology of an ASCII letter, upper case only.
  public init?(letter: UInt8) {
    switch letter {
    case 0x41: self = .a
    case 0x42: self = .b
    case 0x46: self = .f
    case 0x56: self = .v
    default: return nil
    }
  }
}
