extension RadioInterpreter {
  /// ISO/IEC 14443-3 type B.
  mutating func typeB(
    _ direction: Direction, _ frame: RadioFrame, end: Int
  ) -> RadioMeaning {
    let bytes = frame.bytes
    switch direction {
    case .outbound:
      switch (bytes[0], end) {
      case (0x05, 3):
        reset()
        return RadioMeaning(
          bytes[2] & 0x08 == 0 ? .reqB : .wupB, UInt16(bytes[1]), UInt16(bytes[2]),
          content: 1..<3)
      case (0x1D, 9...): return RadioMeaning(.attrib, content: 1..<end)
      case (0x50, 5):
        reset()
        return RadioMeaning(.haltB, content: 1..<5)
      case (_, 1) where bytes[0] & 0x0F == 5 && bytes[0] > 0x0F:
        return RadioMeaning(.slotMarker, UInt16(bytes[0] >> 4) + 1)
      default: break
      }
    case .inbound:
      switch lastCommand {
      case .reqB, .wupB, .slotMarker:
        if bytes[0] == 0x50, end >= 12 { return RadioMeaning(.atqB, content: 0..<end) }
      case .attrib:
        if end >= 1 {
          isISODEPActive = true
          blocks = BlockHistory()
          return RadioMeaning(.attribAnswer, UInt16(bytes[0]), content: 1..<end)
        }
      case .haltB:
        if end == 1, bytes[0] == 0 { return RadioMeaning(.haltBAnswer) }
      default: break
      }
      if bytes[0] == 0x50, end == 12 { return RadioMeaning(.atqB, content: 0..<end) }
    }
    return block(bytes, end: end, direction)
      ?? RadioMeaning(.unknown, content: 0..<bytes.count)
  }

  /// FeliCa and NFC-DEP at 212 and 424 kbit/s: a length byte, then a code.
  mutating func feliCa(_ direction: Direction, _ bytes: [UInt8], end: Int) -> RadioMeaning {
    guard bytes.count >= 2, end >= 2 else {
      return RadioMeaning(.unknown, content: 0..<bytes.count)
    }
    switch bytes[1] {
    case 0xD4 where end >= 3, 0xD5 where end >= 3:
      return RadioMeaning(.dep, UInt16(bytes[2]), UInt16(bytes[1]), content: 3..<end)
    case 0x00 where end >= 6:
      return RadioMeaning(
        .polling, UInt16(bytes[2]) << 8 | UInt16(bytes[3]),
        UInt16(bytes[4]) << 8 | UInt16(bytes[5]), content: 2..<end)
    case 0x01 where end >= 18:
      return RadioMeaning(.pollingAnswer, content: 2..<end)
    default:
      guard end >= 10 else { return RadioMeaning(.unknown, content: 0..<bytes.count) }
      return RadioMeaning(
        direction == .outbound ? .feliCaCommand : .feliCaAnswer, UInt16(bytes[1]),
        content: 10..<end)
    }
  }

  /// ISO/IEC 15693-3.
  mutating func vicinity(_ direction: Direction, _ bytes: [UInt8], end: Int) -> RadioMeaning {
    switch direction {
    case .outbound:
      guard end >= 2 else { return RadioMeaning(.unknown, content: 0..<bytes.count) }
      let flags = UInt16(bytes[0])
      if bytes[1] == 0x01 {
        return RadioMeaning(.inventory, 0x01, flags, content: 2..<end)
      }
      // Custom commands (A0 to DF) name a maker; an addressed command then names a card.
      var start = 2 + (bytes[1] >= 0xA0 && bytes[1] <= 0xDF ? 1 : 0)
      if flags & 0x24 == 0x20 { start += 8 }
      return RadioMeaning(
        .vicinityCommand, UInt16(bytes[1]), flags, content: min(start, end)..<end)
    case .inbound:
      guard end >= 1 else { return RadioMeaning(.unknown, content: 0..<bytes.count) }
      if bytes[0] & 0x01 != 0, end >= 2 {
        return RadioMeaning(.vicinityError, UInt16(bytes[1]), content: 1..<end)
      }
      if lastCommand == .inventory, end == 10 {
        return RadioMeaning(.inventoryAnswer, UInt16(bytes[1]), content: 2..<10)
      }
      return RadioMeaning(.vicinityAnswer, lastParameter, content: 1..<end)
    }
  }
}
