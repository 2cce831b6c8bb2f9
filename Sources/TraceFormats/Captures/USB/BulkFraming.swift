import NFCTrace
import PN53x

extension KnownReader {
  /// What its bulk transfers carry, as a trace names it.
  var payload: LinkTransfer.Payload { framing == .ccid ? .ccid : .pn53x }
}

/// What the first bytes of a bulk transfer can be.
enum BulkFraming {
  /// Bytes in front of a start code that are still taken for a preamble.
  static let preambleLimit = 32

  /// True if the bytes hold the start of a PN53x or RC-S380 frame with fitting length bytes.
  static func isPN53x(_ bytes: [UInt8]) -> Bool {
    let limit = min(bytes.count, preambleLimit)
    for start in 0..<max(0, limit - 1) where bytes[start] == 0x00 && bytes[start + 1] == 0xFF {
      if startsFrame(bytes[(start + 2)...]) { return true }
      // In front of the start code there is only preamble.
      return false
    }
    return false
  }

  private static func startsFrame(_ rest: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(rest.prefix(7))
    guard bytes.count >= 2 else { return false }
    // ACK 00 FF, NACK FF 00; nothing but a postamble may follow.
    if bytes[0] == 0x00 && bytes[1] == 0xFF || bytes[0] == 0xFF && bytes[1] == 0x00 {
      return rest.count <= 3
    }
    let identifiers: [UInt8] = [0xD4, 0xD5, 0xD6, 0xD7, 0x7F]
    if bytes[0] == 0xFF && bytes[1] == 0xFF {
      guard bytes.count >= 6, bytes[2] &+ bytes[3] &+ bytes[4] == 0 else { return false }
      return identifiers.contains(bytes[5])
    }
    return bytes.count >= 3 && bytes[0] &+ bytes[1] == 0 && identifiers.contains(bytes[2])
  }

  /// True if the bytes are one whole CCID message from the host (CCID 1.1, 6.1).
  static func isCCIDCommand(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10, (0x61...0x73).contains(bytes[0]) else { return false }
    return Int(RecordFields(bytes[...]).u32(1)) == bytes.count - 10 && bytes[5] < 16
  }

  /// True if the message carries bytes for the card or the reader's own chip (XfrBlock, Escape).
  static func isCCIDExchange(_ bytes: [UInt8]) -> Bool {
    isCCIDCommand(bytes) && (bytes[0] == 0x6F || bytes[0] == 0x6B)
  }
}
