import NFCTrace

/// Cuts a byte stream into lines, however the stream is cut into chunks.
///
/// A line ends with LF; a CR before it is dropped (logs saved on Windows). A byte order mark in
/// front of the first line and terminal colour codes anywhere are dropped too, since logs are
/// often pasted from a terminal. The last line may lack its LF.
struct LineSplitter {
  /// The longest line in bytes: far above any line of a known log (a 65,536-byte APDU in hex).
  static let maximumLineLength = 1_048_576

  private var partial: [UInt8] = []
  private var count = 0

  /// The next whole line, taking it off the front of `chunk`; `nil` once `chunk` is used up.
  mutating func next(from chunk: inout ArraySlice<UInt8>) throws(TraceError) -> LogLine? {
    guard let end = chunk.firstIndex(of: 0x0A) else {
      try checkLength(partial.count + chunk.count)
      partial.append(contentsOf: chunk)
      chunk = []
      return nil
    }
    let piece = chunk[chunk.startIndex..<end]
    chunk = chunk[chunk.index(after: end)...]
    try checkLength(partial.count + piece.count)
    guard !partial.isEmpty else { return line(of: piece) }
    var whole = partial
    whole.append(contentsOf: piece)
    partial.removeAll(keepingCapacity: true)
    return line(of: whole[...])
  }

  /// The last line, if the input did not end with LF.
  mutating func last() -> LogLine? {
    guard !partial.isEmpty else { return nil }
    let whole = partial
    partial = []
    return line(of: whole[...])
  }

  private mutating func line(of bytes: ArraySlice<UInt8>) -> LogLine {
    count += 1
    var content = bytes
    if content.last == 0x0D { content = content.dropLast() }
    if count == 1, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
    if content.contains(0x1B) { content = Self.withoutEscapes(content)[...] }
    return LogLine(number: count, bytes: content)
  }

  private func checkLength(_ length: Int) throws(TraceError) {
    guard length > Self.maximumLineLength else { return }
    throw .badInput(
      BadInput(
        at: .line(count + 1), found: "a line of more than \(Self.maximumLineLength) bytes",
        expected: "a text log", remedy: "check that this is a text file"))
  }

  /// The bytes without terminal control sequences: ESC [ … letter (ECMA-48, 5.4).
  private static func withoutEscapes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard bytes[index] == 0x1B else {
        result.append(bytes[index])
        index += 1
        continue
      }
      index += 1
      guard index < bytes.endIndex, bytes[index] == 0x5B else { continue }
      index += 1
      while index < bytes.endIndex, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
      if index < bytes.endIndex { index += 1 }
    }
    return result
  }
}

/// One line of a text, without its end.
struct LogLine {
  /// The number of the line, from 1.
  var number: Int
  /// The bytes of the line; they need not be UTF-8.
  var bytes: ArraySlice<UInt8>

  /// A complaint about this line; `found` is the line itself unless told otherwise.
  func fault(found: String? = nil, expected: String, remedy: String) -> TraceError {
    .badInput(
      BadInput(
        at: .line(number), found: found ?? "\"\(LogText.excerpt(bytes))\"", expected: expected,
        remedy: remedy))
  }
}
