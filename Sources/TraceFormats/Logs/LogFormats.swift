extension TraceFormat {
  /// Text logs, lists and JSON.
  static var logFormats: [TraceFormat] { [] }
}
