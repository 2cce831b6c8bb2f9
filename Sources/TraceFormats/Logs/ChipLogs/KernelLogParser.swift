import NFCProtocols
import NFCTrace

/// Reads dynamic debug lines of the Linux drivers pn533 and port100:
/// `[   12.345678] PN533 TX: 00 00 ff 02 ..`, 16 bytes a line, the same mark on every line.
struct KernelLogParser: LogParser {
  static let formatName = "a kernel log with pn533 debug lines (dyndbg=+p)"
  static let expectation = "lines like \"[   12.345678] PN533 TX: 00 00 ff 02 fe d4 02 2a 00\""

  /// Bytes on a full line (`print_hex_dump_debug` with a row size of 16).
  static let rowLength = 16

  /// Bytes that a line may hold: other row sizes than 16 are not known, but cost nothing.
  static let maximumRowLength = 4_096

  private var clock = LogClock()
  private var pending: Pending?

  private struct Pending {
    var line: Int
    var direction: Direction
    var stamp: LogTimestamp?
    var bytes: [UInt8]
    var lastRowLength: Int
    var isLittleEndian: Bool
  }

  /// One line of a dump.
  struct Row {
    var direction: Direction
    var stamp: LogTimestamp?
    var hex: ArraySlice<UInt8>
    /// Port100 (RC-S380) counts the length of a frame in little endian.
    var isLittleEndian: Bool
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    guard let row = Self.row(line.bytes) else { return }
    guard let bytes = Hexadecimal.bytes(of: row.hex), !bytes.isEmpty,
      bytes.count <= Self.maximumRowLength
    else {
      throw line.fault(
        expected: "hexadecimal pairs after TX: or RX:", remedy: "cut the log at a whole line")
    }
    output.hasRecognisedLine = true
    if var frame = pending {
      let goesOn =
        frame.direction == row.direction && frame.lastRowLength == Self.rowLength
        && Self.missingLength(frame.bytes, frame.isLittleEndian) != 0
      if goesOn {
        frame.bytes += bytes
        frame.lastRowLength = bytes.count
        pending = frame
        flushIfWhole(into: &output)
        return
      }
      flush(into: &output)
    }
    pending = Pending(
      line: line.number, direction: row.direction, stamp: row.stamp, bytes: bytes,
      lastRowLength: bytes.count, isLittleEndian: row.isLittleEndian)
    flushIfWhole(into: &output)
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) { flush(into: &output) }

  /// Takes a line apart; the mark may stand behind host and process names.
  static func row(_ line: ArraySlice<UInt8>) -> Row? {
    let marks: [(StaticString, Direction, Bool)] = [
      ("PN533 TX: ", .outbound, false), ("PN533 RX: ", .inbound, false),
      ("PORT100 TX: ", .outbound, true), ("PORT100 RX: ", .inbound, true),
    ]
    for (mark, direction, isLittleEndian) in marks {
      guard let start = LogText.index(of: mark, in: line) else { continue }
      let hex = LogText.trimmed(line[(start + mark.utf8CodeUnitCount)...])
      return Row(
        direction: direction, stamp: stamp(line[..<start]), hex: hex,
        isLittleEndian: isLittleEndian)
    }
    return nil
  }

  /// The kernel's own time (`[   12.345678]`) if there is one, else the time of the system log.
  private static func stamp(_ prefix: ArraySlice<UInt8>) -> LogTimestamp? {
    if let bracket = prefix.lastIndex(of: 0x5B) {
      var text = prefix[bracket...]
      if let stamp = LogTimestamp.take(from: &text) { return stamp }
    }
    var text = prefix
    return LogTimestamp.take(from: &text)
  }

  /// How many bytes the frame lacks by its own length field.
  ///
  /// It is 0 if the frame is whole, `nil` if the bytes are no PN53x frame, and the fewest that can
  /// be missing while the length itself is.
  static func missingLength(_ bytes: [UInt8], _ isLittleEndian: Bool) -> Int? {
    // Preamble and start code, then LEN, LCS; 00 FF is an ACK, FF 00 a NACK, FF FF an extended
    // frame with LENM, LENL, LCS (PN532 user manual, 6.2.1).
    guard bytes.count >= 5 else { return 5 - bytes.count }
    guard bytes[0] == 0x00, bytes[1] == 0x00, bytes[2] == 0xFF else { return nil }
    let total: Int
    switch (bytes[3], bytes[4]) {
    case (0x00, 0xFF), (0xFF, 0x00): total = 6
    case (0xFF, 0xFF):
      guard bytes.count >= 8 else { return 8 - bytes.count }
      let length =
        isLittleEndian
        ? Int(bytes[6]) << 8 | Int(bytes[5]) : Int(bytes[5]) << 8 | Int(bytes[6])
      total = length + 10
    default: total = Int(bytes[3]) + 7
    }
    return max(0, total - bytes.count)
  }

  private mutating func flushIfWhole(into output: inout LogOutput) {
    guard let frame = pending,
      frame.lastRowLength < Self.rowLength
        || Self.missingLength(frame.bytes, frame.isLittleEndian) == 0
    else { return }
    flush(into: &output)
  }

  private mutating func flush(into output: inout LogOutput) {
    guard let frame = pending else { return }
    pending = nil
    let missing = Self.missingLength(frame.bytes, frame.isLittleEndian) ?? 0
    if missing > 0 {
      output.warn(line: frame.line, "the frame lacks \(missing) bytes by its own length")
    }
    let time = clock.time(of: frame.stamp)
    if !output.isHeaderFinal { output.header.clock = LogClock.description(first: frame.stamp) }
    output.append(
      TraceEvent(
        start: time.start,
        .link(
          LinkTransfer(
            frame.direction, frame.bytes, transport: .unspecified,
            originalLength: missing > 0 ? frame.bytes.count + missing : nil)),
        isTimeUnknown: time.isUnknown))
  }
}
