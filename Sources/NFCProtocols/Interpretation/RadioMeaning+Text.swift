extension RadioMeaning {
  /// Appends what the frame says, in a few words and without a full stop.
  ///
  /// The text of a pre-ISO command or of a whole APDU comes with its main parameters.
  public func write(_ frame: RadioFrame, to text: inout TextBuffer) {
    let bytes = frame.bytes
    switch kind {
    case .unknown, .empty, .encrypted, .reqA, .wupA, .atqA, .anticollision, .anticollisionAnswer,
      .select, .sak, .haltA, .magicWakeUp, .enhancedPolling, .rats, .ats, .pps, .ppsAnswer:
      writeActivationA(bytes, to: &text)
    case .informationBlock, .acknowledgeBlock, .negativeAcknowledgeBlock, .waitingTimeExtension,
      .deselect, .parametersBlock:
      writeBlock(bytes, to: &text)
    case .reqB, .wupB, .slotMarker, .atqB, .attrib, .attribAnswer, .haltB, .haltBAnswer:
      writeTypeB(bytes, to: &text)
    case .polling, .pollingAnswer, .feliCaCommand, .feliCaAnswer, .dep:
      writeFeliCa(bytes, to: &text)
    case .inventory, .inventoryAnswer, .vicinityCommand, .vicinityAnswer, .vicinityError:
      writeVicinity(bytes, to: &text)
    default:
      writeMemory(bytes, to: &text)
    }
    if isRetransmission { text.append("  (again)") }
    if checkValue == .bad { text.append("  CRC does not fit") }
    if frame.isCollision { text.append("  collision") }
    if frame.isTruncated { text.append("  cut off") }
  }

  private func writeActivationA(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .unknown: text.append("unknown")
    case .empty: text.append("empty frame")
    case .encrypted: text.append("encrypted")
    case .reqA: text.append("REQA")
    case .wupA: text.append("WUPA")
    case .atqA: writeATQA(to: &text)
    case .anticollision:
      text.append("ANTICOLLISION CL")
      text.append(decimal: Int64(first))
      if second != 0x20 {
        text.append(", ")
        text.append(decimal: Int64((second >> 4) * 8 + (second & 7)) - 16)
        text.append(" bits known")
      }
    case .anticollisionAnswer:
      text.append("UID CL")
      text.append(decimal: Int64(first))
      if bytes.count == 5 { writePartOfUID(bytes[0..<5], to: &text) }
    case .select:
      text.append("SELECT CL")
      text.append(decimal: Int64(first))
      writePartOfUID(bytes[content], to: &text)
    case .sak: writeSAK(to: &text)
    case .haltA: text.append("HLTA")
    case .magicWakeUp: text.append("wake-up of a rewritable card")
    case .enhancedPolling: text.append("ECP, enhanced contactless polling")
    case .rats:
      text.append("RATS  FSD ")
      text.append(decimal: Int64(FrameSize.bytes(ofIndex: UInt8(first))))
      text.append(", CID ")
      text.append(decimal: Int64(second))
    case .ats: writeATS(bytes, to: &text)
    case .pps:
      text.append("PPS  card ")
      text.append(decimal: 106 << Int64(first >> 2 & 3))
      text.append(", reader ")
      text.append(decimal: 106 << Int64(first & 3))
      text.append(" kbit/s")
    case .ppsAnswer: text.append("PPS accepted")
    default: text.append("?")
    }
  }

  private func writeATQA(to text: inout TextBuffer) {
    // ATQA tells the size of the UID (ISO/IEC 14443-3 table 4). Most values are shared by many
    // products, which SAK tells apart; 0344 is DESFire's (NXP AN10833).
    text.append(first == 0x0344 ? "ATQA  DESFire, " : "ATQA  ")
    switch first >> 6 & 3 {
    case 0: text.append("4-byte UID")
    case 1: text.append("7-byte UID")
    case 2: text.append("10-byte UID")
    default: text.append("reserved UID size")
    }
  }

  private func writePartOfUID(_ part: ArraySlice<UInt8>, to text: inout TextBuffer) {
    let start = part.startIndex
    text.append("  ")
    let hasTag = part[start] == 0x88
    text.append(solidHex: part[(hasTag ? start + 1 : start)..<(start + 4)])
    if hasTag { text.append(" …") }
    let check = part[start] ^ part[start + 1] ^ part[start + 2] ^ part[start + 3]
    if check != part[start + 4] { text.append("  BCC does not fit") }
  }

  private func writeSAK(to text: inout TextBuffer) {
    text.append("SAK")
    if first & 0x04 != 0 {
      text.append("  UID not complete")
      return
    }
    switch first & 0x7B {
    case 0x00: text.append("  Type 2: Ultralight, NTAG")
    case 0x08: text.append("  Classic 1K")
    case 0x09: text.append("  Classic Mini")
    case 0x18: text.append("  Classic 4K")
    case 0x10, 0x11: text.append("  Plus SL2")
    case 0x20: text.append("  ISO-DEP")
    case 0x28: text.append("  ISO-DEP and Classic 1K")
    case 0x38: text.append("  ISO-DEP and Classic 4K")
    case 0x40: text.append("  NFC-DEP")
    case 0x60: text.append("  ISO-DEP and NFC-DEP")
    default:
      if first & 0x20 != 0 { text.append("  ISO-DEP") }
    }
  }

  private func writeATS(_ bytes: [UInt8], to text: inout TextBuffer) {
    text.append("ATS")
    let format = content.count > 1 ? bytes[1] : 0x02
    text.append("  FSC ")
    text.append(decimal: Int64(FrameSize.bytes(ofIndex: format & 0x0F)))
    let place = 2 + (format & 0x10 != 0 ? 1 : 0)
    var interfaceB: UInt8 = 0x40
    if format & 0x20 != 0, place < contentEnd { interfaceB = bytes[place] }
    let waiting = interfaceB >> 4 > 14 ? 4 : interfaceB >> 4
    text.append(", FWI ")
    text.append(decimal: Int64(interfaceB >> 4))
    text.append(" (")
    text.append(milliseconds: FrameWaitingTime(integer: waiting).duration)
    text.append(")")
    if interfaceB & 0x0F != 0 {
      text.append(", SFGI ")
      text.append(decimal: Int64(interfaceB & 0x0F))
    }
  }

  private func writeBlock(_ bytes: [UInt8], to text: inout TextBuffer) {
    switch kind {
    case .informationBlock:
      text.append(first == 0 ? "I(0)" : "I(1)")
      if second == 1 { text.append("+") }
    case .acknowledgeBlock: text.append(first == 0 ? "R(ACK)0" : "R(ACK)1")
    case .negativeAcknowledgeBlock: text.append(first == 0 ? "R(NAK)0" : "R(NAK)1")
    case .waitingTimeExtension:
      text.append("S(WTX) ×")
      text.append(decimal: Int64(first))
    case .deselect: text.append("S(DESELECT)")
    default: text.append("S(PARAMETERS)")
    }
  }
}

extension TextBuffer {
  /// Appends a time in milliseconds with one digit behind the point: `77.3 ms`, `0.3 ms`.
  public mutating func append(milliseconds time: Nanoseconds) {
    let tenths = (time.count + 50_000) / 100_000
    append(decimal: tenths / 10)
    append(ascii: 0x2E)
    append(decimal: abs(tenths % 10))
    append(" ms")
  }
}
