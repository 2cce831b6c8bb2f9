import NFCProtocols
import NFCTrace
import ProtocolTesting

@testable import TraceFormats

/// Decoding as a user does it: the format is found by content, then the bytes are read.
enum CaptureDecoding {
  /// The format that wins for a file, by content and name.
  static func format(of bytes: [UInt8], name: String = "") -> TraceFormat? {
    let sample = FileSample(
      bytes: Array(bytes.prefix(TraceFormat.sampleLength)),
      isWhole: bytes.count <= TraceFormat.sampleLength, name: name, fileSize: bytes.count)
    var best: TraceFormat?
    var strongest = Recognition.no
    for format in TraceFormat.all {
      let found = format.recognise(sample)
      if found > strongest {
        strongest = found
        best = format
      }
    }
    return best
  }

  /// All that a named format makes of the bytes.
  static func decode(
    _ bytes: [UInt8], as format: TraceFormat, _ options: ImportOptions = ImportOptions()
  ) throws(TraceError) -> DecodedTrace {
    guard let decoder = format.makeDecoder?(options) else { return DecodedTrace() }
    return try DecodedTrace.decode(bytes, with: decoder)
  }

  /// The lines of `retap frames`.
  static func frameLines(_ events: [TraceEvent]) -> [UInt8] {
    var lister = FrameLister()
    var buffer = TextBuffer()
    for event in events { lister.append(event, to: &buffer) }
    return buffer.bytes
  }

  /// All that an exporter writes for events.
  static func encode(
    _ trace: DecodedTrace, with encoder: any TraceEncoder
  ) throws(TraceError) -> [UInt8] {
    var encoder = encoder
    var output: [UInt8] = []
    try encoder.begin(trace.header ?? TraceHeader(), into: &output)
    for event in trace.events { try encoder.encode(event, into: &output) }
    try encoder.finish(TraceEnding(isComplete: true), into: &output)
    return output
  }
}

extension TraceEvent {
  /// The frame of a radio event.
  var radioFrame: RadioFrame? {
    guard case .radio(_, let frame) = content else { return nil }
    return frame
  }

  /// The transfer of a link event.
  var transfer: LinkTransfer? {
    guard case .link(let transfer) = content else { return nil }
    return transfer
  }
}
