/// The three 16-bit cyclic redundancy checks that frames of NFC carry at their end.
///
/// All use the polynomial x^16 + x^12 + x^5 + 1. The remainder of a byte is computed in a few
/// shifts (the form of ISO/IEC 14443-3 annex B), which needs no table and no start-up work.
public enum CRC16: UInt8, Hashable, Sendable, CaseIterable {
  /// CRC_A of ISO/IEC 14443-3 6.2.4: preset 6363, sent low byte first.
  case a
  /// CRC_B of ISO/IEC 14443-3 7.2, also the CRC of ISO/IEC 15693-3: preset FFFF, inverted.
  case b
  /// The CRC of FeliCa (JIS X 6319-4): preset 0, most significant bit and high byte first.
  case felica

  /// The bytes that a CRC takes at the end of a frame.
  public static let byteCount = 2

  /// The CRC that frames of a technology carry.
  public init(of technology: Technology) {
    switch technology {
    case .a: self = .a
    case .b, .v: self = .b
    case .f: self = .felica
    }
  }

  /// The check value of `bytes`.
  public func checksum(of bytes: ArraySlice<UInt8>) -> UInt16 {
    switch self {
    case .a:
      return Self.reflected(bytes, preset: 0x6363)
    case .b:
      return ~Self.reflected(bytes, preset: 0xFFFF)
    case .felica:
      var value: UInt16 = 0
      for byte in bytes {
        var mixed = (value >> 8) ^ UInt16(byte)
        mixed ^= mixed >> 4
        value = (value << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed
      }
      return value
    }
  }

  /// The check value of `bytes`.
  public func checksum(of bytes: [UInt8]) -> UInt16 { checksum(of: bytes[...]) }

  /// Appends the check value of all bytes in `frame`, in the order in which it is sent.
  public func append(to frame: inout [UInt8]) {
    let value = checksum(of: frame[...])
    let low = UInt8(truncatingIfNeeded: value)
    let high = UInt8(truncatingIfNeeded: value >> 8)
    frame.append(self == .felica ? high : low)
    frame.append(self == .felica ? low : high)
  }

  /// The bytes with their check value behind them.
  public func appended(to bytes: [UInt8]) -> [UInt8] {
    var frame = bytes
    frame.reserveCapacity(bytes.count + Self.byteCount)
    append(to: &frame)
    return frame
  }

  /// True if the last two bytes of `frame` are the check value of those before them.
  ///
  /// A frame of less than three bytes holds nothing that a CRC could protect and never fits.
  public func check(_ frame: ArraySlice<UInt8>) -> Bool {
    guard frame.count > Self.byteCount else { return false }
    let end = frame.endIndex
    let value = checksum(of: frame[frame.startIndex..<(end - 2)])
    let first = UInt16(frame[end - 2])
    let second = UInt16(frame[end - 1])
    return self == .felica ? value == first << 8 | second : value == second << 8 | first
  }

  /// True if the last two bytes of `frame` are the check value of those before them.
  public func check(_ frame: [UInt8]) -> Bool { check(frame[...]) }

  private static func reflected(_ bytes: ArraySlice<UInt8>, preset: UInt16) -> UInt16 {
    var value = preset
    for byte in bytes {
      var mixed = byte ^ UInt8(truncatingIfNeeded: value)
      mixed ^= mixed << 4
      let wide = UInt16(mixed)
      value = (value >> 8) ^ (wide << 8) ^ (wide << 3) ^ (wide >> 4)
    }
    return value
  }
}
