import NFCTrace

/// Looks at the first lines of a file for the marks of a text format.
enum LogRecognition {
  /// Lines that are looked at; logs may begin with many lines of others.
  static let maximumLines = 2_000

  /// Calls `verdict` for every line of the sample until it gives `.certain`; the best verdict wins.
  ///
  /// The last line is left out if the sample does not hold the whole file, since it is torn.
  static func best(
    of sample: FileSample, _ verdict: (ArraySlice<UInt8>) -> Recognition
  ) -> Recognition {
    var splitter = LineSplitter()
    var rest = sample.bytes[...]
    var best = Recognition.no
    for _ in 0..<maximumLines {
      var found: LogLine?
      do {
        found = try splitter.next(from: &rest)
      } catch {
        return best
      }
      if found == nil, sample.isWhole { found = splitter.last() }
      guard let line = found else { return best }
      best = max(best, verdict(line.bytes))
      if best == .certain { return best }
    }
    return best
  }

  /// True if the name ends in one of the endings, in whatever case.
  static func hasSuffix(_ sample: FileSample, _ suffixes: [String]) -> Bool {
    let name = sample.name.lowercased()
    return suffixes.contains { name.hasSuffix("." + $0) }
  }
}
