import NFCTrace
import ProtocolTesting
import Testing
import TraceFormats

/// What the lint says of public captures: nothing, but for faults that were looked at one by one.
@Suite(
  .enabled(if: SharedFolder.isExpected, "needs the folder 'shared' beside the checkout"))
struct LintCorpusTests {
  /// Files with findings, as `event rule`; all other files of these folders have none.
  private static let known: [(path: String, findings: [String])] = [
    // A simulated GET_VERSION answer of ten zero bytes, and one ATQA 128 periods too early.
    ("hf_14a_mfu-sim", ["25 crc", "103 frame-delay", "126 crc", "224 crc"]),
    // An old reader trace, whose ATQA was stored without its parity.
    ("hf_14a_reader_4b_rats.trace", ["2 parity"]),
    // Records that overlap, and an ATTRIB with one byte too few in front of its CRC.
    ("hf_14b_cryptorf_select", ["2 time-order", "7 crc", "9 time-order", "11 time-order"]),
    // A block with the CRC of HLTA inside it.
    ("hf_mfdes_sniff", ["32 crc"]),
  ]

  @Test func `findings in public captures are true ones`() throws {
    let folders = ["pm3-trace/hf_", "pcapng/", "nfc-laboratory/", "usb/"]
    var count = 0
    for row in try SharedFolder.manifest() {
      guard let path = row["path"], folders.contains(where: { path.hasPrefix($0) }) else {
        continue
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let bytes = try SharedFolder.bytes("corpus/" + path)
      let expected = Self.known.first { name.hasPrefix($0.path) }?.findings ?? []
      #expect(try Self.findings(bytes, name: name) == expected, "\(path)")
      count += 1
    }
    #expect(count > 30)
  }

  private static func findings(_ bytes: [UInt8], name: String) throws -> [String] {
    let sample = FileSample(
      bytes: Array(bytes.prefix(TraceFormat.sampleLength)),
      isWhole: bytes.count <= TraceFormat.sampleLength, name: name, fileSize: bytes.count)
    let format = try #require(
      TraceFormat.all.filter { $0.makeDecoder != nil }
        .max { $0.recognise(sample) < $1.recognise(sample) })
    let makeDecoder = try #require(format.makeDecoder)
    var decoder = makeDecoder(ImportOptions())
    var batch = TraceBatch()
    try decoder.decode(bytes[...], into: &batch)
    try decoder.finish(into: &batch)
    var lint = ProtocolLint(header: batch.header ?? TraceHeader())
    var findings: [LintFinding] = []
    for event in batch.events { lint.check(event, into: &findings) }
    lint.finish(into: &findings)
    return findings.map { "\($0.eventNumber) \($0.rule.rawValue)" }
  }
}
