import NFCProtocols
import NFCTrace

/// Reads the snoop blocks of Android's `dumpsys nfc`: base64 of a version, a time and a zlib
/// stream of NCI packets, between BEGIN and END lines; other lines are passed over.
///
/// Layout: AOSP NFC stack, `nfc_logmsg`/`debug_nfcsnoop`. Times are microseconds since 1970.
struct NFCSnoopParser: LogParser {
  static let formatName = "a dumpsys nfc with snoop blocks"
  static let expectation = "a block after \"--- BEGIN:NFCSNOOP_LOG_SUMMARY (n bytes in) ---\""

  /// What one block may inflate to; the ring buffer on the phone has 256 KB.
  static let maximumBlockLength = 16 * 1_048_576
  /// Characters of base64 in one block, for that much incompressible data.
  static let maximumTextLength = 24 * 1_048_576

  private var block: Block?
  private var previous: Int64?

  private struct Block {
    var line: Int
    var name: String
    var declaredLength: Int64?
    var text = Base64Collector()
    var textLength = 0
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    if let title = LogText.rest(after: "--- BEGIN:NFCSNOOP_", in: line.bytes) {
      if let open = block { throw Self.cutOff(open, line) }
      block = Self.block(title, line)
      return
    }
    guard var open = block else { return }
    if LogText.index(of: "--- END:NFCSNOOP_", in: line.bytes) != nil {
      block = nil
      output.hasRecognisedLine = true
      try decode(open, into: &output)
      return
    }
    let text = LogText.trimmed(line.bytes)
    open.textLength += text.count
    guard open.textLength <= Self.maximumTextLength, open.text.append(text) else {
      throw line.fault(
        expected: "base64 up to the line --- END:NFCSNOOP_..",
        remedy: "take the output of dumpsys nfc again, unchanged")
    }
    block = open
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {
    if let open = block { throw Self.cutOff(open, nil) }
  }

  private static func block(_ title: ArraySlice<UInt8>, _ line: LogLine) -> Block {
    let name = title.prefix { !LogText.isBlank($0) && $0 != 0x28 }
    var length = LogText.rest(after: "(", in: title) ?? []
    return Block(
      line: line.number, name: "NFCSNOOP_" + LogText.string(name),
      declaredLength: LogText.takeDecimal(from: &length))
  }

  private static func cutOff(_ block: Block, _ line: LogLine?) -> TraceError {
    .badInput(
      BadInput(
        at: .line(line?.number ?? block.line), found: "block \(block.name) without an end line",
        expected: "--- END:\(block.name) ---", remedy: "take the output of dumpsys nfc again"))
  }

  private static func fault(_ block: Block, found: String, expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .line(block.line), found: "block \(block.name): \(found)", expected: expected,
        remedy: "take the output of dumpsys nfc again, unchanged"))
  }

  private mutating func decode(_ block: Block, into output: inout LogOutput) throws(TraceError) {
    let bytes = block.text.bytes
    guard block.text.isWhole, bytes.count >= 9 else {
      throw Self.fault(
        block, found: "\(bytes.count) bytes", expected: "whole base64 of at least nine bytes")
    }
    guard bytes[0] == 1 else {
      throw Self.fault(block, found: "version \(bytes[0])", expected: "version 1")
    }
    let last = bytes[1..<9].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // Nanoseconds must fit 63 bits: that is until the year 2262.
    guard last <= UInt64(Int64.max) / 1_000 else {
      throw Self.fault(block, found: "time \(last)", expected: "microseconds since 1970")
    }
    let records = try Self.records(block, bytes[9...])
    let deltas = records.reduce(Int64(0)) { $0 + $1.delta }
    guard deltas <= last else {
      throw Self.fault(
        block, found: "a first packet before 1970", expected: "times that add up to the last one")
    }
    var time = Int64(last) - deltas
    for record in records {
      time += record.delta
      emit(record, microseconds: time, block, into: &output)
    }
  }

  private struct Record {
    var delta: Int64
    var isReceived: Bool
    var packet: [UInt8]
  }

  private static func records(
    _ block: Block, _ compressed: ArraySlice<UInt8>
  ) throws(TraceError) -> [Record] {
    var inflater = Inflater(.zlib, limit: maximumBlockLength)
    var plain: [UInt8] = []
    do throws(Inflater.Failure) {
      try inflater.inflate(compressed, into: &plain)
    } catch {
      switch error {
      case .tooLong(let limit):
        throw fault(block, found: "more than \(limit) bytes", expected: "at most 256 KB of packets")
      case .damaged:
        throw fault(block, found: "a damaged zlib stream", expected: "a zlib stream (RFC 1950)")
      }
    }
    guard inflater.isFinished else {
      throw fault(block, found: "a zlib stream that is cut off", expected: "a whole zlib stream")
    }
    if let declared = block.declaredLength, declared != plain.count {
      throw fault(block, found: "\(plain.count) bytes", expected: "\(declared) bytes as stated")
    }
    var records: [Record] = []
    var rest = plain[...]
    while !rest.isEmpty {
      let start = rest.startIndex
      guard rest.count >= 7, rest.count >= 7 + Int(rest[start]) + Int(rest[start + 1]) << 8 else {
        throw fault(
          block, found: "a record that goes beyond the end, at byte \(start)",
          expected: "length (2), time (4), direction (1), packet")
      }
      let length = Int(rest[start]) + Int(rest[start + 1]) << 8
      let delta = rest[start + 2..<start + 6].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      records.append(
        Record(
          delta: delta, isReceived: rest[start + 6] != 0,
          packet: Array(rest[start + 7..<start + 7 + length])))
      rest = rest[(start + 7 + length)...]
    }
    return records
  }

  private func emit(
    _ record: Record, microseconds: Int64, _ block: Block, into output: inout LogOutput
  ) {
    if !output.isHeaderFinal {
      output.header.clock = TraceClock(tickUnit: "us", origin: "1970-01-01T00:00:00Z")
    }
    // The recorder fills gaps that its 32-bit differences cannot span with a packet of its own.
    let isFiller = record.isReceived && record.packet.starts(with: [0x6F, 0x0C, 0x02, 0x08])
    output.append(
      TraceEvent(
        start: .microseconds(microseconds),
        .link(
          LinkTransfer(
            record.isReceived ? .inbound : .outbound, record.packet, transport: .unspecified,
            payload: .nci)),
        sourceTicks: SourceTicks(start: microseconds),
        comment: isFiller ? "written by the recorder to span a gap" : nil))
  }
}
