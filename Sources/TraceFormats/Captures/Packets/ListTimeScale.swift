import NFCProtocols

/// Times of `trace list -x` that went through text2pcap with `-t "%S.%f"`.
///
/// The list prints carrier cycles as if they were fractions of a second, `0.%010u`; so one cycle
/// (73.746 ns) became 0.1 ns, and the file's resolution then cut digits off.
struct ListTimeScale {
  /// The name of the option.
  static let name = "pm3-x"
  /// Units of the printed fraction in a second.
  private static let unitsPerSecond: UInt64 = 10_000_000_000

  private var counter = WrappingCounter(
    modulus: ProxmarkDecoder.counterModulus, reach: ProxmarkDecoder.counterReach)

  /// The true time of a packet, and how far off the cut digits leave it.
  mutating func time(of packet: CaptureTime) -> (time: Nanoseconds, uncertainty: Nanoseconds)? {
    let perSecond = packet.resolution.ticksPerSecond
    let fraction = packet.ticks % perSecond
    let scaled = fraction.multipliedFullWidth(by: Self.unitsPerSecond)
    let cycles = Int64(perSecond.dividingFullWidth(scaled).quotient)
    guard cycles < ProxmarkDecoder.counterModulus else { return nil }
    let lost = Int64(max(1, Self.unitsPerSecond / perSecond))
    return (.carrierCycles(counter.extend(cycles)), .carrierCycles(lost))
  }
}
