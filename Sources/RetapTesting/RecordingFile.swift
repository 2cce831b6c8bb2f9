import HostIO
import NFCTrace
import TraceFormats

/// A recording of any known format, read whole.
struct RecordingFile: Sendable {
  var path: String
  var header: TraceHeader
  var events: [TraceEvent]

  /// The longest file that a test may replay, in bytes; longer ones belong into `retap test`.
  static let maximumLength = 64 << 20

  /// Reads the file `path`, looked for in the current folder and above the test's own file.
  static func read(_ path: String, near testFile: String) throws(TapError) -> RecordingFile {
    let found = try locate(path, near: testFile)
    let bytes: [UInt8]
    do {
      guard let content = try InputFile.readAll(path: found, limit: maximumLength) else {
        throw TapError.unreadable(found, reason: "longer than \(maximumLength >> 20) MiB")
      }
      bytes = content
    } catch let error as TapError {
      throw error
    } catch {
      throw .unreadable(found, reason: "\(error)")
    }
    do throws(TraceError) {
      return try decode(bytes, path: found)
    } catch {
      throw .badTrace(found, error)
    }
  }

  private static func decode(
    _ bytes: [UInt8], path: String
  ) throws(TraceError) -> RecordingFile {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let sample = FileSample(
      bytes: Array(bytes.prefix(TraceFormat.sampleLength)),
      isWhole: bytes.count <= TraceFormat.sampleLength, name: name, fileSize: bytes.count)
    let ranked = TraceFormat.all.filter { $0.makeDecoder != nil }
      .map { (format: $0, recognition: $0.recognise(sample)) }
      .max { $0.recognition < $1.recognition }
    guard let ranked, ranked.recognition > .no, let makeDecoder = ranked.format.makeDecoder else {
      throw .badInput(
        BadInput(
          at: .byte(0), found: "an unknown format", expected: "a trace",
          remedy: "see retap info --formats"))
    }
    var decoder = makeDecoder(ImportOptions())
    var batch = TraceBatch()
    try decoder.decode(bytes[...], into: &batch)
    try decoder.finish(into: &batch)
    return RecordingFile(
      path: path, header: batch.header ?? TraceHeader(), events: batch.events)
  }

  private static func locate(_ path: String, near testFile: String) throws(TapError) -> String {
    if path.hasPrefix("/") { return path }
    var places = ["."]
    var folder = testFile.split(separator: "/").dropLast()
    while !folder.isEmpty {
      places.append("/" + folder.joined(separator: "/"))
      folder = folder.dropLast()
    }
    for place in places {
      let candidate = place == "." ? path : "\(place)/\(path)"
      if let file = try? InputFile(path: candidate), file.size != nil { return candidate }
    }
    throw .fileNotFound(path, lookedIn: places.dropLast())
  }
}
