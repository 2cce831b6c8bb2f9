import NFCProtocols

/// A field of a frame that a mask can leave free.
struct MaskableField: Hashable, Sendable {
  var mask: MaskSet
  var range: Range<Int>
  /// The bits of each byte that belong to the field.
  var bits: UInt8 = 0xFF

  /// The fields of a frame, found by its own bytes.
  static func fields(
    of frame: RadioFrame, _ direction: Direction, layer: ReplayLayer
  ) -> [MaskableField] {
    let bytes = frame.bytes
    guard let first = bytes.first else { return [] }
    switch layer {
    case .apdu: return commandFields(bytes[...], direction)
    case .chip: return chipFields(bytes, direction)
    case .radio: break
    }
    switch frame.technology {
    case .a: return fieldsA(frame, first, direction)
    case .b: return fieldsB(frame, first, direction)
    case .f: return bytes.count >= 10 ? [MaskableField(mask: .uid, range: 2..<10)] : []
    case .v: return fieldsV(bytes, direction)
    case nil: return []
    }
  }

  private static func fieldsA(
    _ frame: RadioFrame, _ first: UInt8, _ direction: Direction
  ) -> [MaskableField] {
    let bytes = frame.bytes
    guard frame.lastByteBits == 8 else { return [] }
    if direction == .outbound, [0x93, 0x95, 0x97].contains(first), bytes.count > 2,
      bytes[1] >> 4 == 7
    {
      return [MaskableField(mask: .uid, range: 2..<7)]
    }
    if direction == .inbound, bytes.count == 5,
      bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3] == bytes[4]
    {
      return [MaskableField(mask: .uid, range: 0..<5)]
    }
    if direction == .inbound, bytes.count >= 4, Int(first) == bytes.count - 2 {
      return atsFields(bytes)
    }
    if direction == .inbound, bytes.count == 4 {
      return [MaskableField(mask: .nonce, range: 0..<4)]
    }
    return blockFields(frame, direction)
  }

  /// The historical bytes of an ATS.
  private static func atsFields(_ bytes: [UInt8]) -> [MaskableField] {
    guard let ats = try? ATS(bytes.dropLast(CRC16.byteCount)) else { return [] }
    let end = bytes.count - CRC16.byteCount
    return [MaskableField(mask: .atsRandom, range: end - ats.historicalBytes.count..<end)]
  }

  private static func fieldsB(
    _ frame: RadioFrame, _ first: UInt8, _ direction: Direction
  ) -> [MaskableField] {
    let carriesPUPI =
      direction == .inbound
      ? first == ATQB.prefix && frame.bytes.count >= 14
      : (first == Attrib.prefix || first == 0x50) && frame.bytes.count >= 7
    if carriesPUPI { return [MaskableField(mask: .uid, range: 1..<5)] }
    return blockFields(frame, direction)
  }

  /// The UID of ISO/IEC 15693 stands last in front of the CRC, or behind flags and command.
  private static func fieldsV(_ bytes: [UInt8], _ direction: Direction) -> [MaskableField] {
    if direction == .inbound, bytes.count == 12 {
      return [MaskableField(mask: .uid, range: 2..<10)]
    }
    // Flag bit 6 (address) of ISO/IEC 15693-3 table 4: the UID follows the command code.
    if direction == .outbound, bytes.count >= 12, bytes[0] & 0x24 == 0x20 {
      return [MaskableField(mask: .uid, range: 2..<10)]
    }
    return []
  }

  private static func blockFields(
    _ frame: RadioFrame, _ direction: Direction
  ) -> [MaskableField] {
    let content = frame.content(assuming: frame.technology ?? .a)
    guard let block = try? Block(content) else { return [] }
    var fields: [MaskableField] = []
    if block.number != nil {
      fields.append(MaskableField(mask: .blockNumber, range: 0..<1, bits: 0x01))
    }
    if case .information(_, _, let information) = block.kind {
      let start = content.count - information.count
      fields += commandFields(content.dropFirst(start), direction)
    }
    return fields
  }

  /// Fields of an APDU; `apdu` keeps the indices of the frame that it stands in.
  private static func commandFields(
    _ apdu: ArraySlice<UInt8>, _ direction: Direction
  ) -> [MaskableField] {
    let start = apdu.startIndex
    switch direction {
    case .outbound: return terminalFields(apdu)
    case .inbound:
      // Answers that are nothing but 8 or 16 random bytes and a good status: GET CHALLENGE,
      // AUTHENTICATE of DESFire (status 91 AF).
      let length = apdu.count - 2
      guard length == 8 || length == 16 else { return [] }
      let status = [apdu[start + length], apdu[start + length + 1]]
      guard status == [0x90, 0x00] || status == [0x91, 0xAF] else { return [] }
      return [MaskableField(mask: .nonce, range: start..<start + length)]
    }
  }

  private static func terminalFields(_ apdu: ArraySlice<UInt8>) -> [MaskableField] {
    let start = apdu.startIndex
    guard apdu.count > 5 else { return [] }
    let data = start + 5..<min(start + 5 + Int(apdu[start + 4]), apdu.endIndex)
    switch (apdu[start], apdu[start + 1]) {
    case (0x80, 0xA8), (0x80, 0xAE):
      return [MaskableField(mask: .unpredictableNumber, range: data)]
    case (_, 0x88):
      return [MaskableField(mask: .unpredictableNumber, range: data)]
    case (0x00, 0x82), (0x90, 0xAF), (0x00, 0x87), (0x00, 0x86):
      return [MaskableField(mask: .nonce, range: data)]
    default:
      return []
    }
  }

  /// InListPassiveTarget with a UID, its answer, InDataExchange around an APDU, ATR of NFC-DEP.
  private static func chipFields(_ body: [UInt8], _ direction: Direction) -> [MaskableField] {
    guard body.count > 3 else { return [] }
    switch (body[0], body[1]) {
    case (0xD5, 0x4B) where body.count > 7:
      let length = Int(body[7])
      return [MaskableField(mask: .uid, range: 8..<min(8 + length, body.count))]
    case (0xD4, 0x4A) where body.count > 4:
      return [MaskableField(mask: .uid, range: 4..<body.count)]
    case (0xD4, 0x56), (0xD4, 0x50), (0xD5, 0x57), (0xD5, 0x51):
      return [MaskableField(mask: .dep, range: 4..<min(14, body.count))]
    case (0xD4, 0x40), (0xD5, 0x41):
      return commandFields(body[3...], direction)
    default:
      return []
    }
  }
}
