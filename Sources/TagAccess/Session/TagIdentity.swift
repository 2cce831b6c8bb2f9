public import NFCProtocols

/// What a tag told of itself while it was activated.
public struct TagIdentity: Hashable, Sendable {
  /// The technology.
  public var technology: Technology
  /// UID (A, V), PUPI (B) or IDm (F), in the order in which people write it.
  public var identifier: [UInt8]
  /// Type A: the answer to REQA.
  public var atqa: ATQA?
  /// Type A: the answer to the last SELECT.
  public var sak: SAK?
  /// Type A with ISO-DEP: the answer to RATS.
  public var ats: ATS?
  /// Type B: the answer to REQB.
  public var atqb: ATQB?
  /// Type F: the manufacture parameters.
  public var pmm: PMm?
  /// Type F: the system code that the tag named, if it was asked.
  public var systemCode: UInt16?
  /// Type V: the data storage format identifier.
  public var dsfid: UInt8?

  /// Makes an identity of which nothing but the identifier is known.
  public init(_ technology: Technology, identifier: [UInt8]) {
    self.technology = technology
    self.identifier = identifier
  }

  /// True if the tag speaks the block protocol of ISO/IEC 14443-4.
  ///
  /// Only the SAK or the ATQB tells; the length of a UID says nothing.
  public var supportsISODEP: Bool {
    switch technology {
    case .a: sak?.supportsISODEP ?? false
    case .b: atqb?.supportsISODEP ?? false
    case .f, .v: false
    }
  }

  /// True if the tag makes up a new identifier each time; it must not be taken for its identity.
  public var hasRandomIdentifier: Bool {
    switch technology {
    case .a: identifier.count == 4 && identifier.first == UID.randomPrefix
    case .b: true
    case .f: identifier.starts(with: [0x01, 0xFE])
    case .v: false
    }
  }

  /// Which NFC Forum tag type this can be, or `nil` for none (MIFARE Classic and others).
  public var tagType: TagType? {
    switch technology {
    case .a:
      guard let sak else { return nil }
      if sak.supportsISODEP { return .type4 }
      return sak.rawValue == 0x00 ? .type2 : nil
    case .b: return supportsISODEP ? .type4 : nil
    case .f: return .type3
    case .v: return .type5
    }
  }
}

/// The tag types of the NFC Forum whose NDEF message can be read here.
public enum TagType: UInt8, Hashable, Sendable {
  /// Type 2: pages of four bytes, type A.
  case type2 = 2
  /// Type 3: FeliCa.
  case type3 = 3
  /// Type 4: files over ISO-DEP, type A or B.
  case type4 = 4
  /// Type 5: blocks of ISO/IEC 15693.
  case type5 = 5
}
