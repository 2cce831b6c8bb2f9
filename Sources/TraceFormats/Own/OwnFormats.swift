import NFCTrace

extension TraceFormat {
  /// The text and pcapng encodings of Retap.
  static var ownFormats: [TraceFormat] { [retapText, retapPcapng] }

  /// The text encoding; docs/trace-format.md.
  static var retapText: TraceFormat {
    TraceFormat(
      name: "retap", summary: "text trace of Retap, one event a line", suffixes: ["retap"],
      recognise: { sample in
        var start = sample.bytes[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        if start.starts(with: Array("retap ".utf8)) { return .certain }
        // A damaged trace should be told as one, not as an unknown file.
        return sample.name.hasSuffix(".retap") ? .possible : .no
      },
      makeDecoder: { _ in TextTraceDecoder() },
      makeEncoder: { _ in TextTraceEncoder() })
  }

  /// The pcapng encoding, which loses nothing; docs/trace-format.md.
  static var retapPcapng: TraceFormat {
    TraceFormat(
      name: "retap-pcapng",
      summary: "trace of Retap as pcapng: Wireshark opens it, nothing is lost",
      suffixes: ["pcapng"],
      recognise: { PcapngTraceDecoder.recognises($0.bytes[...]) ? .certain : .no },
      makeDecoder: { _ in PcapngTraceDecoder() },
      makeEncoder: { _ in PcapngTraceEncoder() })
  }
}
