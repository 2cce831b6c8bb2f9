extension RadioMeaning {
  func fieldsB(_ bytes: [UInt8]) -> [FrameField] {
    let uid = FrameField.Mask.uid
    switch kind {
    case .reqB, .wupB:
      return [
        FrameField("APf", 0..<1), FrameField("AFI", 1..<2), FrameField("PARAM", 2..<3),
      ]
    case .atqB:
      return [
        FrameField("start byte", 0..<1), FrameField("PUPI", 1..<5, maskName: uid),
        FrameField("application data", 5..<9), FrameField("protocol info", 9..<contentEnd),
      ]
    case .attrib:
      return [
        FrameField("start byte", 0..<1), FrameField("PUPI", 1..<5, maskName: uid),
        FrameField("parameters", 5..<min(9, contentEnd)),
        FrameField("higher layer", min(9, contentEnd)..<contentEnd),
      ]
    case .haltB:
      return [FrameField("start byte", 0..<1), FrameField("PUPI", 1..<5, maskName: uid)]
    case .attribAnswer:
      return [FrameField("MBLI, CID", 0..<1), FrameField("higher layer", content)]
    default: return [FrameField("command", 0..<1)]
    }
  }

  func fieldsF(_ bytes: [UInt8]) -> [FrameField] {
    let uid = FrameField.Mask.uid
    switch kind {
    case .polling:
      return [
        FrameField("LEN", 0..<1), FrameField("code", 1..<2), FrameField("system code", 2..<4),
        FrameField("request code", 4..<5), FrameField("time slots", 5..<6),
      ]
    case .pollingAnswer:
      return [
        FrameField("LEN", 0..<1), FrameField("code", 1..<2),
        FrameField("IDm", 2..<10, maskName: uid), FrameField("PMm", 10..<min(18, bytes.count)),
        FrameField("request data", min(18, contentEnd)..<contentEnd),
      ]
    case .dep:
      var fields = [
        FrameField("header", 0..<contentStart, meaning: "\(RadioMeaning.depName(UInt8(first)))")
      ]
      if first <= 1, content.count >= 10 {
        let identifier = contentStart..<(contentStart + 10)
        fields.append(FrameField("NFCID3", identifier, maskName: FrameField.Mask.dep))
        fields.append(FrameField("parameters", (contentStart + 10)..<contentEnd))
      } else {
        fields.append(FrameField("data", content))
      }
      return fields
    default:
      return [
        FrameField("LEN", 0..<1), FrameField("code", 1..<2),
        FrameField("IDm", 2..<10, maskName: uid), FrameField("parameters", content),
      ]
    }
  }

  func fieldsV(_ bytes: [UInt8]) -> [FrameField] {
    let uid = FrameField.Mask.uid
    switch kind {
    case .inventory:
      return [
        FrameField("flags", 0..<1), FrameField("command", 1..<2),
        FrameField("AFI, mask", content),
      ]
    case .inventoryAnswer:
      return [
        FrameField("flags", 0..<1), FrameField("DSFID", 1..<2),
        FrameField("UID", content, maskName: uid),
      ]
    case .vicinityCommand:
      let isAddressed = second & 0x24 == 0x20 && contentStart >= 10
      let uidStart = isAddressed ? contentStart - 8 : contentStart
      return [
        FrameField(
          "flags, command", 0..<min(uidStart, 3),
          meaning: "\(RadioMeaning.vicinityName(UInt8(first)))"),
        FrameField("UID", uidStart..<contentStart, maskName: uid),
        FrameField("parameters", content),
      ]
    case .vicinityError: return [FrameField("flags", 0..<1), FrameField("error code", 1..<2)]
    default: return [FrameField("flags", 0..<1), FrameField("data", content)]
    }
  }
}

extension APDUText {
  /// The named parts of a command APDU; ranges count from the start of the slice's own indices.
  public static func commandFields(_ apdu: ArraySlice<UInt8>) -> [FrameField] {
    let start = apdu.startIndex
    guard apdu.count >= 4, isInterindustry(apdu[start]) else {
      return [FrameField("native command", start..<apdu.endIndex)]
    }
    var fields = [
      FrameField("CLA", start..<(start + 1)), FrameField("INS", (start + 1)..<(start + 2)),
      FrameField("P1 P2", (start + 2)..<(start + 4)),
    ]
    let content = data(of: apdu)
    guard !content.isEmpty else {
      fields.append(FrameField("Le", (start + 4)..<apdu.endIndex))
      return fields.filter { !$0.range.isEmpty }
    }
    fields.append(FrameField("Lc", (start + 4)..<content.startIndex))
    let mask: String? =
      switch (apdu[start], apdu[start + 1]) {
      case (0x80, 0xA8), (0x80, 0xAE), (_, 0x88), (0x80, 0x2A):
        FrameField.Mask.unpredictableNumber
      case (0x00, 0x82), (0x90, 0xAF), (0x00, 0x86), (0x00, 0x87): FrameField.Mask.nonce
      default: nil
      }
    fields.append(
      FrameField("data", content.startIndex..<content.endIndex, maskName: mask))
    fields.append(FrameField("Le", content.endIndex..<apdu.endIndex))
    return fields.filter { !$0.range.isEmpty }
  }

  /// The named parts of a response APDU.
  public static func responseFields(_ apdu: ArraySlice<UInt8>) -> [FrameField] {
    guard apdu.count >= 2 else { return [] }
    let end = apdu.endIndex - 2
    var meaning = TextBuffer(capacity: 16)
    meaning.append(StatusWordText.name(apdu[end], apdu[end + 1]))
    // Answers that are nothing but 8 or 16 random bytes: GET CHALLENGE, AUTHENTICATE.
    let length = apdu.count - 2
    let isRandom =
      (length == 8 || length == 16)
      && (apdu[end] == 0x90 && apdu[end + 1] == 0x00 || apdu[end] == 0x91 && apdu[end + 1] == 0xAF)
    return [
      FrameField(
        "data", apdu.startIndex..<end, maskName: isRandom ? FrameField.Mask.nonce : nil),
      FrameField("SW1 SW2", end..<apdu.endIndex, meaning: String(meaning.string.dropFirst())),
    ].filter { !$0.range.isEmpty }
  }
}
