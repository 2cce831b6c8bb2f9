extension RadioInterpreter {
  mutating func typeA(
    _ direction: Direction, _ frame: RadioFrame, end: Int
  ) -> RadioMeaning {
    switch direction {
    case .outbound: readerA(frame, end: end)
    case .inbound: cardA(frame, end: end)
    }
  }

  private mutating func readerA(_ frame: RadioFrame, end: Int) -> RadioMeaning {
    let bytes = frame.bytes
    if bytes.count == 1, let short = shortCommand(bytes[0], frame.lastByteBits) { return short }
    switch bytes[0] {
    case 0x93, 0x95, 0x97:
      guard bytes.count >= 2, bytes[1] & 0x0F <= 7, !isEnciphered else { break }
      let level = UInt16(bytes[0] - 0x93) / 2 + 1
      isISODEPActive = false
      if bytes[1] == 0x70, bytes.count >= 7 {
        return RadioMeaning(.select, level, content: 2..<7)
      }
      return RadioMeaning(
        .anticollision, level, UInt16(bytes[1]), content: 2..<bytes.count)
    case 0x50 where end == 2 && bytes[1] == 0x00:
      reset()
      return RadioMeaning(.haltA, content: 0..<end)
    default: break
    }
    if isEnciphered || frame.isEncrypted, lastCommand != .authenticate {
      return RadioMeaning(.encrypted, content: 0..<bytes.count)
    }
    if lastCommand == .authenticate, bytes.count == 8 {
      return RadioMeaning(.readerAnswer, content: 0..<8)
    }
    if let block = block(bytes, end: end, .outbound) { return block }
    switch bytes[0] {
    case 0xE0 where end == 2 && sak.map({ $0 & 0x24 == 0x20 }) ?? true:
      return RadioMeaning(
        .rats, UInt16(bytes[1] >> 4), UInt16(bytes[1] & 0x0F), content: 1..<2)
    case 0xD0...0xDF where (end == 2 || end == 3) && isISODEPActive:
      return RadioMeaning(
        .pps, end == 3 ? UInt16(bytes[2]) : 0, UInt16(bytes[0] & 0x0F), content: 1..<end)
    case 0x6A where bytes.count >= 4 && !isISODEPActive:
      return RadioMeaning(.enhancedPolling, UInt16(bytes[1]), content: 1..<end)
    default:
      if let command = memoryCommand(bytes, end: end) {
        hasSeenMemoryCommand = true
        return command
      }
      return dep(bytes, end: end, 0xD4)
        ?? RadioMeaning(.unknown, content: 0..<bytes.count)
    }
  }

  private mutating func shortCommand(_ byte: UInt8, _ bits: UInt8) -> RadioMeaning? {
    switch byte {
    case 0x26 where bits >= 7, 0x52 where bits >= 7:
      reset()
      return RadioMeaning(byte == 0x26 ? .reqA : .wupA)
    case 0x40 where bits == 7, 0x43 where bits == 7 || bits == 8:
      return RadioMeaning(.magicWakeUp, UInt16(byte))
    default: return nil
    }
  }

  /// The commands of Type 2 tags and of MIFARE Classic.
  private func memoryCommand(_ bytes: [UInt8], end: Int) -> RadioMeaning? {
    let parameter = end > 1 ? UInt16(bytes[1]) : 0
    if lastCommand == .compatibleWrite, end == 16 {
      return RadioMeaning(.compatibleWriteData, lastParameter, content: 0..<16)
    }
    switch (bytes[0], end) {
    case (0x60, 1): return RadioMeaning(.getVersion)
    case (0x60, 2): return RadioMeaning(.authenticate, parameter, 0)
    case (0x61, 2): return RadioMeaning(.authenticate, parameter, 1)
    case (0x30, 2): return RadioMeaning(.read, parameter)
    case (0x3A, 3): return RadioMeaning(.fastRead, parameter, UInt16(bytes[2]))
    case (0xA2, 6): return RadioMeaning(.write, parameter, content: 2..<6)
    case (0xA0, 2): return RadioMeaning(.compatibleWrite, parameter)
    case (0x39, 2): return RadioMeaning(.readCounter, parameter)
    case (0xA5, 6): return RadioMeaning(.incrementCounter, parameter, content: 2..<6)
    case (0x1B, 5): return RadioMeaning(.passwordAuthenticate, content: 1..<5)
    case (0x3C, 2): return RadioMeaning(.readSignature)
    case (0x3E, 2): return RadioMeaning(.checkTearing, parameter)
    case (0x1A, 2): return RadioMeaning(.authenticateStart, parameter)
    case (0xAF, 17), (0xAF, 33): return RadioMeaning(.authenticateContinue, content: 1..<end)
    case (0xC2, 2) where bytes[1] == 0xFF: return RadioMeaning(.sectorSelect)
    case (0xC0, 2): return RadioMeaning(.decrement, parameter)
    case (0xC1, 2): return RadioMeaning(.increment, parameter)
    case (0xC2, 2): return RadioMeaning(.restore, parameter)
    case (0xB0, 2): return RadioMeaning(.transfer, parameter)
    default: return nil
    }
  }

  private mutating func cardA(_ frame: RadioFrame, end: Int) -> RadioMeaning {
    let bytes = frame.bytes
    let count = bytes.count
    switch lastCommand {
    case .reqA, .wupA:
      if count == 2 {
        let value = UInt16(bytes[1]) << 8 | UInt16(bytes[0])
        return RadioMeaning(.atqA, value, content: 0..<2)
      }
    case .anticollision:
      if count <= 5 {
        return RadioMeaning(.anticollisionAnswer, lastParameter, content: 0..<count)
      }
    case .select:
      if end == 1 {
        if bytes[0] & 0x04 == 0 { sak = bytes[0] }
        return RadioMeaning(.sak, UInt16(bytes[0]), lastParameter, content: 0..<1)
      }
    case .rats:
      if Int(bytes[0]) == end {
        isISODEPActive = true
        blocks = BlockHistory()
        return RadioMeaning(.ats, content: 0..<end)
      }
    case .pps:
      if end == 1, bytes[0] & 0xF0 == 0xD0 {
        return RadioMeaning(.ppsAnswer, content: 0..<end)
      }
    case .authenticate:
      if count == 4 { return RadioMeaning(.nonce, content: 0..<4) }
    case .readerAnswer:
      if count == 4 {
        isEnciphered = true
        return RadioMeaning(.cardAnswer, content: 0..<4)
      }
    default: break
    }
    if isEnciphered || frame.isEncrypted {
      return RadioMeaning(.encrypted, content: 0..<count)
    }
    if let block = block(bytes, end: end, .inbound) { return block }
    if count == 1, frame.lastByteBits == 4 || frame.lastByteBits == 8 && bytes[0] <= 0x0F {
      return RadioMeaning(.shortAnswer, UInt16(bytes[0] & 0x0F))
    }
    return memoryAnswer(bytes, end: end) ?? dep(bytes, end: end, 0xD5)
      ?? RadioMeaning(.unknown, content: 0..<count)
  }

  /// NFC-DEP at 106 kbit/s: start byte F0 (which chips leave out), length, D4 or D5, code.
  private func dep(_ bytes: [UInt8], end: Int, _ identifier: UInt8) -> RadioMeaning? {
    let start = bytes[0] == 0xF0 ? 1 : 0
    guard end >= start + 3, Int(bytes[start]) == end - start, bytes[start + 1] == identifier else {
      return nil
    }
    return RadioMeaning(
      .dep, UInt16(bytes[start + 2]), UInt16(identifier), content: (start + 3)..<end)
  }

  private func memoryAnswer(_ bytes: [UInt8], end: Int) -> RadioMeaning? {
    switch lastCommand {
    case .read where end == 16:
      RadioMeaning(.memoryData, lastParameter, content: 0..<16)
    case .fastRead where end % 4 == 0 && end > 0:
      RadioMeaning(.memoryData, lastParameter, content: 0..<end)
    case .getVersion where end == 8: RadioMeaning(.versionAnswer, content: 0..<8)
    case .readCounter where end == 3: RadioMeaning(.counterAnswer, content: 0..<3)
    case .passwordAuthenticate where end == 2: RadioMeaning(.passwordAnswer, content: 0..<2)
    case .readSignature where end == 32 || end == 48:
      RadioMeaning(.signatureAnswer, content: 0..<end)
    case .checkTearing where end == 1: RadioMeaning(.memoryData, content: 0..<1)
    case .authenticateStart where bytes[0] == 0xAF && end > 1:
      RadioMeaning(.authenticateContinue, content: 1..<end)
    case .authenticateContinue where bytes[0] == 0x00 && end > 1:
      RadioMeaning(.authenticateDone, content: 1..<end)
    default: nil
    }
  }
}
