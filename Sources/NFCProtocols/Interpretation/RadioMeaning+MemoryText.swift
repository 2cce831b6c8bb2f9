extension RadioMeaning {
  /// The commands of Type 2 tags and MIFARE Classic, and their answers.
  func writeMemory(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .shortAnswer: writeShortAnswer(to: &text)
    case .read: number("READ ", to: &text)
    case .fastRead:
      number("FAST_READ ", to: &text)
      text.append(" to ")
      text.append(decimal: Int64(second))
    case .write: number("WRITE ", to: &text)
    case .compatibleWrite: number("WRITE ", to: &text, ", data follow")
    case .compatibleWriteData: number("data for ", to: &text)
    case .memoryData: number("data from ", to: &text)
    case .readCounter: number("READ_CNT ", to: &text)
    case .incrementCounter: number("INCR_CNT ", to: &text)
    case .checkTearing: number("CHECK_TEARING_EVENT ", to: &text)
    case .decrement: number("DECREMENT block ", to: &text)
    case .increment: number("INCREMENT block ", to: &text)
    case .restore: number("RESTORE block ", to: &text)
    case .transfer: number("TRANSFER block ", to: &text)
    case .counterAnswer:
      let value = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
      text.append("counter ")
      text.append(decimal: Int64(value))
    case .authenticate:
      number(second == 0 ? "AUTH A block " : "AUTH B block ", to: &text)
    default: text.append(fixedMemoryText)
    }
  }

  private var fixedMemoryText: StaticString {
    switch kind {
    case .getVersion: "GET_VERSION"
    case .versionAnswer: "version"
    case .passwordAuthenticate: "PWD_AUTH"
    case .passwordAnswer: "PACK"
    case .readSignature: "READ_SIG"
    case .signatureAnswer: "signature"
    case .sectorSelect: "SECTOR_SELECT"
    case .authenticateStart: "AUTHENTICATE part 1"
    case .authenticateContinue: "AUTHENTICATE, encrypted nonce"
    case .authenticateDone: "AUTHENTICATE done"
    case .nonce: "nonce nT"
    case .readerAnswer: "nR, aR"
    case .cardAnswer: "aT, encryption begins"
    default: "?"
    }
  }

  private func number(
    _ name: StaticString, to text: inout TextBuffer, _ end: StaticString = ""
  ) {
    text.append(name)
    text.append(decimal: Int64(first))
    text.append(end)
  }

  private func writeShortAnswer(to text: inout TextBuffer) {
    switch first {
    case 0x0A: text.append("ACK")
    case 0x00: text.append("NAK 0, invalid argument")
    case 0x01: text.append("NAK 1, parity or CRC error")
    case 0x04: text.append("NAK 4, counter or authentication")
    case 0x05: text.append("NAK 5, write error")
    default:
      text.append("NAK ")
      text.append(hex: UInt8(first))
    }
  }
}
