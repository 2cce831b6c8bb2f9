/// What kind of card an image describes.
public enum CardKind: Hashable, Sendable {
  /// A type A card of which only the activation is known.
  case typeA
  /// NFC Forum Type 2: MIFARE Ultralight and NTAG.
  case type2(Type2Product)
  /// MIFARE Classic.
  case classic(ClassicSize)
  /// A type A card with ISO/IEC 14443-4 (Type 4 Tag, DESFire and others).
  case isoDepA
  /// A type B card of which only the activation is known.
  case typeB
  /// A type B card with ISO/IEC 14443-4.
  case isoDepB
  /// ISO/IEC 15693, NFC Forum Type 5.
  case vicinity
  /// FeliCa, NFC Forum Type 3.
  case feliCa
}

/// The memory sizes of MIFARE Classic.
public enum ClassicSize: Hashable, Sendable, CaseIterable {
  /// 5 sectors of 4 blocks.
  case mini
  /// 16 sectors of 4 blocks.
  case oneK
  /// 32 sectors of 4 blocks.
  case twoK
  /// 32 sectors of 4 blocks, then 8 of 16.
  case fourK

  /// The number of blocks of 16 bytes.
  public var blockCount: Int {
    switch self {
    case .mini: 20
    case .oneK: 64
    case .twoK: 128
    case .fourK: 256
    }
  }

  /// The number of sectors.
  public var sectorCount: Int {
    switch self {
    case .mini: 5
    case .oneK: 16
    case .twoK: 32
    case .fourK: 40
    }
  }

  /// The size with that number of blocks.
  public init?(blockCount: Int) {
    guard let size = Self.allCases.first(where: { $0.blockCount == blockCount }) else {
      return nil
    }
    self = size
  }

  /// The size with that number of sectors.
  public init?(sectorCount: Int) {
    guard let size = Self.allCases.first(where: { $0.sectorCount == sectorCount }) else {
      return nil
    }
    self = size
  }

  /// SAK of the product (NXP AN10833 table 6).
  public var sak: UInt8 {
    switch self {
    case .mini: 0x09
    case .oneK: 0x08
    case .twoK: 0x19
    case .fourK: 0x18
    }
  }

  /// ATQA as sent, for a UID of 4 or 7 bytes (NXP AN10833 table 5).
  public func atqa(uidLength: Int) -> [UInt8] {
    let doubleSize: UInt8 = uidLength == 7 ? 0x40 : 0
    switch self {
    case .mini, .oneK, .twoK: return [0x04 | doubleSize, 0x00]
    case .fourK: return [0x02 | doubleSize, 0x00]
    }
  }

  /// The name of the product.
  public var name: String {
    switch self {
    case .mini: "MIFARE Mini"
    case .oneK: "MIFARE Classic 1K"
    case .twoK: "MIFARE Classic 2K"
    case .fourK: "MIFARE Classic 4K"
    }
  }

  /// The sector of a block.
  public static func sector(ofBlock block: Int) -> Int {
    block < 128 ? block / 4 : 32 + (block - 128) / 16
  }

  /// The last block of a sector, which holds keys and access bits.
  public static func trailer(ofSector sector: Int) -> Int {
    sector < 32 ? sector * 4 + 3 : 128 + (sector - 32) * 16 + 15
  }

  /// The first block of a sector.
  public static func firstBlock(ofSector sector: Int) -> Int {
    sector < 32 ? sector * 4 : 128 + (sector - 32) * 16
  }
}
