import NFCProtocols

extension TraceFormat {
  /// The trace buffer of a Proxmark3 as its client saves it.
  static var proxmark: TraceFormat {
    TraceFormat(
      name: ProxmarkEncoder.formatName,
      summary: "Proxmark3 trace (trace save); written: radio frames only, without field changes",
      suffixes: ["trace"],
      recognise: recogniseProxmark,
      makeDecoder: { ProxmarkDecoder($0) },
      makeEncoder: { _ in ProxmarkEncoder() })
  }

  /// There is no mark: records must fill the file exactly, and parity or CRC should fit.
  private static func recogniseProxmark(_ sample: FileSample) -> Recognition {
    let isNamed = sample.name.hasSuffix(".trace")
    let (records, left) = ProxmarkRecord.all(in: sample.bytes[...], .version2)
    if !records.isEmpty, left == 0 || !sample.isWhole {
      let evidence = ProxmarkEvidence(records)
      let hasEvidence =
        evidence.technology != nil && max(evidence.typeA, evidence.crcB) * 2 >= evidence.frames
        || evidence.felicaSync > 0
      if hasEvidence { return .likely }
      if isNamed { return .likely }
      return sample.isWhole ? .possible : .no
    }
    let older = ProxmarkRecord.all(in: sample.bytes[...], .version1)
    if sample.isWhole, !older.records.isEmpty, older.left == 0 {
      let evidence = ProxmarkEvidence(older.records)
      if evidence.crcA > 0 { return .likely }
      return isNamed ? .possible : .no
    }
    return isNamed && !records.isEmpty ? .possible : .no
  }
}
