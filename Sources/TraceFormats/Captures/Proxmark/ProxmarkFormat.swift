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
    if bearsForeignMark(sample.bytes[...]) { return .no }
    let (records, left) = ProxmarkRecord.all(in: sample.bytes[...], .version2)
    if !records.isEmpty, left == 0 || !sample.isWhole {
      if ProxmarkEvidence(records).isStrong || isNamed { return .likely }
      return sample.isWhole ? .possible : .no
    }
    let older = ProxmarkRecord.all(in: sample.bytes[...], .version1)
    if sample.isWhole, !older.records.isEmpty, older.left == 0 {
      if ProxmarkEvidence(older.records).isStrong { return .likely }
      return isNamed ? .possible : .no
    }
    return isNamed && !records.isEmpty ? .possible : .no
  }

  /// Files of other kinds can by chance be divided into records as well.
  private static func bearsForeignMark(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 4 else { return false }
    if ClassicCaptureReader.magic(bytes) != nil { return true }
    if RecordFields(bytes).u32(0) == SectionReader.sectionHeader { return true }
    // gzip, zip, and text without a single control character.
    if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x50, 0x4B]) { return true }
    return bytes.prefix(64).allSatisfy { $0 >= 0x20 && $0 < 0x7F || (0x09...0x0D).contains($0) }
  }
}
