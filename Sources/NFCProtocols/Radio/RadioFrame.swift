/// One frame on the air: its bytes as sent, with the CRC when it was captured.
///
/// Facts that a source did not record are `nil`; nothing is invented when a trace is imported.
public struct RadioFrame: Hashable, Sendable {
  /// The bytes on the air; the CRC is part of them exactly if `crc` is `.good`, `.bad` or `nil`.
  public var bytes: [UInt8]
  /// Bits of the last byte that were sent, 1...8, least significant first; 8 is a whole byte.
  public var lastByteBits: UInt8
  /// The technology, or `nil` where the source does not tell.
  public var technology: Technology?
  /// The bit rate in bit/s as nominal kbit/s (106, 212, 424, 848, 26 …), or `nil` if unknown.
  public var kilobitsPerSecond: UInt16?
  /// The parity bits of the bytes, or `nil` if they were not recorded.
  public var parity: ParityBits?
  /// What is known of the CRC, or `nil` where the source does not tell.
  public var crc: CRCState?
  /// True if the receiver saw a collision or an otherwise broken modulation.
  public var isCollision: Bool
  /// True if the source marks the bytes as encrypted (Crypto1): they carry no plain meaning.
  public var isEncrypted: Bool
  /// True if the source marks the frame as cut off.
  public var isTruncated: Bool

  /// Makes a frame; everything but the bytes has the value "whole bytes, nothing else known".
  @inlinable
  public init(
    _ bytes: [UInt8], lastByteBits: UInt8 = 8, technology: Technology? = nil,
    kilobitsPerSecond: UInt16? = nil, parity: ParityBits? = nil, crc: CRCState? = nil,
    isCollision: Bool = false, isEncrypted: Bool = false, isTruncated: Bool = false
  ) {
    precondition(
      (1...8).contains(lastByteBits), "the last byte of a frame has between 1 and 8 bits")
    self.bytes = bytes
    self.lastByteBits = lastByteBits
    self.technology = technology
    self.kilobitsPerSecond = kilobitsPerSecond
    self.parity = parity
    self.crc = crc
    self.isCollision = isCollision
    self.isEncrypted = isEncrypted
    self.isTruncated = isTruncated
  }

  /// The number of bits on the air, without start, stop and parity bits.
  public var bitCount: Int { bytes.isEmpty ? 0 : bytes.count * 8 - 8 + Int(lastByteBits) }
}

/// What is known of the CRC of a frame.
public enum CRCState: UInt8, Hashable, Sendable {
  /// The frame ends with a CRC and it fits.
  case good
  /// The frame ends with a CRC and it does not fit.
  case bad
  /// The CRC was not captured: the bytes do not hold it.
  case notCaptured
  /// Frames of this kind have no CRC (REQA, ATQA, anticollision, 4-bit answers).
  case absent
}

/// The parity bits of a frame as sent, one for each byte.
public struct ParityBits: Hashable, Sendable {
  /// One flag a byte, in the order of the bytes.
  public var bits: [Bool]

  /// Makes parity bits from one flag a byte.
  public init(_ bits: [Bool]) { self.bits = bits }

  /// The odd parity that ISO/IEC 14443-3 6.1.5.3 asks for.
  public static func odd(for bytes: [UInt8]) -> ParityBits {
    ParityBits(bytes.map { $0.nonzeroBitCount % 2 == 0 })
  }
}
