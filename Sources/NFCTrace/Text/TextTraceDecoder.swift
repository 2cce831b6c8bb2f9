import NFCProtocols

/// Reads the text encoding of a trace (`.retap`).
///
/// It keeps one unfinished line and the comment lines in front of the next event.
public struct TextTraceDecoder: TraceDecoder {
  private var lines = TraceLineReader()
  /// The part of a line whose end has not come yet.
  private var unfinished: [UInt8] = []
  private var lineNumber = 0

  /// Makes a decoder.
  public init() {}

  /// Takes the next piece of the text.
  public mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    var start = chunk.startIndex
    while let end = chunk[start...].firstIndex(of: 0x0A) {
      lineNumber += 1
      if unfinished.isEmpty {
        try lines.take(chunk[start..<end], at: .line(lineNumber), into: &batch)
      } else {
        unfinished.append(contentsOf: chunk[start..<end])
        try lines.take(unfinished[...], at: .line(lineNumber), into: &batch)
        unfinished.removeAll(keepingCapacity: true)
      }
      start = end + 1
    }
    unfinished.append(contentsOf: chunk[start...])
    guard unfinished.count <= TraceLimits.lineLength else {
      throw TraceLineReader.lineTooLong(at: .line(lineNumber + 1))
    }
  }

  /// Takes the end of the text; a last line that is torn off is passed over with a warning.
  public mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    var isTorn = false
    if !unfinished.isEmpty {
      let place = BadInput.Place.line(lineNumber + 1)
      var attempt = lines
      do throws(TraceError) {
        // Without its line feed a bare `end` may be the beginning of a seal.
        guard !unfinished[...].trimmingBlanks().isWord("end") else {
          throw .badInput(BadInput(at: place, found: "`end`", expected: "", remedy: ""))
        }
        try attempt.take(unfinished[...], at: place, into: &batch)
        lines = attempt
      } catch {
        guard case .badInput = error, lines.hasBegun,
          !unfinished.contains(where: { TraceLineReader.isForbidden($0) })
        else { throw error }
        batch.warnings.append(
          TraceWarning(
            at: place, "the last line is torn off and was passed over: the recording was cut"))
        isTorn = true
      }
    }
    try lines.finish(isTorn: isTorn, at: .line(lineNumber + 1), into: &batch)
  }
}
