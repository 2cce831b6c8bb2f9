import NFCProtocols
import VirtualCards

/// Cards that `--card` knows by name, for trying things out without a dump.
enum SampleCard: String, CaseIterable {
  case ultralight, ntag213, ntag215, ntag216, classic1k, classic4k, type4, felica

  /// A made-up UID that begins like those of NXP.
  private static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]

  /// The card as it is before the program comes: the NDEF Text "hello", or as delivered.
  func image() throws(CardImageError) -> CardImage {
    let message = NDEFMessage([.text(NDEFText("hello", language: "en"))]).bytes
    switch self {
    case .ultralight: return Self.ultralight(message)
    case .ntag213: return try .ntag(.ntag213, uid: Self.uid, ndefMessage: message)
    case .ntag215: return try .ntag(.ntag215, uid: Self.uid, ndefMessage: message)
    case .ntag216: return try .ntag(.ntag216, uid: Self.uid, ndefMessage: message)
    case .classic1k: return .classic(.oneK, uid: Array(Self.uid[..<4]))
    case .classic4k: return .classic(.fourK, uid: Array(Self.uid[..<4]))
    case .type4: return .type4(uid: Self.uid, ndefMessage: message)
    case .felica:
      return try .type3(
        idm: [0x01, 0xFE, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66], ndefMessage: message)
    }
  }

  /// 16 pages: UID, locks, a capability container of 48 bytes, the message.
  private static func ultralight(_ message: [UInt8]) -> CardImage {
    var pages: [UInt8] = Array(uid[..<3]) + [uid[..<3].reduce(0x88, ^)] + uid[3...]
    pages += [uid[3...].reduce(0, ^), 0x48, 0x00, 0x00, 0xE1, 0x10, 0x06, 0x00]
    pages += TagTLV.area([TagTLV(.ndef, message), TagTLV(.terminator)])
    pages += [UInt8](repeating: 0, count: 64 - pages.count)
    var image = CardImage(kind: .type2(.ultralight), uid: uid)
    image.memory = CardMemory(unitSize: 4, bytes: pages)
    return image
  }
}
