/// The table of frame sizes behind FSDI and FSCI, ISO/IEC 14443-4 Table 1 and 14443-3 Table 27.
public enum FrameSize {
  /// Bytes of the longest frame, from PCB to CRC, for the indices 0 to 12.
  public static let table = [16, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096]

  /// The bytes of an index; a reserved index counts as the last one of the table.
  public static func bytes(ofIndex index: UInt8) -> Int {
    table[min(Int(index), table.count - 1)]
  }

  /// The bytes that an index meant before the sizes above 256 were added (edition 2008).
  public static func bytesBefore2016(ofIndex index: UInt8) -> Int {
    table[min(Int(index), 8)]
  }
}
