import Exploration

/// What a type A card shows during activation.
public struct TypeAIdentity: Hashable, Sendable {
  /// The UID: 4, 7 or 10 bytes as sent, without cascade tags.
  public var uid: UID
  /// ATQA, two bytes as sent.
  public var atqa: [UInt8]
  /// SAK of the last cascade level.
  public var sak: UInt8

  /// A fixed UID, or one drawn anew each time the field comes on.
  public enum UID: Hashable, Sendable {
    /// 4, 7 or 10 bytes.
    case fixed([UInt8])
    /// `08` and three random bytes (ISO/IEC 14443-3 table 13).
    case random
  }

  /// Makes an identity.
  public init(uid: UID, atqa: [UInt8], sak: UInt8) {
    if case .fixed(let bytes) = uid {
      precondition([4, 7, 10].contains(bytes.count), "a type A UID has 4, 7 or 10 bytes")
    }
    precondition(atqa.count == 2, "an ATQA has two bytes")
    self.uid = uid
    self.atqa = atqa
    self.sak = sak
  }

  /// Makes an identity with a fixed UID and the ATQA that fits its length.
  public init(uid: [UInt8], sak: UInt8) {
    let sizeBits = UInt8(truncatingIfNeeded: (uid.count - 4) / 3) << 6
    self.init(uid: .fixed(uid), atqa: [0x04 | sizeBits, 0x00], sak: sak)
  }

  /// SAK of the levels before the last: bit 3 tells that the UID goes on.
  ///
  /// The bit for ISO/IEC 14443-4 stays as in the last SAK, as NXP's cards do (AN10833).
  var incompleteSAK: UInt8 { sak & 0x20 | 0x04 }

  /// The bytes for this power-up.
  func draw(_ decisions: inout any Decisions) -> [UInt8] {
    switch uid {
    case .fixed(let bytes): return bytes
    case .random: return [0x08] + randomBytes(3, "card.uid", &decisions)
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
