import NFCProtocols

extension CardImage {
  /// The identity for activation of a type A card.
  func typeAIdentity(
    sak defaultSAK: UInt8, atqa defaultATQA: [UInt8]? = nil
  ) throws(CardImageError) -> TypeAIdentity {
    guard let identifier = try? UID(uid) else {
      throw .missing(what: "UID of 4, 7 or 10 bytes", remedy: "give a dump that holds the UID")
    }
    var identity = TypeAIdentity(uid: identifier, sak: SAK(rawValue: sak ?? defaultSAK))
    if let bytes = atqa ?? defaultATQA, let given = try? ATQA(bytes) { identity.atqa = given }
    return identity
  }

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
    case .feliCa: "FeliCa card"
    }
  }

  /// One line for people: kind, UID, size.
  public var summary: String { kindName }
}
