import NFCProtocols

/// The numbers of nfc-laboratory's frames (josevcm/nfc-laboratory, RawFrame).
enum LaboratoryCode {
  static let noTechnology: Int64 = 0x100
  static let iso7816: Int64 = 0x201

  static let carrierOff: Int64 = 0x100
  static let carrierOn: Int64 = 0x101
  static let poll: Int64 = 0x102
  static let listen: Int64 = 0x103
  static let answerToReset: Int64 = 0x201
  static let request: Int64 = 0x211
  static let response: Int64 = 0x212

  /// Phases as the published files have them: activation, and what comes after it.
  static let selectionPhase: Int64 = 0x102
  static let applicationPhase: Int64 = 0x103
  static let carrierPhase: Int64 = 0x101

  static let shortFlag: Int64 = 0x01
  static let encryptedFlag: Int64 = 0x02
  static let truncatedFlag: Int64 = 0x08
  static let parityErrorFlag: Int64 = 0x10
  static let crcErrorFlag: Int64 = 0x20
  static let syncErrorFlag: Int64 = 0x40

  /// The technology of a `techType`.
  static func technology(_ code: Int64) -> Technology? {
    switch code {
    case 0x101: .a
    case 0x102: .b
    case 0x103: .f
    case 0x104: .v
    default: nil
    }
  }

  /// The `techType` of a technology.
  static func code(_ technology: Technology) -> Int64 {
    switch technology {
    case .a: 0x101
    case .b: 0x102
    case .f: 0x103
    case .v: 0x104
    }
  }

  /// Nominal kbit/s of a `frameRate` in bit/s.
  static func kilobits(_ rate: Int64) -> UInt16? {
    guard rate > 0, rate < 60_000_000 else { return nil }
    return UInt16((rate + 500) / 1_000)
  }

  /// The `frameRate` in bit/s of nominal kbit/s: fractions of the 13.56 MHz carrier.
  static func rate(_ kilobits: UInt16) -> Int64 {
    switch kilobits {
    case 106: 105_938
    case 212: 211_875
    case 424: 423_750
    case 848: 847_500
    case 26: 26_484
    case 53: 52_969
    case 7: 6_620
    case 2: 1_655
    default: Int64(kilobits) * 1_000
    }
  }
}
