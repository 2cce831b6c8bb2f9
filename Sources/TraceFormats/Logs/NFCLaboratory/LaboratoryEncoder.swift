import NFCProtocols
import NFCTrace

/// Writes nfc-laboratory's JSON, one frame a line.
///
/// Members that the program does not know hold what it has no place for (`lastByteBits`,
/// `parityBits`, `crcState`, `comment`, `isTimeUnknown`); it passes over them. Application events
/// that are no ATR are left out.
struct LaboratoryEncoder: TraceEncoder {
  private var buffer = TextBuffer(capacity: 512)
  private var technology: Technology?
  private var tickRate: Int64?
  private var frameCount = 0
  private var tally = ExportTally()

  /// Samples a second where the trace has no sample numbers of its own: one a nanosecond.
  static let nanosecondRate: Int64 = 1_000_000_000

  mutating func begin(_ header: TraceHeader, into output: inout [UInt8]) throws(TraceError) {
    technology = header.technology
    tickRate = header.clock.tickUnit.flatMap { LaboratoryDecoder.rate($0) }
    buffer.append("{\"frames\": [")
    flush(into: &output)
  }

  mutating func encode(_ event: TraceEvent, into output: inout [UInt8]) throws(TraceError) {
    guard let entry = try entry(of: event) else {
      tally.leftOut += 1
      return
    }
    tally.written += 1
    buffer.append(frameCount == 0 ? "\n  {" : ",\n  {")
    frameCount += 1
    appendTimes(of: event)
    member("frameData", bytes: entry.bytes)
    member("frameFlags", entry.flags)
    member("framePhase", entry.phase)
    member("frameRate", entry.rate)
    member("frameType", entry.type)
    member("techType", entry.technology)
    if let frame = entry.frame { appendExtras(of: frame, flags: entry.flags) }
    if event.isTimeUnknown { buffer.append(", \"isTimeUnknown\": true") }
    if let comment = event.comment {
      buffer.append(", \"comment\": ")
      append(string: comment)
    }
    buffer.append("}")
    flush(into: &output)
  }

  mutating func finish(_ ending: TraceEnding, into output: inout [UInt8]) throws(TraceError) {
    try tally.requireContent(format: "nfc-laboratory")
    buffer.append("\n]}\n")
    flush(into: &output)
  }

  var remarks: [String] { tally.remarks }

  private mutating func flush(into output: inout [UInt8]) {
    output.append(contentsOf: buffer.bytes)
    buffer.removeAll()
  }

  /// What the members of a frame are, apart from its times.
  private struct Entry {
    var technology: Int64
    var type: Int64
    var phase = LaboratoryCode.applicationPhase
    var flags: Int64 = 0
    var rate: Int64 = 0
    var bytes: [UInt8] = []
    var frame: RadioFrame?
  }

  private func entry(of event: TraceEvent) throws(TraceError) -> Entry? {
    switch event.content {
    case .field(let change):
      return Entry(
        technology: change.technology.map(LaboratoryCode.code) ?? LaboratoryCode.noTechnology,
        type: change.isOn ? LaboratoryCode.carrierOn : LaboratoryCode.carrierOff,
        phase: LaboratoryCode.carrierPhase)
    case .radio(let direction, let frame):
      return try entry(of: frame, direction)
    case .apdu(let direction, let bytes):
      return Entry(
        technology: LaboratoryCode.iso7816,
        type: direction == .outbound ? LaboratoryCode.request : LaboratoryCode.response,
        bytes: bytes)
    case .application(.inbound, let text):
      guard text.hasPrefix("ATR "), let bytes = Hexadecimal.bytes(of: String(text.dropFirst(4)))
      else { return nil }
      return Entry(
        technology: LaboratoryCode.iso7816, type: LaboratoryCode.answerToReset, bytes: bytes)
    case .application:
      return nil
    case .link:
      throw .cannotExpress(
        what: "a transfer between host and chip", format: "nfc-laboratory",
        remedy: "convert to pcapng or Retap text: they hold all layers")
    }
  }

  private func entry(of frame: RadioFrame, _ direction: Direction) throws(TraceError) -> Entry {
    guard let technology = frame.technology ?? self.technology else {
      throw .cannotExpress(
        what: "a frame of unknown technology", format: "nfc-laboratory",
        remedy: "name the technology of the input with --technology a, b, f or v")
    }
    var flags: Int64 = 0
    if frame.lastByteBits != 8, frame.bytes.count == 1 { flags |= LaboratoryCode.shortFlag }
    if frame.isEncrypted { flags |= LaboratoryCode.encryptedFlag }
    if frame.isTruncated { flags |= LaboratoryCode.truncatedFlag }
    if let parity = frame.parity, parity != .odd(for: frame.bytes) {
      flags |= LaboratoryCode.parityErrorFlag
    }
    if frame.crc == .bad { flags |= LaboratoryCode.crcErrorFlag }
    if frame.isCollision { flags |= LaboratoryCode.syncErrorFlag }
    return Entry(
      technology: LaboratoryCode.code(technology),
      type: direction == .outbound ? LaboratoryCode.poll : LaboratoryCode.listen,
      phase: Self.phase(of: frame, technology), flags: flags,
      rate: frame.kilobitsPerSecond.map(LaboratoryCode.rate) ?? 0, bytes: frame.bytes,
      frame: frame)
  }

  /// The program colours its list by this and no more: short frames, anticollision and REQB count
  /// as activation.
  private static func phase(of frame: RadioFrame, _ technology: Technology) -> Int64 {
    let isShort = frame.lastByteBits != 8 && frame.bytes.count == 1
    let isActivation: Bool =
      switch (technology, frame.bytes.first) {
      case (.a, 0x93), (.a, 0x95), (.a, 0x97), (.b, 0x05), (.f, 0x06): true
      default: isShort
      }
    return isActivation ? LaboratoryCode.selectionPhase : LaboratoryCode.applicationPhase
  }

  /// Sample numbers as they were imported, else one sample a nanosecond; both are exact.
  private mutating func appendTimes(of event: TraceEvent) {
    var rate = Self.nanosecondRate
    var first = event.start.count
    var last = max(first, event.end?.count ?? first)
    if let tickRate, let ticks = event.sourceTicks,
      LaboratoryFrame.nanoseconds(samples: ticks.start, rate: tickRate) == event.start
    {
      rate = tickRate
      first = ticks.start
      last = first.addingReportingOverflow(max(0, ticks.length ?? 0)).partialValue
    }
    buffer.append("\"dateTime\": ")
    append(seconds: event.start.count)
    member("sampleEnd", last)
    member("sampleRate", rate)
    member("sampleStart", first)
    buffer.append(", \"timeEnd\": ")
    append(seconds: max(event.start.count, event.end?.count ?? event.start.count))
    buffer.append(", \"timeStart\": ")
    append(seconds: event.start.count)
  }

  private mutating func appendExtras(of frame: RadioFrame, flags: Int64) {
    let isPlainShort = flags & LaboratoryCode.shortFlag != 0 && frame.lastByteBits == 7
    if frame.lastByteBits != 8, !isPlainShort {
      member("lastByteBits", Int64(frame.lastByteBits))
    }
    if let parity = frame.parity {
      buffer.append(", \"parityBits\": \"")
      for bit in parity.bits { buffer.append(ascii: bit ? 0x31 : 0x30) }
      buffer.append("\"")
    }
    switch frame.crc {
    case .good: buffer.append(", \"crcState\": \"good\"")
    case .notCaptured: buffer.append(", \"crcState\": \"notCaptured\"")
    case .absent: buffer.append(", \"crcState\": \"absent\"")
    case .bad, nil: break
    }
  }

  private mutating func member(_ key: StaticString, _ value: Int64) {
    buffer.append(", \"")
    buffer.append(key)
    buffer.append("\": ")
    buffer.append(decimal: value)
  }

  private mutating func member(_ key: StaticString, bytes: [UInt8]) {
    buffer.append(", \"")
    buffer.append(key)
    buffer.append("\": \"")
    for (index, byte) in bytes.enumerated() {
      if index > 0 { buffer.append(":") }
      buffer.append(hex: byte)
    }
    buffer.append("\"")
  }

  /// Nanoseconds as decimal seconds, without zeros at the end.
  private mutating func append(seconds nanoseconds: Int64) {
    if nanoseconds < 0 { buffer.append("-") }
    let magnitude = Int64(clamping: nanoseconds.magnitude)
    buffer.append(decimal: magnitude / 1_000_000_000)
    buffer.append(".")
    buffer.append(decimal: magnitude % 1_000_000_000, width: 9, pad: 0x30)
    while buffer.bytes.last == 0x30 { buffer.bytes.removeLast() }
    if buffer.bytes.last == 0x2E { buffer.append("0") }
  }

  private mutating func append(string text: String) {
    buffer.append("\"")
    for byte in text.utf8 {
      switch byte {
      case 0x22: buffer.append("\\\"")
      case 0x5C: buffer.append("\\\\")
      case 0..<0x20:
        buffer.append("\\u00")
        buffer.append(hex: byte)
      default: buffer.append(ascii: byte)
      }
    }
    buffer.append("\"")
  }
}
