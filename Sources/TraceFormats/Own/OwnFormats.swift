extension TraceFormat {
  /// The text and pcapng encodings of Retap.
  static var ownFormats: [TraceFormat] { [] }
}
