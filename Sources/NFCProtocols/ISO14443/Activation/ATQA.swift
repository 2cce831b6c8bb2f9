/// The answer to REQA or WUPA, ISO/IEC 14443-3 6.5.2; also SENS_RES of the NFC Forum.
public struct ATQA: Hashable, Sendable, ByteCodable {
  /// The two bytes as a number; the low byte is sent first.
  public var rawValue: UInt16

  /// Makes an ATQA from its number (`0x0044` is sent as `44 00`).
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Decodes two bytes in the order in which they are sent.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ATQA")
    rawValue = try cursor.littleEndian16()
    try cursor.end()
  }

  /// Appends the two bytes, low byte first.
  public func encode(into output: inout [UInt8]) { output.append(littleEndian: rawValue) }

  /// The length of the UID that bits 8 and 7 announce, or `nil` for the reserved value.
  public var uidSize: UID.Size? {
    switch rawValue >> 6 & 0b11 {
    case 0b00: .single
    case 0b01: .double
    case 0b10: .triple
    default: nil
    }
  }

  /// The bit frame anticollision bits, bits 5 to 1; exactly one of them should be set.
  public var bitFrameAnticollision: UInt8 { UInt8(truncatingIfNeeded: rawValue) & 0x1F }

  /// True if the card takes part in bit frame anticollision as the standard asks.
  public var supportsBitFrameAnticollision: Bool {
    bitFrameAnticollision.nonzeroBitCount == 1
  }

  /// The proprietary coding, bits 12 to 9.
  public var proprietaryCoding: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) & 0x0F }
}
