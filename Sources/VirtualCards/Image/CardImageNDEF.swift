import NFCProtocols

extension CardImage {
  /// The NDEF message that a reader would find, or `nil` if the card holds none that can be read.
  public var ndefMessage: [UInt8]? {
    switch kind {
    case .type2: type2Message
    case .vicinity: type5Message
    case .feliCa: type3Message
    case .isoDepA, .isoDepB: ndefFile
    case .typeA, .typeB, .classic: nil
    }
  }

  private var type2Message: [UInt8]? {
    guard memory.unitSize == 4, memory.unitCount > 4,
      let capability = try? Type2Capability(memory[3])
    else { return nil }
    let end = min(16 + capability.dataAreaSize, memory.bytes.count)
    return (try? TagTLV.firstNDEF(in: memory.bytes[16..<end])) ?? nil
  }

  private var type5Message: [UInt8]? {
    guard memory.bytes.count >= 8 else { return nil }
    // The third byte tells a container of 8 bytes by being 0.
    let length = memory.bytes[2] == 0 ? 8 : 4
    guard let capability = try? Type5Capability(memory.bytes[0..<length]) else { return nil }
    let end = min(length + capability.dataAreaSize, memory.bytes.count)
    guard end > length else { return nil }
    return (try? TagTLV.firstNDEF(in: memory.bytes[length..<end])) ?? nil
  }

  private var type3Message: [UInt8]? {
    guard systemCodes.contains(FeliCaCard.SystemCode.ndef), let first = feliCaBlock(0),
      let attributes = try? Type3Attributes(first)
    else { return nil }
    var message: [UInt8] = []
    let count = (attributes.messageLength + 15) / 16
    guard count <= Int(attributes.blockCount) else { return nil }
    for number in 0..<count {
      guard let block = feliCaBlock(UInt16(truncatingIfNeeded: number + 1)) else { return nil }
      message += block
    }
    return Array(message.prefix(attributes.messageLength))
  }

  private func feliCaBlock(_ number: UInt16) -> ArraySlice<UInt8>? {
    let index = feliCaBlocks.firstIndex { $0.number == number && $0.service >> 6 == 0 }
    guard let index, index < memory.unitCount else { return nil }
    return memory[index]
  }
}
