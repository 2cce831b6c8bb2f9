/// A kind of target that InAutoPoll looks for.
public struct AutoPollType: RawRepresentable, Hashable, Sendable {
  /// The byte.
  public var rawValue: UInt8
  /// Makes a kind from its byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The modulation of passive targets of this kind, or `nil` for DEP and unknown kinds.
  public var modulation: PassiveModulation? {
    switch rawValue {
    case 0x00, 0x10, 0x20: .typeA106
    case 0x01, 0x11: .feliCa212
    case 0x02, 0x12: .feliCa424
    case 0x03, 0x23: .typeB106
    case 0x04: .jewel106
    default: nil
    }
  }

  /// The name of the kind in a few words (UM0701-02 7.3.13).
  public var name: StaticString {
    switch rawValue {
    case 0x00: "generic 106 A"
    case 0x01: "generic 212"
    case 0x02: "generic 424"
    case 0x03: "106 B"
    case 0x04: "Jewel"
    case 0x10: "MIFARE"
    case 0x11: "FeliCa 212"
    case 0x12: "FeliCa 424"
    case 0x20: "ISO 14443-4 A"
    case 0x23: "ISO 14443-4 B"
    case 0x40...0x42: "DEP passive"
    case 0x80...0x82: "DEP active"
    default: "unknown kind"
    }
  }
}

/// One entry of the response to InAutoPoll.
public struct AutoPollEntry: Hashable, Sendable {
  /// The kind that was found.
  public var type: AutoPollType
  /// The data, from the number of the target on.
  public var data: [UInt8]

  /// Makes an entry.
  public init(type: AutoPollType, data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// The target, decoded from `data` as InListPassiveTarget would give it.
  ///
  /// - Returns: `nil` for DEP targets and unknown kinds.
  /// - Throws: `PN53xError` with the offset in `data`.
  public func target(on chip: Chip = .pn532) throws(PN53xError) -> PassiveTarget? {
    guard let modulation = type.modulation else { return nil }
    var reader = BodyReader(data)
    return try PassiveTarget.list(&reader, count: 1, modulation: modulation, on: chip).first
  }
}
