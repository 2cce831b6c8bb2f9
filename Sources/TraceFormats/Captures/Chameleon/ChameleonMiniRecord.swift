import NFCProtocols

/// Names and meanings of the entries of a ChameleonMini RevG log.
enum ChameleonMiniEntry {
  /// The entry types of the firmware's log (public source of the project).
  static func name(of type: UInt8) -> String? {
    switch type {
    case 0x10: "generic"
    case 0x11: "configuration"
    case 0x12: "setting"
    case 0x13: "UID set"
    case 0x20: "application reset"
    case 0x40: "codec received"
    case 0x41: "codec sent"
    case 0x42: "codec received with parity"
    case 0x43: "codec sent with parity"
    case 0x44: "sniffed reader"
    case 0x45: "sniffed reader with parity"
    case 0x46: "sniffed card"
    case 0x47: "sniffed card with parity"
    case 0x48: "reader field detected"
    case 0x80: "card read"
    case 0x81: "card write"
    case 0x84: "card increment"
    case 0x85: "card decrement"
    case 0x86: "card transfer"
    case 0x87: "card restore"
    case 0x90: "card authentication"
    case 0x91: "card halt"
    case 0x92: "card command unknown"
    case 0xA0: "card authenticating"
    case 0xA1: "card authenticated"
    case 0xC0: "authentication failed"
    case 0xC1: "checksum failed"
    case 0xC2: "not authenticated"
    case 0xE0...0xEF: "DESFire \(CaptureText.hex(type, digits: 2))"
    case 0xFF: "boot"
    default: nil
    }
  }

  /// Bytes in front of the data: type, length, u16 time, big endian.
  static let headerLength = 4
  /// The type byte that ends a log; no length follows.
  static let end: UInt8 = 0x00

  /// The technology of a configuration, by the names that the firmware gives them.
  static func technology(ofConfiguration name: String) -> Technology? {
    let name = name.uppercased()
    if name.contains("14443A") || name.hasPrefix("MF") || name.hasPrefix("NTAG")
      || name.hasPrefix("ULTRALIGHT")
    {
      return .a
    }
    if name.contains("14443B") { return .b }
    if name.contains("15693") || name.hasPrefix("VICINITY") || name.hasPrefix("SL2")
      || name.hasPrefix("TITAGIT") || name.hasPrefix("EM4233")
    {
      return .v
    }
    return name.contains("FELICA") ? .f : nil
  }
}
