extension RadioFrame {
  /// A frame of whole bytes with the CRC of its technology behind `content`.
  public static func protected(
    _ content: [UInt8], _ technology: Technology, kilobitsPerSecond: UInt16? = nil
  ) -> RadioFrame {
    RadioFrame(
      CRC16(of: technology).appended(to: content), technology: technology,
      kilobitsPerSecond: kilobitsPerSecond, crc: .good)
  }

  /// The bytes in front of the CRC, or all bytes where there is none.
  ///
  /// Where the source tells nothing of a CRC, the last two bytes are taken for one if they fit as
  /// the CRC of the frame's technology, or of `assumed` where the frame does not name its own.
  public func content(assuming assumed: Technology = .a) -> ArraySlice<UInt8> {
    switch crc {
    case .good, .bad:
      return bytes.dropLast(CRC16.byteCount)
    case .absent, .notCaptured:
      return bytes[...]
    case nil:
      guard lastByteBits == 8, CRC16(of: technology ?? assumed).check(bytes) else {
        return bytes[...]
      }
      return bytes.dropLast(CRC16.byteCount)
    }
  }
}
