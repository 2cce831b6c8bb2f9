/// The answer to SELECT, ISO/IEC 14443-3 6.5.3.4; also SEL_RES of the NFC Forum.
public struct SAK: Hashable, Sendable, ByteCodable {
  /// The byte.
  public var rawValue: UInt8

  /// Makes a SAK.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Decodes one byte; the CRC is not part of it.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "SAK")
    rawValue = try cursor.byte()
    try cursor.end()
  }

  /// Appends the byte.
  public func encode(into output: inout [UInt8]) { output.append(rawValue) }

  /// True if no cascade level follows (bit 3 is 0).
  public var isUIDComplete: Bool { rawValue & 0x04 == 0 }

  /// True if the UID is complete and the card speaks ISO/IEC 14443-4 (bit 6).
  public var supportsISODEP: Bool { isUIDComplete && rawValue & 0x20 != 0 }

  /// True if the UID is complete and the target speaks NFC-DEP of ISO/IEC 18092 (bit 7).
  public var supportsNFCDEP: Bool { isUIDComplete && rawValue & 0x40 != 0 }

  /// True if the card takes MIFARE Classic commands by the coding of NXP AN10833 (bit 4).
  public var supportsMifareClassic: Bool { isUIDComplete && rawValue & 0x08 != 0 }

  /// The SAK of a cascade level that another one follows.
  public static let cascade = SAK(rawValue: 0x04)
}
