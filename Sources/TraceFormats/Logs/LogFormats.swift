import NFCTrace

extension TraceFormat {
  /// Text logs, lists and JSON.
  static var logFormats: [TraceFormat] {
    proxmark3Lists + laboratoryFormats + chipLogs + nciLogs + apduLogs
  }

  /// A format whose text is read line by line.
  static func log<Parser: LogParser>(
    name: String, summary: String, suffixes: [String], role: TraceRole? = nil,
    recognise: @escaping @Sendable (FileSample) -> Recognition,
    makeEncoder: (@Sendable (ExportOptions) -> any TraceEncoder)? = nil,
    makeParser: @escaping @Sendable (ImportOptions) -> Parser
  ) -> TraceFormat {
    TraceFormat(
      name: name, summary: summary, suffixes: suffixes, recognise: recognise,
      makeDecoder: { options in
        let header = TraceHeader(role: options.role ?? role, madeBy: "imported from \(name)")
        return LineTraceDecoder(makeParser(options), header: header)
      },
      makeEncoder: makeEncoder)
  }
}
