import NFCProtocols

/// What a type A card sends back after a command of its own.
enum TypeAAnswer: Hashable, Sendable {
  /// Nothing; the card stays where it is.
  case none
  /// Bytes, to which CRC_A is added.
  case data([UInt8])
  /// Bytes without CRC.
  case raw([UInt8])
  /// Four bits, ACK or NAK.
  case nibble(UInt8)

  /// ACK of Ultralight, NTAG and Classic (MF0ICU1 table 8, MF1S50 table 10).
  static let acknowledge = TypeAAnswer.nibble(0xA)

  /// The frame on the air, or `nil` for nothing.
  var frame: RadioFrame? {
    switch self {
    case .none: nil
    case .data(let bytes): .protected(bytes, .a, kilobitsPerSecond: 106)
    case .raw(let bytes):
      RadioFrame(bytes, technology: .a, kilobitsPerSecond: 106, crc: .absent)
    case .nibble(let value):
      RadioFrame(
        [value], lastByteBits: 4, technology: .a, kilobitsPerSecond: 106, crc: .absent)
    }
  }
}

/// The content of a command to a type A card, or why it has none.
enum SelectedCommand: Hashable, Sendable {
  /// The bytes in front of a good CRC.
  case content([UInt8])
  /// The CRC, the parity or the modulation is wrong.
  case damaged

  init(_ frame: RadioFrame) {
    if isDamaged(frame) || frame.crc == .bad || frame.lastByteBits != 8 || frame.bytes.isEmpty {
      self = .damaged
    } else if frame.crc == .notCaptured {
      self = .content(frame.bytes)
    } else if CRC16.a.check(frame.bytes) {
      self = .content(Array(frame.bytes.dropLast(CRC16.byteCount)))
    } else {
      self = .damaged
    }
  }
}
