extension TraceFormat {
  /// nfc-laboratory's JSON and its packed form.
  static var laboratoryFormats: [TraceFormat] {
    [
      TraceFormat(
        name: "nfc-laboratory", summary: "nfc-laboratory JSON (A, B, F, V)", suffixes: ["json"],
        recognise: recogniseLaboratoryJSON, makeDecoder: { LaboratoryDecoder($0) },
        makeEncoder: { _ in LaboratoryEncoder() }),
      TraceFormat(
        name: "nfc-laboratory-trz", summary: "nfc-laboratory recording (tar.gz)",
        suffixes: ["trz"], recognise: LaboratoryArchiveDecoder.recognise,
        makeDecoder: { LaboratoryArchiveDecoder($0) }),
    ]
  }

  private static func recogniseLaboratoryJSON(_ sample: FileSample) -> Recognition {
    var bytes = sample.bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop { LogText.isBlank($0) || $0 == 0x0A || $0 == 0x0D }
    guard bytes.first == 0x7B, LogText.index(of: "\"frames\"", in: bytes) != nil else {
      return .no
    }
    return LogText.index(of: "\"techType\"", in: bytes) != nil ? .certain : .likely
  }
}
