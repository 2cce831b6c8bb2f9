/// One block of a pcapng file, read as far as every reader of captures needs.
public enum PcapngItem: Sendable {
  /// A section begins; interfaces count from 0 again.
  case section(PcapngByteOrder)
  /// An interface is described.
  case interface(PcapngInterface)
  /// An enhanced packet.
  case packet(PcapngPacket)
  /// Any other block.
  case block(PcapngBlock)
}

/// One interface of a section.
public struct PcapngInterface: Hashable, Sendable {
  /// The link type of its packets.
  public var linkType: UInt16
  /// The most bytes that are kept of a packet, 0 for all.
  public var snapLength: UInt32
  /// The option `if_tsresol`: bit 7 chooses powers of two, else powers of ten; 6 if absent.
  public var resolution: UInt8
  /// The option `if_tsoffset`: seconds that are added to the times.
  public var offsetSeconds: Int64

  /// Makes an interface that counts nanoseconds.
  public init(
    linkType: UInt16, snapLength: UInt32 = 0, resolution: UInt8 = 9, offsetSeconds: Int64 = 0
  ) {
    self.linkType = linkType
    self.snapLength = snapLength
    self.resolution = resolution
    self.offsetSeconds = offsetSeconds
  }

  /// The nanoseconds of a time stamp, or `nil` if they do not fit; finer units are cut.
  public func nanoseconds(of timestamp: UInt64) -> Int64? {
    guard let perSecond = ticksPerSecond else { return nil }
    let (seconds, rest) = timestamp.quotientAndRemainder(dividingBy: perSecond)
    let (whole, isTooLate) = Int64(clamping: seconds).addingReportingOverflow(offsetSeconds)
    let (scaled, isTooFar) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let fraction = perSecond.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000))
    let (sum, overflows) = scaled.addingReportingOverflow(Int64(fraction.quotient))
    return isTooLate || isTooFar || overflows ? nil : sum
  }

  private var ticksPerSecond: UInt64? {
    let exponent = UInt64(resolution & 0x7F)
    if resolution & 0x80 != 0 { return exponent < 64 ? 1 << exponent : nil }
    guard exponent <= 19 else { return nil }
    var ticks: UInt64 = 1
    for _ in 0..<exponent { ticks *= 10 }
    return ticks
  }
}

/// An enhanced packet block.
public struct PcapngPacket: Sendable {
  /// The number of its interface.
  public var interface: Int
  /// The time in units of the interface.
  public var timestamp: UInt64
  /// The bytes.
  public var data: ArraySlice<UInt8>
  /// How many bytes there were before the capture cut them.
  public var originalLength: Int
  /// The options.
  public var options: PcapngOptions
  /// Where the block begins in the file.
  public var offset: Int
}

/// A block that is neither section, interface nor enhanced packet.
public struct PcapngBlock: Sendable {
  /// The type; bit 31 marks types for local use.
  public var type: UInt32
  /// The bytes between the two lengths.
  public var body: ArraySlice<UInt8>
  /// Where the block begins in the file.
  public var offset: Int
  /// The byte order of its section.
  public var byteOrder: PcapngByteOrder
}

/// The options of a block, read one after the other.
public struct PcapngOptions: Sendable {
  /// The bytes of all options with their padding.
  var bytes: ArraySlice<UInt8>
  /// Where they begin in the file.
  var offset: Int
  var byteOrder: PcapngByteOrder

  /// Takes the next option, or `nil` at the end of them.
  ///
  /// - Throws: `TraceError.badInput` if an option is longer than its block.
  public mutating func next() throws(TraceError) -> (code: UInt16, value: ArraySlice<UInt8>)? {
    guard bytes.count >= 4 else { return nil }
    let code = bytes.number16(at: 0, byteOrder)
    guard code != 0 else { return nil }
    let length = Int(bytes.number16(at: 2, byteOrder))
    guard 4 + length <= bytes.count else {
      throw PcapngReader.fault(
        offset + 2, found: "an option of \(length) bytes",
        expected: "at most \(bytes.count - 4), the room in its block")
    }
    let start = bytes.startIndex + 4
    let value = bytes[start..<start + length]
    let whole = min(bytes.count, 4 + (length + 3) / 4 * 4)
    bytes = bytes.dropFirst(whole)
    offset += whole
    return (code, value)
  }
}
