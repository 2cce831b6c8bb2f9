import Exploration
public import NFCProtocols

/// What a modelled type A card shows during activation.
public struct TypeAIdentity: Hashable, Sendable {
  /// The UID, fixed or drawn anew each time the field comes on.
  public var uid: Identifier
  /// The answer to REQA and WUPA.
  public var atqa: ATQA
  /// The answer to the last SELECT.
  public var sak: SAK

  /// Where the UID comes from.
  public enum Identifier: Hashable, Sendable {
    /// Always the same.
    case fixed(UID)
    /// `08` and three random bytes (ISO/IEC 14443-3 Table 9).
    case random
  }

  /// Makes an identity.
  public init(uid: Identifier, atqa: ATQA, sak: SAK) {
    self.uid = uid
    self.atqa = atqa
    self.sak = sak
  }

  /// Makes an identity with a fixed UID and the ATQA that fits its length.
  public init(uid: UID, sak: SAK) {
    let sizeBits = UInt16(truncatingIfNeeded: uid.size.levels - 1) << 6
    self.init(uid: .fixed(uid), atqa: ATQA(rawValue: 0x0004 | sizeBits), sak: sak)
  }

  /// SAK of the levels before the last: the bit for ISO/IEC 14443-4 stays as in the last one, as
  /// NXP's cards do (AN10833).
  private var cascadeSAK: SAK { SAK(rawValue: sak.rawValue & 0x20 | SAK.cascade.rawValue) }

  /// The identity with the UID, or with the calm choice of a random one.
  var fixed: TypeACardActivation.Identity {
    var calm: any Decisions = CalmDecisions()
    return TypeACardActivation.Identity(
      uid: draw(&calm), atqa: atqa, sak: sak, cascadeSAK: cascadeSAK)
  }

  /// The UID for one power-up.
  func draw(_ decisions: inout any Decisions) -> UID {
    switch uid {
    case .fixed(let uid):
      return uid
    case .random:
      let bytes = [UID.randomPrefix] + randomBytes(3, "card.uid", &decisions)
      guard let uid = try? UID(bytes) else { preconditionFailure("four bytes make a UID") }
      return uid
    }
  }
}

/// Random bytes of a card, each one a decision; the calm choice is 0.
func randomBytes(
  _ count: Int, _ label: StaticString, _ decisions: inout any Decisions
) -> [UInt8] {
  var bytes: [UInt8] = []
  for _ in 0..<count {
    bytes.append(UInt8(truncatingIfNeeded: decisions.choose(label, count: 256)))
  }
  return bytes
}
