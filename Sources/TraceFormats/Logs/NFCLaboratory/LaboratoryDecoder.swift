import NFCProtocols
import NFCTrace

/// Reads nfc-laboratory's JSON, an object whose member `frames` is an array of frames.
///
/// The file is read whole.
struct LaboratoryDecoder: TraceDecoder {
  /// The longest file in bytes: some 200,000 frames.
  static let maximumLength = 64 * 1_048_576

  private var bytes: [UInt8] = []
  private let role: TraceRole

  init(_ options: ImportOptions) { role = options.role ?? .sniff }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard bytes.count + chunk.count <= Self.maximumLength else {
      throw .badInput(
        BadInput(
          at: .byte(Self.maximumLength), found: "a longer file",
          expected: "at most \(Self.maximumLength / 1_048_576) MiB of JSON, which is read whole",
          remedy: "export a shorter range from nfc-laboratory"))
    }
    bytes.append(contentsOf: chunk)
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    var output = LogOutput(
      header: TraceHeader(role: role, madeBy: "imported from nfc-laboratory"))
    swap(&batch, &output.batch)
    defer { swap(&batch, &output.batch) }
    try Self.read(bytes, into: &output)
    bytes = []
    output.sendHeader()
    // JSON that ends with its closing brace is whole.
    output.batch.ending = TraceEnding(isComplete: true)
  }

  private static func read(
    _ bytes: [UInt8], into output: inout LogOutput
  ) throws(TraceError) {
    var hasFrames = false
    var fault: TraceError?
    do throws(JSONReader.Fault) {
      var reader = JSONReader(bytes)
      try reader.forEachMember { (key, reader) throws(JSONReader.Fault) in
        guard key == "frames" else {
          _ = try reader.readValue()
          return
        }
        hasFrames = true
        try reader.forEachElement { (reader) throws(JSONReader.Fault) in
          _ = reader.nextByte()
          let start = reader.offset
          let value = try reader.readValue()
          if fault == nil { fault = append(value, at: start, to: &output) }
        }
      }
      try reader.finish()
    } catch {
      throw jsonFault(error, bytes)
    }
    if let fault { throw fault }
    guard hasFrames else {
      throw .badInput(
        BadInput(
          at: .byte(0), found: "JSON without \"frames\"", expected: "{\"frames\": [..]}",
          remedy: "check that nfc-laboratory wrote this file"))
    }
  }

  private static func append(
    _ value: JSONReader.Value, at start: Int, to output: inout LogOutput
  ) -> TraceError? {
    guard case .object(let members) = value else {
      return .badInput(
        BadInput(
          at: .byte(start), found: "no object", expected: "a frame as an object",
          remedy: "export the recording again"))
    }
    let frame = LaboratoryFrame(members)
    if !output.isHeaderFinal {
      let rate = frame.sampleRate
      output.header.clock = TraceClock(
        tickUnit: rate.map(tickUnit), origin: frame.unixTime.map(date) ?? "start of recording")
    }
    let (event, missing) = frame.event()
    guard let event else {
      return .badInput(
        BadInput(
          at: .byte(start), found: "a frame without \(missing ?? "an event")",
          expected: "techType, frameType, frameData, times", remedy: "export the recording again"))
    }
    output.append(event)
    return nil
  }

  private static func jsonFault(_ fault: JSONReader.Fault, _ bytes: [UInt8]) -> TraceError {
    let found =
      fault.offset < bytes.count
      ? "\"\(LogText.string(bytes[fault.offset...].prefix(20)))\"" : "the end of the file"
    return .badInput(
      BadInput(
        at: .byte(fault.offset), found: found, expected: fault.expected,
        remedy: "check that the file is whole JSON"))
  }

  /// A rate in hertz as the unit of a tick: `1/10 MHz`.
  static func tickUnit(_ rate: Int64) -> String {
    rate.isMultiple(of: 1_000_000) ? "1/\(rate / 1_000_000) MHz" : "1/\(rate) Hz"
  }

  /// The rate of a tick unit that `tickUnit(_:)` made.
  static func rate(_ tickUnit: String) -> Int64? {
    var rest = Array(tickUnit.utf8)[...]
    guard LogText.take("1/", from: &rest), let count = LogText.takeDecimal(from: &rest), count > 0
    else { return nil }
    if rest.elementsEqual(" MHz".utf8) { return count < 10_000_000 ? count * 1_000_000 : nil }
    return rest.elementsEqual(" Hz".utf8) ? count : nil
  }

  /// Nanoseconds since 1970 as ISO 8601 text.
  private static func date(_ time: Int64) -> String {
    let day = time / 86_400_000_000_000
    let rest = time % 86_400_000_000_000
    var buffer = TextBuffer(capacity: 40)
    buffer.append(CivilDate.text(ofDay: day))
    buffer.append("T")
    buffer.append(decimal: rest / 3_600_000_000_000, width: 2, pad: 0x30)
    buffer.append(":")
    buffer.append(decimal: rest / 60_000_000_000 % 60, width: 2, pad: 0x30)
    buffer.append(":")
    buffer.append(decimal: rest / 1_000_000_000 % 60, width: 2, pad: 0x30)
    buffer.append(".")
    buffer.append(decimal: rest % 1_000_000_000, width: 9, pad: 0x30)
    buffer.append("Z")
    return buffer.string
  }
}
