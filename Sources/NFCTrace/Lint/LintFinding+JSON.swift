public import NFCProtocols

extension LintFinding {
  /// Writes the finding as one JSON object on one line.
  ///
  /// Its members: `file`, `event`, `time_ns`, `rule`, `message`, `source`.
  public func write(file: String, into json: inout JSONLineWriter) {
    json.beginObject()
    json.member("file", file)
    json.member("event", eventNumber)
    json.member("time_ns", time?.count)
    json.member("rule", rule.rawValue)
    json.member("message", message)
    json.member("source", source)
    json.endObject()
    json.endLine()
  }
}
