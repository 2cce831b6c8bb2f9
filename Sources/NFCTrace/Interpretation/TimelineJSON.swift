public import NFCProtocols

/// Writes the timeline of a trace for programs: one JSON object a line for each entry.
///
/// Members, absent where nothing is known: `event` (from 1), `time_ns`, `end_ns`, `layer` (`link`,
/// `radio`, `field`, `apdu`, `ndef`, `application`), `from` (`reader`, `card`, `host`, `chip`),
/// `lifted`, `hex`, `bits` (of the last byte), `technology`, `kbit_s`, `crc`, `on` (field),
/// `meaning`, `fault`, `comment`.
public struct TimelineJSON: Sendable {
  /// Which layers are written.
  public var layers: Layer

  /// Makes a writer.
  public init(layers: Layer = .all) { self.layers = layers }

  /// Appends the lines of one event.
  ///
  /// - Parameters:
  ///   - index: Which of the events it is that were interpreted together, from 0.
  ///   - number: The number of the event in the trace, from 1.
  public func write(
    _ event: TraceEvent, _ interpretation: Interpretation, at index: Int = 0, number: Int,
    to json: inout JSONLineWriter
  ) {
    let range = interpretation.entries(ofEvent: index)
    for entry in interpretation.entries[range] where layers.contains(entry.layer) {
      json.beginObject()
      json.member("event", number)
      if !event.isTimeUnknown {
        json.member("time_ns", event.start.count)
        if let end = event.end { json.member("end_ns", end.count) }
      }
      json.member("layer", entry.fieldIsOn == nil ? entry.layer.name : "field")
      if let isOn = entry.fieldIsOn { json.member("on", isOn) }
      if let sender = Self.sender(entry) { json.member("from", sender) }
      if entry.isLifted { json.member("lifted", true) }
      if entry.source != .none {
        json.member("hex", hex: Array(interpretation.bytes(of: entry, in: event)))
      }
      if entry.source == .event, case .radio(_, let frame) = event.content {
        writeFacts(frame, to: &json)
      }
      json.member("meaning", interpretation.text(of: entry))
      if entry.isFault { json.member("fault", true) }
      if !entry.isLifted, let comment = event.comment { json.member("comment", comment) }
      json.endObject()
      json.endLine()
    }
  }

  private func writeFacts(_ frame: RadioFrame, to json: inout JSONLineWriter) {
    if frame.lastByteBits < 8 { json.member("bits", Int(frame.lastByteBits)) }
    if let technology = frame.technology { json.member("technology", technology.name) }
    if let rate = frame.kilobitsPerSecond { json.member("kbit_s", Int(rate)) }
    switch frame.crc {
    case .good?: json.member("crc", "good")
    case .bad?: json.member("crc", "bad")
    case .notCaptured?: json.member("crc", "not captured")
    case .absent?, nil: break
    }
  }

  private static func sender(_ entry: Interpretation.Entry) -> String? {
    switch (entry.layer, entry.direction) {
    case (.link, .outbound?): "host"
    case (.link, .inbound?): "chip"
    case (_, .outbound?): "reader"
    case (_, .inbound?): "card"
    case (_, nil): nil
    }
  }
}
