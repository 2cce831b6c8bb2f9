import NFCProtocols

extension CardImage {
  /// What kind of card it is, in words.
  public var kindName: String {
    switch kind {
    case .typeA: "ISO 14443-3A card"
    case .type2(let product): product.rawValue
    case .classic(let size): size.name
    case .isoDepA: ndefFile != nil ? "Type 4A Tag" : "ISO 14443-4A card"
    case .typeB: "ISO 14443-3B card"
    case .isoDepB: ndefFile != nil ? "Type 4B Tag" : "ISO 14443-4B card"
    case .vicinity: "ISO 15693 card"
    case .feliCa: systemCodes.contains(FeliCaCard.SystemCode.lite) ? "FeliCa Lite" : "FeliCa card"
    }
  }

  /// One line for people: kind, UID, size, NDEF message.
  public var summary: String {
    var parts = [kindName]
    if uid.isEmpty {
      parts.append("UID unknown")
    } else {
      let word =
        switch kind {
        case .feliCa: "IDm"
        case .typeB, .isoDepB: "PUPI"
        default: "UID"
        }
      parts.append("\(word) \(Hexadecimal.pairs(uid))")
    }
    if !sectorKeys.isEmpty {
      parts.append("\(sectorKeys.count) key pairs only")
    } else if !memory.isEmpty {
      parts.append(sizeInWords)
    }
    if let text = ndefInWords { parts.append(text) }
    return parts.joined(separator: ", ")
  }

  private var sizeInWords: String {
    let count = memory.unitCount
    let known = memory.knownUnitCount
    var isType2 = false
    if case .type2 = kind { isType2 = true }
    let unit = (isType2 ? "page" : "block") + (count == 1 ? "" : "s")
    let size = kind == .vicinity ? " of \(memory.unitSize) bytes" : ""
    return known == count ? "\(count) \(unit)\(size)" : "\(known) of \(count) \(unit)\(size) known"
  }

  private var ndefInWords: String? {
    guard let bytes = ndefMessage else { return nil }
    if bytes.isEmpty { return "empty NDEF" }
    var text = TextBuffer()
    NDEFSummary.write(bytes, to: &text)
    return text.string
  }
}
