import NFCProtocols

/// The unit in which an interface of a capture file counts time.
struct CaptureResolution: Equatable {
  /// Ticks in a second.
  let ticksPerSecond: UInt64
  /// The unit in words, for the header.
  let name: String

  static let microseconds = CaptureResolution(ticksPerSecond: 1_000_000, name: "us")
  static let nanoseconds = CaptureResolution(ticksPerSecond: 1_000_000_000, name: "ns")

  private init(ticksPerSecond: UInt64, name: String) {
    self.ticksPerSecond = ticksPerSecond
    self.name = name
  }

  /// The resolution of an `if_tsresol` option: bit 7 chooses powers of two, else powers of ten.
  ///
  /// - Returns: `nil` for units so small that a second of them does not fit into 64 bits.
  init?(option value: UInt8) {
    let exponent = Int(value & 0x7F)
    if value & 0x80 != 0 {
      guard exponent < 64 else { return nil }
      self.init(ticksPerSecond: 1 << UInt64(exponent), name: "2^-\(exponent) s")
      return
    }
    guard exponent < 20 else { return nil }
    var ticks: UInt64 = 1
    for _ in 0..<exponent { ticks *= 10 }
    let names = [0: "s", 3: "ms", 6: "us", 9: "ns"]
    self.init(ticksPerSecond: ticks, name: names[exponent] ?? "10^-\(exponent) s")
  }
}

/// The time of a packet, in the file's unit and as nanoseconds since 1970.
struct CaptureTime: Equatable {
  /// Ticks in the file's unit.
  var ticks: UInt64
  var resolution: CaptureResolution
  /// Whole seconds since 1970, with the offset of the interface.
  var seconds: Int64
  /// The rest, 0 ..< 1,000,000,000; finer units are cut.
  var nanoseconds: Int64

  init(ticks: UInt64, _ resolution: CaptureResolution, offset: Int64 = 0) {
    self.ticks = ticks
    self.resolution = resolution
    let (whole, rest) = ticks.quotientAndRemainder(dividingBy: resolution.ticksPerSecond)
    let scaled = rest.multipliedFullWidth(by: 1_000_000_000)
    nanoseconds = Int64(resolution.ticksPerSecond.dividingFullWidth(scaled).quotient)
    seconds = Int64(clamping: whole).addingReportingOverflow(offset).partialValue
  }

  /// True if the packet carries no time at all, as some writers leave it.
  var isZero: Bool { seconds == 0 && nanoseconds == 0 }

  /// Nanoseconds since 1970, or `nil` outside of 64 bits (after the year 2262).
  var sinceEpoch: Nanoseconds? {
    let (scaled, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = scaled.addingReportingOverflow(nanoseconds)
    return isTooLarge || overflows ? nil : Nanoseconds(sum)
  }
}
