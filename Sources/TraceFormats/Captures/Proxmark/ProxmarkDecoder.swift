import NFCProtocols
import NFCTrace

/// Reads Proxmark3 `.trace` files: the trace buffer of the device, with no header of any kind.
///
/// The protocol and the layout version are decided from the first `surveyLimit` bytes; what comes
/// after them is read record by record.
struct ProxmarkDecoder: TraceDecoder {
  /// Bytes kept to decide from; the buffer of the device is smaller than 65,536 bytes.
  static let surveyLimit = 1 << 20
  /// The number of values of the 32-bit counter; it starts again after 316.7 s.
  static let counterModulus: Int64 = 1 << 32
  /// How far back a record may begin across the end of the counter: 4.9 s.
  static let counterReach: Int64 = 1 << 26

  private let options: ImportOptions
  private var input = InputBuffer()
  private var reading: ProxmarkReading?
  private var counter = WrappingCounter(modulus: counterModulus, reach: counterReach)
  private var order = EventOrder()
  private var origin: Int64?

  init(_ options: ImportOptions) { self.options = options }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    input.append(chunk)
    if reading == nil, input.count > Self.surveyLimit {
      try survey(isWhole: false, into: &batch)
    }
    if let reading { emitRecords(reading, into: &batch) }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    if reading == nil { try survey(isWhole: true, into: &batch) }
    if let reading { emitRecords(reading, into: &batch) }
    if !input.isEmpty {
      throw Self.torn(left: input.bytes, at: input.offset)
    }
    batch.ending = TraceEnding(isComplete: nil)
  }

  private mutating func survey(isWhole: Bool, into batch: inout TraceBatch) throws(TraceError) {
    let (records, left) = ProxmarkRecord.all(in: input.bytes, .version2)
    var found: ProxmarkReading?
    if !records.isEmpty, left == 0 || !isWhole {
      found = ProxmarkReading(records, .version2, technology: options.technology)
    } else {
      let older = ProxmarkRecord.all(in: input.bytes, .version1)
      if !older.records.isEmpty, older.left == 0, isWhole {
        found = ProxmarkReading(older.records, .version1, technology: options.technology)
      }
    }
    guard let found else {
      throw Self.torn(left: input.bytes.suffix(left), at: input.offset + input.count - left)
    }
    reading = found
    batch.header = header(found)
    if found.layout == .version1 {
      batch.warnings.append(
        TraceWarning(
          at: .byte(0),
          "read as the record layout of before 2014-12, whose time unit is not certain"))
    }
  }

  private func header(_ reading: ProxmarkReading) -> TraceHeader {
    var header = TraceHeader(
      role: options.role, technology: reading.technology,
      clock: TraceClock(tickUnit: reading.tickUnit, origin: "first event"),
      madeBy: reading.layout == .version2 ? "Proxmark3 trace" : "Proxmark3 trace, version 1")
    if let reason = reading.reason {
      header.extensions.append(HeaderExtension(key: "x-technology-from", value: reason))
    }
    return header
  }

  private mutating func emitRecords(_ reading: ProxmarkReading, into batch: inout TraceBatch) {
    while let length = ProxmarkRecord.length(of: input.bytes, reading.layout),
      let bytes = input.peek(length)
    {
      let record = ProxmarkRecord(whole: bytes, at: input.offset, reading.layout)
      input.drop(length)
      var event = event(of: record, reading)
      order.place(&event)
      batch.events.append(event)
    }
  }

  private mutating func event(
    of record: ProxmarkRecord, _ reading: ProxmarkReading
  ) -> TraceEvent {
    var event = TraceEvent(
      start: .zero, .radio(record.direction, reading.frame(of: record)),
      sourceTicks: SourceTicks(
        start: Int64(record.start), length: record.duration.map { Int64($0) }))
    // Sources without a clock (smartcard, SAM, simulated type B) write 0, and 0 or FFFF.
    let duration = record.duration
    if record.start == 0, duration == 0 || duration == 0xFFFF {
      event.isTimeUnknown = true
      return event
    }
    let ticks = counter.extend(Int64(record.start))
    let first = origin ?? ticks
    origin = first
    event.start = reading.time(ticks - first)
    // FFFF stands for every longer frame, and old firmware wrote 0 for them.
    if let duration, let scale = reading.durationScale, duration != 0, duration != 0xFFFF {
      event.end = reading.time(ticks - first + Int64(duration) * scale)
    }
    return event
  }

  private static func torn(left bytes: ArraySlice<UInt8>, at offset: Int) -> TraceError {
    let found: String
    if bytes.isEmpty {
      found = "an empty file"
    } else if let length = ProxmarkRecord.length(of: bytes, .version2) {
      found = "a record of \(length) bytes with only \(bytes.count) left in the file"
    } else {
      found = "\(bytes.count) bytes at the end of the file"
    }
    return .badInput(
      BadInput(
        at: .byte(offset), found: found,
        expected: "whole records up to the last byte, each with 8 bytes in front of its data",
        remedy: "save the trace again with `trace save`; a file that was cut has lost its end"))
  }
}
