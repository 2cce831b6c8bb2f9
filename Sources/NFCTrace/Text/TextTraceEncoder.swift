import NFCProtocols

/// Writes the text encoding of a trace (`.retap`), in its canonical form.
///
/// docs/trace-format.md describes the form. Memory does not grow with the trace.
public struct TextTraceEncoder: TraceEncoder {
  private var writer = EventLineWriter(technology: nil)
  private var buffer = TextBuffer()
  /// The seal of the events written so far.
  public private(set) var seal = TraceSeal()

  /// Column where comments begin behind short lines.
  static let commentColumn = 64

  /// Makes an encoder.
  public init() {}

  /// Writes the header and the lines behind it.
  public mutating func begin(
    _ header: TraceHeader, into output: inout [UInt8]
  ) throws(TraceError) {
    writer = EventLineWriter(technology: header.technology)
    buffer.removeAll()
    try HeaderText.write(header, into: &buffer)
    try buffer.append(commentLines: header.trailingLines)
    output.append(contentsOf: buffer.bytes)
  }

  /// Writes the comment lines in front of an event, and its line.
  public mutating func encode(
    _ event: TraceEvent, into output: inout [UInt8]
  ) throws(TraceError) {
    buffer.removeAll()
    try buffer.append(commentLines: event.leadingLines)
    let start = buffer.bytes.count
    let line = try writer.write(event, into: &buffer)
    seal.add(line: buffer.bytes[line.start...])
    if let comment = event.comment {
      let end = buffer.bytes.count
      let padding = max(1, Self.commentColumn - 1 - (end - start))
      buffer.append(repeating: 0x20, count: padding)
      buffer.append("; ")
      let commentStart = buffer.bytes.count
      buffer.append(comment: comment)
      if buffer.bytes.count == commentStart { buffer.bytes.removeSubrange(end...) }
    }
    buffer.append(ascii: 0x0A)
    output.append(contentsOf: buffer.bytes)
  }

  /// Writes the comment lines behind the last event, and the seal unless the trace is incomplete.
  public mutating func finish(
    _ ending: TraceEnding, into output: inout [UInt8]
  ) throws(TraceError) {
    buffer.removeAll()
    try buffer.append(commentLines: ending.trailingLines)
    if ending.isComplete != false { buffer.append(seal: seal) }
    output.append(contentsOf: buffer.bytes)
  }
}

extension TextBuffer {
  /// Appends comment lines and blank lines.
  mutating func append(commentLines lines: [String]) throws(TraceError) {
    for line in lines {
      for part in line.split(separator: "\n", omittingEmptySubsequences: false) {
        let start = bytes.count
        append(comment: String(part))
        if bytes.count > start, bytes[start] != 0x23 {
          bytes.insert(contentsOf: [0x23, 0x20], at: start)
        }
        guard bytes.count - start <= TraceLimits.commentLength else {
          throw TraceBounds.tooLong("a comment of \(bytes.count - start) bytes")
        }
        append(ascii: 0x0A)
      }
    }
  }

  /// Appends the line that closes a complete trace.
  mutating func append(seal: TraceSeal) {
    append("end events=")
    append(decimal: Int64(seal.events))
    append(" hash=")
    for shift in stride(from: 56, through: 0, by: -8) {
      append(hex: UInt8(truncatingIfNeeded: seal.hash >> UInt64(shift)), lowercase: true)
    }
    append(ascii: 0x0A)
  }
}
