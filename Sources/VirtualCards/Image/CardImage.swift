/// The state of a card, apart from any file format and any model that plays it.
public struct CardImage: Hashable, Sendable {
  /// What kind of card it is.
  public var kind: CardKind
  /// UID (type A as sent without cascade tag, type V from E0 on), PUPI or IDm; empty if unknown.
  public var uid: [UInt8]
  /// ATQA, two bytes as sent.
  public var atqa: [UInt8]?
  /// SAK of the last cascade level.
  public var sak: UInt8?
  /// ATS from its length byte on, without CRC.
  public var ats: [UInt8]?
  /// ATQB from `50` on, without CRC.
  public var atqb: [UInt8]?
  /// FeliCa manufacture parameters, 8 bytes.
  public var pmm: [UInt8]?
  /// FeliCa system codes, the first answers a polling for any.
  public var systemCodes: [UInt16]
  /// Pages of 4 bytes (Type 2), blocks of 16 (Classic, FeliCa) or of any size (15693).
  public var memory: CardMemory
  /// For each block of a FeliCa card, where it is found; empty otherwise.
  public var feliCaBlocks: [FeliCaBlockAddress]
  /// The answer to GET_VERSION (Type 2, 8 bytes; DESFire, 28 bytes).
  public var version: [UInt8]?
  /// The answer to READ_SIG.
  public var signature: [UInt8]?
  /// One-way counters with their tearing flags.
  public var counters: [CardCounter]
  /// The key pairs of a Classic key file, which may be more than the card has sectors.
  public var sectorKeys: [ClassicKeyPair]
  /// What only ISO/IEC 15693 cards have.
  public var vicinity: VicinityInformation?
  /// The NDEF file of a Type 4 card, without its two length bytes.
  public var ndefFile: [UInt8]?

  /// Makes an image of which only kind and UID are given.
  public init(kind: CardKind, uid: [UInt8], memory: CardMemory = CardMemory(unitSize: 16)) {
    self.kind = kind
    self.uid = uid
    self.memory = memory
    systemCodes = []
    feliCaBlocks = []
    counters = []
    sectorKeys = []
  }
}

/// The two keys of a sector of a MIFARE Classic, six bytes each.
public struct ClassicKeyPair: Hashable, Sendable {
  /// Key A.
  public var a: [UInt8]
  /// Key B.
  public var b: [UInt8]
  /// Makes a pair.
  public init(a: [UInt8], b: [UInt8]) {
    self.a = a
    self.b = b
  }
}

/// A one-way counter of a Type 2 card.
public struct CardCounter: Hashable, Sendable {
  /// The value, 24 bits.
  public var value: UInt32
  /// The byte that CHECK_TEARING_EVENT gives; BD if nothing was torn (MF0ULx1 10.8).
  public var tearingFlag: UInt8

  /// The greatest value: 24 bits (MF0ULx1 8.7).
  public static let greatestValue: UInt32 = 0xFF_FFFF

  /// Makes a counter.
  public init(value: UInt32 = 0, tearingFlag: UInt8 = 0xBD) {
    precondition(value <= Self.greatestValue, "a one-way counter has 24 bits")
    self.value = value
    self.tearingFlag = tearingFlag
  }
}

/// Where a block of a FeliCa card is found.
public struct FeliCaBlockAddress: Hashable, Sendable {
  /// The service code that gives it.
  public var service: UInt16
  /// The block number within the service.
  public var number: UInt16
  /// Makes an address.
  public init(service: UInt16, number: UInt16) {
    self.service = service
    self.number = number
  }
}

/// What only ISO/IEC 15693 cards have.
public struct VicinityInformation: Hashable, Sendable {
  /// Data storage format identifier.
  public var dsfid: UInt8
  /// Application family identifier.
  public var afi: UInt8
  /// IC reference, or `nil` if the card does not give one.
  public var icReference: UInt8?
  /// For each block whether it is locked; missing ones are not.
  public var lockedBlocks: [Bool]
  /// True if the DSFID is locked.
  public var isDSFIDLocked: Bool
  /// True if the AFI is locked.
  public var isAFILocked: Bool

  /// Makes the information of an unlocked card.
  public init(dsfid: UInt8 = 0, afi: UInt8 = 0, icReference: UInt8? = nil) {
    self.dsfid = dsfid
    self.afi = afi
    self.icReference = icReference
    lockedBlocks = []
    isDSFIDLocked = false
    isAFILocked = false
  }
}
