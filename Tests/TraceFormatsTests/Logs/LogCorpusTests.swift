import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// The text logs of the corpus: frames by digest, counts by the `expected` column.
@Suite(.enabled(if: SharedFolder.isExpected, "no shared folder beside this checkout"))
struct LogCorpusTests {
  /// The rows of the manifest that the log formats read, and the format of each.
  static let rows: [(start: String, format: String)] = [
    ("apdu-log/", "apdu4j"),
    ("generated/apduplay_style.txt", "apduplay"),
    ("generated/kernel_pn533_dyndbg.log", "pn533-dyndbg"),
    ("generated/nfcsnoop_", "nfcsnoop"),
    ("generated/nxp_", "nci-log"),
    ("generated/pm3_list_hf", "pm3-list"),
    ("generated/pm3_list_x.txt", "pm3-list-x"),
    ("libnfc-log/chameleon_", "libnfc-output"),
    ("libnfc-log/libnfc_", "libnfc-log"),
    ("nci/", "nci-log"),
    ("nfc-laboratory/", "nfc-laboratory"),
    ("nfcpy-log/", "nfcpy-log"),
  ]

  /// A file of the corpus.
  struct Sample: CustomTestStringConvertible, Sendable {
    var path: String
    var format: String
    var expected: [String: String]
    var digest: String
    var testDescription: String { path }
  }

  static func samples() throws -> [Sample] {
    return try SharedFolder.manifest().compactMap { row in
      guard let path = row["path"], let digest = row["frames_sha256"],
        let match = rows.first(where: { path.hasPrefix($0.start) })
      else { return nil }
      var expected: [String: String] = [:]
      for part in (row["expected"] ?? "").split(whereSeparator: { " ,;".contains($0) }) {
        let sides = part.split(separator: "=")
        if sides.count == 2 { expected[String(sides[0])] = String(sides[1]) }
      }
      return Sample(path: path, format: match.format, expected: expected, digest: digest)
    }
  }

  @Test("The corpus has the log files that these tests are written for")
  func corpusIsWhole() throws { #expect(try Self.samples().count == 32) }

  @Test("Every log is recognised by its content alone, as its own format")
  func recognition() throws {
    for sample in try Self.samples() {
      let bytes = try SharedFolder.bytes("corpus/" + sample.path)
      let file = FileSample(
        bytes: Array(bytes.prefix(TraceFormat.sampleLength)),
        isWhole: bytes.count <= TraceFormat.sampleLength)
      let best = TraceFormat.all.map { $0.recognise(file) }.max()
      let winners = TraceFormat.all.filter { $0.recognise(file) == best }
      #expect(winners.map(\.name) == [sample.format], "\(sample.path)")
      #expect(best ?? .no >= .likely, "\(sample.path)")
    }
  }

  @Test("Every log gives the frames of the manifest, whole, byte by byte and split anywhere")
  func frames() throws {
    for sample in try Self.samples() {
      let bytes = try SharedFolder.bytes("corpus/" + sample.path)
      let whole = try decode([bytes[...]], as: sample.format)
      #expect(
        SHA256Digest.hexadecimal(of: frameLines(whole.events).bytes) == sample.digest,
        "\(sample.path)")
      for cut in SplitVerifier.cuts(of: bytes, maximumSplits: 10) {
        #expect(try decode(cut, as: sample.format) == whole, "\(sample.path)")
      }
    }
  }

  @Test("Every log has the counts of the manifest")
  func expectedCounts() throws {
    for sample in try Self.samples() {
      let bytes = try SharedFolder.bytes("corpus/" + sample.path)
      let trace = try decode([bytes[...]], as: sample.format)
      let lines = frameLines(trace.events).string.split(separator: "\n")
      for letter in ["R", "T", "H", "C"] {
        let count = lines.filter { $0.hasPrefix(letter + " ") }.count
        #expect(String(count) == sample.expected[letter] ?? "0", "\(sample.path) \(letter)")
      }
      if let acks = sample.expected["acks"] {
        let count = lines.filter { $0.hasSuffix(" ack") }.count
        #expect(String(count) == acks, "\(sample.path)")
      }
      if let count = sample.expected["lines"] {
        #expect(String(trace.events.count) == count, "\(sample.path)")
      }
      if let timed = sample.expected["timed"] {
        let count = trace.events.filter { !$0.isTimeUnknown }.count
        #expect(String(count) == timed, "\(sample.path)")
      }
      try checkTechnologies(trace, sample)
      checkBlocks(trace, sample)
    }
  }

  private func checkTechnologies(_ trace: DecodedTrace, _ sample: Sample) throws {
    guard sample.format == "nfc-laboratory" else { return }
    for technology in Technology.allCases {
      let letter = String(UnicodeScalar(technology.letter))
      let count = trace.events.filter { event in
        guard case .radio(_, let frame) = event.content else { return false }
        return frame.technology == technology
      }.count
      #expect(String(count) == sample.expected[letter] ?? "0", "\(sample.path) \(letter)")
    }
  }

  /// `LOG_SUMMARY=8,first_us=..,last_us=..`: with two blocks, the first and the last event.
  private func checkBlocks(_ trace: DecodedTrace, _ sample: Sample) {
    guard sample.format == "nfcsnoop" else { return }
    let counts = ["LOG_SUMMARY", "VS_LOG_SUMMARY"].compactMap { sample.expected[$0] }
      .compactMap { Int($0) }
    #expect(counts.reduce(0, +) == trace.events.count)
    #expect(trace.events.last?.start.count == 1_732_960_000_123_456_000)
    let firsts = counts.count == 2 ? [0, counts[0]] : [0]
    let starts = firsts.map { trace.events[$0].start.count / 1_000 }
    #expect(starts.suffix(1) == [1_732_959_999_394_456])
    if counts.count == 2 {
      #expect(starts[0] == 1_732_959_999_843_056)
      #expect(trace.events[counts[0]].isOutOfOrder)
    }
  }

  @Test("Logs of real clients beside the corpus are read without a complaint")
  func fieldLogs() throws {
    let trace = try decode(
      [SharedFolder.bytes("corpus/libnfc-log/libnfc_uart_nfc-list.log")[...]], as: "libnfc-log")
    #expect(trace.warnings.isEmpty)
    #expect(trace.events.allSatisfy { $0.isTimeUnknown })
  }
}

/// A format by name.
func format(_ name: String) throws -> TraceFormat {
  try #require(TraceFormat.all.first { $0.name == name })
}

/// What the decoder of a format makes of pieces.
func decode(
  _ pieces: [ArraySlice<UInt8>], as name: String, _ options: ImportOptions = ImportOptions()
) throws -> DecodedTrace {
  let makeDecoder = try #require(format(name).makeDecoder)
  return try DecodedTrace.decode(pieces, with: makeDecoder(options))
}

/// What the decoder of a format makes of a text.
func decode(
  _ text: String, as name: String, _ options: ImportOptions = ImportOptions()
) throws -> DecodedTrace {
  try decode([Array(text.utf8)[...]], as: name, options)
}

/// The lines that `retap frames` prints.
func frameLines(_ events: [TraceEvent]) -> TextBuffer {
  var buffer = TextBuffer()
  var lister = FrameLister()
  for event in events { lister.append(event, to: &buffer) }
  return buffer
}
