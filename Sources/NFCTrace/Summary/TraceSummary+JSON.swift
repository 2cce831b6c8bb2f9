public import NFCProtocols

extension TraceSummary {
  /// Writes the summary as one JSON object on one line.
  ///
  /// Its members: `file`, `format`, `version`, `complete`, `role`, `made_by`, `events`, `frames`
  /// (`reader`, `card`, `host`, `chip`), `technologies`, `frames_by_technology`, `duration_ns`,
  /// `longest_gap_ns`, `out_of_order`, `time_unknown`, `field_changes`, `bad_crc`, `warnings`.
  public func write(
    file: String?, format: String, header: TraceHeader?, ending: TraceEnding?, warnings: Int,
    into json: inout JSONLineWriter
  ) {
    json.beginObject()
    json.member("file", file)
    json.member("format", format)
    json.member("version", header.map { Int64($0.version.number) })
    json.member("complete", ending?.isComplete)
    json.member("role", header?.role?.rawValue)
    json.member("made_by", header?.madeBy)
    json.member("events", events)
    json.beginObject("frames")
    json.member("reader", readerFrames)
    json.member("card", cardFrames)
    json.member("host", hostFrames)
    json.member("chip", chipFrames)
    json.endObject()
    json.beginList("technologies")
    for technology in technologies { json.element(technology.name) }
    json.endList()
    json.beginObject("frames_by_technology")
    for technology in Technology.allCases where frames(of: technology) > 0 {
      json.member(technology.name, frames(of: technology))
    }
    json.endObject()
    json.member("duration_ns", duration.count)
    json.member("longest_gap_ns", longestGap?.duration.count)
    json.member("out_of_order", outOfOrder)
    json.member("time_unknown", timeUnknown)
    json.member("field_changes", fieldChanges)
    json.member("bad_crc", badCRCs)
    json.member("warnings", warnings)
    json.endObject()
    json.endLine()
  }
}

extension Technology {
  /// The letter as a text.
  var name: String { String(UnicodeScalar(letter)) }
}
