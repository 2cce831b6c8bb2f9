public import Exploration
import NFCProtocols

extension CardImage {
  /// A model that plays this card.
  ///
  /// Cards of which only the activation is known (`typeA`, `isoDepA` and `isoDepB` without an NDEF
  /// file) give models that do that much: they can be activated, and refuse every APDU.
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
    case .typeA: return ActivationCard(self, try typeAIdentity(sak: 0x00), decisions)
    case .isoDepA: return try makeTypeACard(decisions)
    case .isoDepB: return try makeTypeBCard(decisions)
    case .typeB: throw .notModelled(kind: kindName)
    }
  }

  private func makeTypeACard(_ decisions: any Decisions) throws(CardImageError) -> any CardModel {
    let identity = try typeAIdentity(sak: 0x20)
    var answer = ATS()
    if let ats {
      guard let decoded = try? ATS(ats) else {
        throw .missing(what: "a whole ATS", remedy: "check the ATS in the file")
      }
      answer = decoded
    }
    guard let ndefFile else {
      return ApplicationCard(
        UnknownApplication(name: kindName), typeA: identity, ats: answer, summary: summary,
        decisions: decisions)
    }
    return Type4Card(
      Type4Application(ndefMessage: ndefFile), typeA: identity, ats: answer, summary: summary,
      decisions: decisions)
  }

  private func makeTypeBCard(_ decisions: any Decisions) throws(CardImageError) -> any CardModel {
    let answer: ATQB
    if let atqb {
      guard let decoded = try? ATQB(atqb) else {
        throw .missing(what: "a whole ATQB", remedy: "check the ATQB in the file")
      }
      answer = decoded
    } else {
      guard uid.count == 4 else {
        throw .missing(what: "PUPI of 4 bytes", remedy: "give a dump that holds the PUPI")
      }
      answer = ATQB(pupi: uid)
    }
    guard let ndefFile else {
      return ApplicationCard(
        UnknownApplication(name: kindName), typeB: answer, summary: summary, decisions: decisions)
    }
    return Type4Card(
      Type4Application(ndefMessage: ndefFile), typeB: answer, summary: summary,
      decisions: decisions)
  }
}
