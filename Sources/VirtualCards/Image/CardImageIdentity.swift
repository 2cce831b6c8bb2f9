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
}
