/// The unique identifier of a type A card, ISO/IEC 14443-3 6.5.4; also NFCID1.
public struct UID: Hashable, Sendable {
  /// The bytes without cascade tags: 4, 7 or 10.
  public let bytes: [UInt8]

  /// The lengths of a UID.
  public enum Size: Int, Hashable, Sendable, CaseIterable {
    /// 4 bytes, one cascade level.
    case single = 4
    /// 7 bytes, two cascade levels.
    case double = 7
    /// 10 bytes, three cascade levels.
    case triple = 10

    /// The number of cascade levels.
    public var levels: Int { (rawValue - 1) / 3 }
  }

  /// The byte in front of a part of a UID that is not its end.
  public static let cascadeTag: UInt8 = 0x88

  /// The first byte of a four-byte UID that is made anew at each power-up (Table 9).
  public static let randomPrefix: UInt8 = 0x08

  /// Makes a UID from its bytes without cascade tags.
  /// - Throws: `ProtocolError` if there are not 4, 7 or 10 bytes.
  public init(_ bytes: some Collection<UInt8>) throws(ProtocolError) {
    guard Size(rawValue: bytes.count) != nil else {
      throw .badLength(element: "UID", offset: 0, found: bytes.count, expected: 4...10)
    }
    self.bytes = Array(bytes)
  }

  /// Joins what the cascade levels gave, four bytes each, cascade tags included.
  /// - Throws: `ProtocolError` if a tag is missing or the number of levels is not 1 to 3.
  public init(joining levels: [CascadeLevel.Part]) throws(ProtocolError) {
    guard (1...3).contains(levels.count) else {
      throw .badLength(element: "UID levels", offset: 0, found: levels.count, expected: 1...3)
    }
    var joined: [UInt8] = []
    for (index, part) in levels.enumerated() {
      guard index < levels.count - 1 else {
        joined += part.bytes
        break
      }
      guard part.bytes[0] == Self.cascadeTag else {
        throw .badValue(
          element: "UID", offset: index * 4, found: part.bytes[0], expected: "cascade tag 88")
      }
      joined += part.bytes.dropFirst()
    }
    bytes = joined
  }

  /// The length.
  public var size: Size { Size(rawValue: bytes.count) ?? .single }

  /// True if the card makes up a new identifier at each power-up.
  public var isRandom: Bool { bytes.count == 4 && bytes[0] == Self.randomPrefix }

  /// What each cascade level sends, first level first.
  public var parts: [CascadeLevel.Part] {
    var result: [CascadeLevel.Part] = []
    var start = 0
    while bytes.count - start > 4 {
      result.append(CascadeLevel.Part([Self.cascadeTag] + bytes[start..<(start + 3)]))
      start += 3
    }
    result.append(CascadeLevel.Part(Array(bytes[start...])))
    return result
  }
}

/// A cascade level of anticollision, with the SEL byte that asks for it.
public enum CascadeLevel: UInt8, Hashable, Sendable, CaseIterable {
  /// Cascade level 1, SEL 93.
  case one = 0x93
  /// Cascade level 2, SEL 95.
  case two = 0x95
  /// Cascade level 3, SEL 97.
  case three = 0x97

  /// The level after this one.
  public var next: CascadeLevel? { CascadeLevel(rawValue: rawValue + 2) }

  /// The number of the level, from 0.
  public var index: Int { Int(rawValue - 0x93) / 2 }

  /// The four bytes of one cascade level; sent with a check byte behind them.
  public struct Part: Hashable, Sendable, ByteCodable {
    /// The four bytes, a cascade tag included.
    public let bytes: [UInt8]

    init(_ checked: [UInt8]) {
      precondition(checked.count == 4, "a cascade level has four bytes")
      bytes = checked
    }

    /// Decodes four bytes and their BCC.
    /// - Throws: `ProtocolError` if the BCC does not fit.
    public init(_ sent: ArraySlice<UInt8>) throws(ProtocolError) {
      var cursor = ByteCursor(sent, "UID part")
      let content = try cursor.array(4)
      let found = try cursor.byte()
      try cursor.end()
      let expected = Self.checkByte(of: content[...])
      guard found == expected else {
        throw .badChecksum(
          element: "BCC", offset: 4, found: UInt16(found), expected: UInt16(expected))
      }
      bytes = content
    }

    /// Appends the four bytes and their BCC.
    public func encode(into output: inout [UInt8]) {
      output += bytes
      output.append(checkByte)
    }

    /// The BCC: the exclusive or of the four bytes.
    public var checkByte: UInt8 { Self.checkByte(of: bytes[...]) }

    /// True if another cascade level must follow.
    public var hasCascadeTag: Bool { bytes[0] == UID.cascadeTag }

    /// The exclusive or of bytes.
    public static func checkByte(of bytes: ArraySlice<UInt8>) -> UInt8 {
      var value: UInt8 = 0
      for byte in bytes { value ^= byte }
      return value
    }
  }
}
