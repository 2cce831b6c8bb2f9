import NFCProtocols
import NFCTrace

/// Reads usbmon text in its `u` form (`/sys/kernel/debug/usb/usbmon/1u`).
///
/// Data is cut at 32 bytes by the kernel; such transfers carry their original length.
struct USBMonTextDecoder: TraceDecoder {
  /// The longest line that is read; the kernel writes at most about 160 characters.
  static let lineLimit = 4_096
  /// The counter of microseconds starts again after 4,096 s (kernel, `mon_text.c`).
  static let counterModulus: Int64 = 4_096_000_000
  /// How far back a line may lie across that point: 1 s.
  static let counterReach: Int64 = 1_000_000

  private var input = InputBuffer()
  private var lineNumber = 0
  private var counter = WrappingCounter(modulus: counterModulus, reach: counterReach)
  private var emitter: CaptureEmitter
  private var traffic = USBTraffic()

  init(_ options: ImportOptions) {
    emitter = CaptureEmitter(options, madeBy: "usbmon text")
    emitter.tickUnit = "us"
  }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    input.append(chunk)
    while let end = input.bytes.firstIndex(of: 0x0A) {
      let length = end - input.bytes.startIndex
      guard length <= Self.lineLimit else { throw tooLong() }
      try take(input.bytes.prefix(length), into: &batch)
      input.drop(length + 1)
    }
    guard input.count <= Self.lineLimit else { throw tooLong() }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    if !input.isEmpty { try take(input.bytes, into: &batch) }
    var events: [TraceEvent] = []
    traffic.finish(into: &events, warnings: &batch.warnings)
    if let found = traffic.missingReader {
      throw .badInput(
        BadInput(
          at: .line(max(1, lineNumber)), found: found, expected: "the transfers of an NFC reader",
          remedy: "record the bus that the reader is on (`lsusb` shows it)"))
    }
    let reader = emitter.hasHeader ? nil : traffic.reader
    emitter.emit(events, reader: reader, into: &batch)
    batch.ending = TraceEnding(isComplete: nil)
  }

  private func tooLong() -> TraceError {
    bad("a line of more than \(Self.lineLimit) characters", line: lineNumber + 1)
  }

  private func bad(_ found: String, line: Int) -> TraceError {
    .badInput(
      BadInput(
        at: .line(line), found: found,
        expected: "usbmon text, `TAG TIME S|C|E Xy:bus:device:endpoint STATUS LENGTH …`",
        remedy: "record with `cat /sys/kernel/debug/usb/usbmon/1u`; a cut last line can go"))
  }

  private mutating func take(
    _ line: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    lineNumber += 1
    let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
    if isBlank || line.first == 0x23 { return }
    var parsed: USBMonTextLine
    switch USBMonTextLine.parse(line) {
    case .record(let found): parsed = found
    case .ignored: return
    case .bad(let found): throw bad(found, line: lineNumber)
    }
    guard parsed.microseconds < Self.counterModulus else {
      throw bad("the time \(parsed.microseconds) us", line: lineNumber)
    }
    let total = counter.extend(parsed.microseconds)
    parsed.record.time = SourceTime(
      ticks: parsed.microseconds, nanoseconds: .microseconds(total))
    var events: [TraceEvent] = []
    traffic.add(parsed.record, into: &events)
    let reader = emitter.hasHeader ? nil : traffic.reader
    emitter.emit(events, reader: reader, into: &batch)
  }
}
