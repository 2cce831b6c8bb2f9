extension RadioMeaning {
  func writeTypeB(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .reqB, .wupB:
      text.append(kind == .reqB ? "REQB" : "WUPB")
      text.append("  AFI ")
      text.append(hex: UInt8(first))
      let slots = Int64(1) << Int64(second & 7)
      text.append(slots == 1 ? ", 1 slot" : ", ")
      if slots > 1 {
        text.append(decimal: slots)
        text.append(" slots")
      }
    case .slotMarker:
      text.append("Slot-MARKER ")
      text.append(decimal: Int64(first))
    case .atqB:
      text.append("ATQB  PUPI ")
      text.append(solidHex: bytes[1..<5])
      text.append(", FSC ")
      text.append(decimal: Int64(FrameSize.bytes(ofIndex: bytes[10] >> 4)))
      text.append(", FWI ")
      text.append(decimal: Int64(bytes[11] >> 4))
      text.append(" (")
      let waiting = bytes[11] >> 4 > 14 ? 4 : bytes[11] >> 4
      text.append(milliseconds: FrameWaitingTime(integer: waiting).duration)
      text.append(")")
    case .attrib:
      text.append("ATTRIB  FSD ")
      text.append(decimal: Int64(FrameSize.bytes(ofIndex: bytes[6] & 0x0F)))
      text.append(", CID ")
      text.append(decimal: Int64(bytes[8] & 0x0F))
    case .attribAnswer:
      text.append("ATTRIB accepted, CID ")
      text.append(decimal: Int64(first & 0x0F))
    case .haltB: text.append("HLTB")
    default: text.append("HLTB accepted")
    }
  }

  func writeFeliCa(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .polling:
      text.append("Polling  SC ")
      text.append(hex: UInt8(first >> 8))
      text.append(hex: UInt8(first & 0xFF))
      switch second >> 8 {
      case 1: text.append(", asks for the system code")
      case 2: text.append(", asks for the bit rates")
      default: break
      }
    case .pollingAnswer:
      text.append("Polling answer  IDm ")
      text.append(solidHex: bytes[2..<10])
    case .dep:
      text.append(RadioMeaning.depName(UInt8(first)))
      if first == 6 || first == 7 { DEPText.write(bytes[content], to: &text) }
    default:
      text.append(RadioMeaning.feliCaName(UInt8(first & 0xFE)))
      if kind == .feliCaCommand {
        writeBlockList(bytes, to: &text)
      } else if first & 0xFE == 0x06 || first & 0xFE == 0x08, content.count >= 2 {
        writeFeliCaStatus(bytes[contentStart], bytes[contentStart + 1], to: &text)
      }
    }
  }

  private func writeFeliCaStatus(
    _ status1: UInt8, _ status2: UInt8, to text: inout TextBuffer
  ) {
    if status1 == 0 {
      text.append("  ok")
    } else {
      text.append("  status ")
      text.append(hex: status1)
      text.append(" ")
      text.append(hex: status2)
    }
  }

  /// The service and the blocks of Read and Write Without Encryption.
  private func writeBlockList(_ bytes: [UInt8], to text: inout TextBuffer) {
    guard first == 0x06 || first == 0x08, content.count >= 4, bytes[contentStart] >= 1 else {
      return
    }
    text.append("  service ")
    text.append(hex: bytes[contentStart + 2])
    text.append(hex: bytes[contentStart + 1])
    var place = contentStart + 1 + 2 * Int(bytes[contentStart])
    guard place < contentEnd else { return }
    let count = bytes[place]
    place += 1
    text.append(count == 1 ? ", block" : ", blocks")
    for index in 0..<Int(count) {
      guard place + 1 < contentEnd else { return }
      text.append(index == 0 ? " " : ", ")
      if bytes[place] & 0x80 != 0 {
        text.append(hex: bytes[place + 1])
        place += 2
      } else {
        guard place + 2 < contentEnd else { return }
        text.append(hex: bytes[place + 2])
        text.append(hex: bytes[place + 1])
        place += 3
      }
    }
  }

  /// The name of a FeliCa command, given its even code.
  static func feliCaName(_ code: UInt8) -> StaticString {
    switch code {
    case 0x02: "Request Service"
    case 0x04: "Request Response"
    case 0x06: "Read Without Encryption"
    case 0x08: "Write Without Encryption"
    case 0x0A: "Search Service Code"
    case 0x0C: "Request System Code"
    case 0x10: "Authentication1"
    case 0x12: "Authentication2"
    case 0x14: "Read"
    case 0x16: "Write"
    case 0x32: "Request Service v2"
    case 0x38: "Get Container Issue Information"
    default: "FeliCa command"
    }
  }

  /// The name of an NFC-DEP command or answer, ISO/IEC 18092.
  static func depName(_ code: UInt8) -> StaticString {
    switch code {
    case 0x00: "ATR_REQ"
    case 0x01: "ATR_RES"
    case 0x02: "WUP_REQ"
    case 0x03: "WUP_RES"
    case 0x04: "PSL_REQ"
    case 0x05: "PSL_RES"
    case 0x06: "DEP_REQ"
    case 0x07: "DEP_RES"
    case 0x08: "DSL_REQ"
    case 0x09: "DSL_RES"
    case 0x0A: "RLS_REQ"
    case 0x0B: "RLS_RES"
    default: "NFC-DEP"
    }
  }

  func writeVicinity(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .inventory:
      text.append(second & 0x20 != 0 ? "Inventory, 1 slot" : "Inventory, 16 slots")
    case .inventoryAnswer:
      text.append("UID ")
      for index in (2..<10).reversed() { text.append(hex: bytes[index]) }
    case .vicinityCommand:
      text.append(RadioMeaning.vicinityName(UInt8(first)))
      writeVicinityParameters(bytes, to: &text)
    case .vicinityAnswer:
      text.append(content.isEmpty ? "ok" : "ok, ")
      if !content.isEmpty {
        text.append(decimal: Int64(content.count))
        text.append(content.count == 1 ? " byte" : " bytes")
      }
    default:
      text.append("error ")
      text.append(hex: UInt8(first))
      text.append(RadioMeaning.vicinityErrorName(UInt8(first)))
    }
  }

  private func writeVicinityParameters(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch first {
    case 0x20, 0x21, 0x22, 0x23, 0x24, 0x2C:
      guard !content.isEmpty else { return }
      text.append(" ")
      text.append(decimal: Int64(bytes[contentStart]))
      if first == 0x23 || first == 0x24 || first == 0x2C, content.count >= 2 {
        text.append(" to ")
        text.append(decimal: Int64(bytes[contentStart]) + Int64(bytes[contentStart + 1]))
      }
    default: break
    }
  }

  /// The name of a command, ISO/IEC 15693-3 table 9, and common custom commands.
  static func vicinityName(_ code: UInt8) -> StaticString {
    switch code {
    case 0x02: "Stay quiet"
    case 0x20: "Read single block"
    case 0x21: "Write single block"
    case 0x22: "Lock block"
    case 0x23: "Read multiple blocks"
    case 0x24: "Write multiple blocks"
    case 0x25: "Select"
    case 0x26: "Reset to ready"
    case 0x27: "Write AFI"
    case 0x28: "Lock AFI"
    case 0x29: "Write DSFID"
    case 0x2A: "Lock DSFID"
    case 0x2B: "Get system information"
    case 0x2C: "Get multiple block security status"
    case 0x30: "Extended read single block"
    case 0x31: "Extended write single block"
    case 0x33: "Extended read multiple blocks"
    case 0x3B: "Extended get system information"
    case 0xB2: "Get random number (custom)"
    case 0xB3: "Set password (custom)"
    case 0xA0...0xDF: "custom command"
    case 0xE0...0xFF: "proprietary command"
    default: "command"
    }
  }

  private static func vicinityErrorName(_ code: UInt8) -> StaticString {
    switch code {
    case 0x01: ", not supported"
    case 0x02: ", not recognised"
    case 0x03: ", option not supported"
    case 0x0F: ", no information"
    case 0x10: ", block not available"
    case 0x11: ", block already locked"
    case 0x12: ", block is locked"
    case 0x13: ", block was not written"
    case 0x14: ", block was not locked"
    default: ""
    }
  }
}
