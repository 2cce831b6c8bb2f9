/// The bounds of what both encodings of a trace hold.
public enum TraceLimits {
  /// Most bytes in one event; the longest extended APDU has 65,545 (ISO/IEC 7816-4, 5.1).
  public static let bytesPerEvent = 70_000
  /// Longest line of the text encoding in bytes: three characters a byte, its parity, a comment.
  public static let lineLength = 524_288
  /// Longest comment and longest text of an application event in bytes; a pcapng option has 65,535.
  public static let commentLength = 60_000
  /// Most comment and blank lines between two events.
  public static let commentLinesTogether = 10_000
  /// Most `x-` lines in a header.
  public static let headerExtensions = 1_000
  /// Largest magnitude of a time in nanoseconds (126 years): the distance of two times still fits.
  public static let time: Int64 = 4_000_000_000_000_000_000
}
