public import Exploration

extension CardImage {
  /// A model that plays this card.
  ///
  /// - Parameter decisions: Asked for nonces, random UIDs and time slots.
  /// - Throws: `CardImageError` if the image lacks something or there is no model of its kind.
  public func makeCard(
    decisions: any Decisions = CalmDecisions()
  ) throws(CardImageError) -> any CardModel {
    switch kind {
    case .type2: return try Type2Card(self, decisions: decisions)
    case .classic: return try ClassicCard(self, decisions: decisions)
    case .vicinity: return try Type5Card(self)
    case .feliCa: return try FeliCaCard(self, decisions: decisions)
    case .isoDepA, .isoDepB, .typeA, .typeB: throw .notModelled(kind: kindName)
    }
  }
}
