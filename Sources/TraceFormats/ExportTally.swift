import NFCTrace

/// Counts what a writer of a format has written, left out and changed.
struct ExportTally {
  /// Events that were written.
  var written = 0
  /// Events that the format has no place for.
  var leftOut = 0
  /// Frames whose check value was computed.
  var computedCRCs = 0

  /// Refuses a file without any event where the trace has some.
  func requireContent(format: String) throws(TraceError) {
    guard written == 0, leftOut > 0 else { return }
    throw .cannotExpress(
      what: "a trace that holds nothing of what this format holds", format: format,
      remedy: "convert to .retap or .pcapng, which hold all events")
  }

  /// What the reader of the file should know.
  var remarks: [String] {
    var remarks: [String] = []
    if computedCRCs > 0 {
      remarks.append("the CRC of \(computedCRCs) frames was not captured and has been computed")
    }
    if leftOut > 0 {
      remarks.append("\(leftOut) events that the format has no place for were left out")
    }
    return remarks
  }
}
