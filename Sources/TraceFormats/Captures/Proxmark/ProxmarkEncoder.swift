import NFCProtocols
import NFCTrace

/// Writes Proxmark3 `.trace` files, version 2.
///
/// The format holds radio frames only: field changes and application notes are left out. Counter
/// values of a Proxmark3 source are written back as they were; type A frames whose parity was not
/// recorded get odd parity, since the format cannot leave it open.
struct ProxmarkEncoder: TraceEncoder {
  /// The client counts bytes of a trace in 16 bits.
  static let fileLimit = 65_535
  /// The length field has 15 bits.
  static let frameLimit = 0x7FFF
  static let formatName = "pm3-trace"

  private var technology: Technology?
  private var hasCarrierTicks = false
  private var written = 0
  private var tally = ExportTally()

  mutating func begin(_ header: TraceHeader, into output: inout [UInt8]) throws(TraceError) {
    technology = header.technology
    hasCarrierTicks = header.clock.tickUnit == "1/13.56 MHz"
  }

  mutating func encode(_ event: TraceEvent, into output: inout [UInt8]) throws(TraceError) {
    switch event.content {
    case .field, .application: tally.leftOut += 1
    case .link:
      throw Self.cannot(
        "a transfer between host and chip", "convert to .retap or .pcapng, which keep it")
    case .apdu:
      throw Self.cannot(
        "an APDU without the frames that carried it",
        "convert to .retap or .pcapng, or to the NFCGate format, which holds APDUs")
    case .radio(let direction, let frame):
      let record = try record(event, direction, frame)
      written += record.count
      guard written <= Self.fileLimit else {
        throw Self.cannot(
          "a trace of more than \(Self.fileLimit) bytes, the most that the client loads",
          "cut the trace into parts, or convert to .pcapng")
      }
      output.append(contentsOf: record)
      tally.written += 1
    }
  }

  mutating func finish(_ ending: TraceEnding, into output: inout [UInt8]) throws(TraceError) {
    try tally.requireContent(format: Self.formatName)
  }

  var remarks: [String] { tally.remarks }

  private static func cannot(_ what: String, _ remedy: String) -> TraceError {
    .cannotExpress(what: what, format: formatName, remedy: remedy)
  }

  private mutating func record(
    _ event: TraceEvent, _ direction: Direction, _ original: RadioFrame
  ) throws(TraceError) -> [UInt8] {
    var frame = original
    // Only type A sends single bits, so a short frame tells the technology of what follows it.
    if technology == nil, frame.technology == nil, frame.lastByteBits < 8 { technology = .a }
    frame.technology = original.technology ?? technology
    if frame.crc == .notCaptured { try addCRC(to: &frame) }
    guard frame.bytes.count <= Self.frameLimit else {
      throw Self.cannot(
        "a frame of \(frame.bytes.count) bytes", "convert to .pcapng, which holds it")
    }
    var record: [UInt8] = []
    record.append(little32: try start(event))
    record.append(little16: duration(event, direction, frame))
    let flag: UInt16 = direction == .inbound ? 0x8000 : 0
    record.append(little16: UInt16(frame.bytes.count) | flag)
    record.append(contentsOf: frame.bytes)
    record.append(contentsOf: parity(frame))
    return record
  }

  /// On the air there was a CRC; the client marks frames without one as faulty.
  private mutating func addCRC(to frame: inout RadioFrame) throws(TraceError) {
    guard let technology = frame.technology else {
      throw Self.cannot(
        "a frame whose CRC was not captured and whose technology is not known",
        "name the technology when converting, so that the CRC can be computed")
    }
    CRC16(of: technology).append(to: &frame.bytes)
    tally.computedCRCs += 1
    frame.crc = .good
    frame.parity = nil
  }

  private func start(_ event: TraceEvent) throws(TraceError) -> UInt32 {
    if hasCarrierTicks, let ticks = event.sourceTicks?.start {
      return UInt32(truncatingIfNeeded: ticks)
    }
    if event.isTimeUnknown { return 0 }
    guard event.start >= .zero else {
      throw Self.cannot("a time before the first event", "convert to .retap or .pcapng")
    }
    return UInt32(truncatingIfNeeded: Self.cycles(event.start))
  }

  /// Carrier cycles in a time, rounded to the nearest; one cycle is 25,000 / 339 ns.
  private static func cycles(_ time: Nanoseconds) -> Int64 {
    let (seconds, rest) = time.count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * 13_560_000 + (rest * 339 + 12_500) / 25_000
  }

  private func duration(
    _ event: TraceEvent, _ direction: Direction, _ frame: RadioFrame
  ) -> UInt16 {
    if hasCarrierTicks, let length = event.sourceTicks?.length {
      return UInt16(clamping: length)
    }
    if event.isTimeUnknown, frame.technology != .a { return 0 }
    let isTypeA = frame.technology == .a
    // The client takes the bit count of a one-byte frame from its duration, so it must be exact.
    if isTypeA, frame.bytes.count <= 1 || event.end == nil || frame.lastByteBits < 8 {
      return UInt16(clamping: ProxmarkDuration.typeA(direction, frame))
    }
    guard let end = event.end, end >= event.start else { return 0 }
    let cycles = Self.cycles(end - event.start)
    return UInt16(
      clamping: frame.technology == .v ? cycles / ProxmarkReading.vicinityScale : cycles)
  }

  private func parity(_ frame: RadioFrame) -> [UInt8] {
    var packed = [UInt8](
      repeating: 0, count: ProxmarkRecord.parityLength(for: frame.bytes.count))
    guard frame.technology == .a || frame.parity != nil else { return packed }
    var bits = frame.parity?.bits ?? ParityBits.odd(for: frame.bytes).bits
    if frame.parity == nil, frame.lastByteBits < 8, !bits.isEmpty { bits[bits.count - 1] = false }
    for (index, bit) in bits.enumerated() where bit && index / 8 < packed.count {
      packed[index / 8] |= 0x80 >> UInt8(index % 8)
    }
    return packed
  }
}
