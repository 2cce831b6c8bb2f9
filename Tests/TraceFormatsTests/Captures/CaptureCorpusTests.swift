import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Every capture of the corpus that this group of formats reads, against MANIFEST.tsv.
@Suite(.enabled(if: SharedFolder.isExpected, "no shared folder beside this checkout"))
struct CaptureCorpusTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var path: String
    var digest: String
    var expected: [String: String]
    var testDescription: String { path }
  }

  static let rows: [Row] = {
    let prefixes = [
      "pm3-trace/", "pcapng/", "usb/", "generated/chameleon", "generated/hand_264",
      "generated/nfcgate", "generated/pm3_edge", "generated/pm3_list_x_text2pcap",
      "generated/usbmon220", "generated/llcp245",
    ]
    let manifest = (try? SharedFolder.manifest()) ?? []
    return manifest.compactMap { row in
      guard let path = row["path"], prefixes.contains(where: { path.hasPrefix($0) }) else {
        return nil
      }
      var expected: [String: String] = [:]
      let text = row["expected"] ?? ""
      for word in text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == ";" }) {
        let parts = word.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { expected[String(parts[0])] = String(parts[1]) }
      }
      return Row(path: path, digest: row["frames_sha256"] ?? "-", expected: expected)
    }
  }()

  @Test func theManifestHasRowsForUs() {
    #expect(Self.rows.count >= 41)
  }

  private func decode(_ row: Row) throws -> (bytes: [UInt8], format: TraceFormat, DecodedTrace) {
    let bytes = try SharedFolder.bytes("corpus/" + row.path)
    let name = row.path.split(separator: "/").last.map(String.init) ?? ""
    let format = try #require(CaptureDecoding.format(of: bytes, name: name))
    return (bytes, format, try CaptureDecoding.decode(bytes, as: format))
  }

  @Test(arguments: rows)
  func framesAreThoseOfTheManifest(_ row: Row) throws {
    let (_, _, trace) = try decode(row)
    let text = CaptureDecoding.frameLines(trace.events)
    if row.digest != "-" { #expect(SHA256Digest.hexadecimal(of: text) == row.digest) }
    let lines = String(decoding: text, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: true)
    func count(_ key: String, _ test: (Substring) -> Bool) {
      guard let number = row.expected[key].flatMap({ Int($0) }) else { return }
      #expect(lines.count(where: test) == number, "\(key)")
    }
    for sender in ["R", "T", "H", "C"] { count(sender) { $0.hasPrefix(sender + " ") } }
    count("empty") { $0.count == 2 }
    count("commands") { $0.hasPrefix("H ") && $0 != "H ack" }
    count("replies") { $0.hasPrefix("C ") && $0 != "C ack" }
    count("chip_acks") { $0 == "C ack" }
    count("host_acks") { $0 == "H ack" }
  }

  @Test(arguments: rows)
  func otherCountsAreThoseOfTheManifest(_ row: Row) throws {
    let (bytes, _, trace) = try decode(row)
    func number(_ key: String) -> Int? { row.expected[key].flatMap { Int($0) } }
    if let fields = number("field_events") {
      let found = trace.events.count {
        guard case .field = $0.content else { return false }
        return true
      }
      #expect(found == fields)
    }
    if let packets = number("packets") {
      var container = CaptureContainer()
      container.append(bytes[...])
      var found = 0
      while try container.next() != nil { found += 1 }
      #expect(found == packets)
    }
    if let initial = number("initial") {
      let found = trace.events.count {
        guard case .application(_, let text) = $0.content else { return false }
        return text.hasPrefix("NFCGate initial data")
      }
      #expect(found == initial)
    }
    if let extended = number("extended") {
      let found = trace.events.count {
        $0.transfer?.bytes.starts(with: [0x00, 0x00, 0xFF, 0xFF, 0xFF]) ?? false
      }
      #expect(found == extended)
    }
    if let bits = row.expected["bits"] {
      let found = trace.events.compactMap(\.radioFrame).map {
        $0.bitCount + ($0.parity?.bits.count ?? 0)
      }
      #expect(found.map(String.init).joined(separator: "/") == bits)
    }
    if let lines = number("lines") {
      #expect(bytes.count { $0 == 0x0A } == lines)
    }
  }

  @Test(arguments: rows)
  func wholeByteByByteAndSplitAreTheSame(_ row: Row) throws {
    let (bytes, format, whole) = try decode(row)
    let make = try #require(format.makeDecoder)
    // Long files are cut at fewer offsets: each cut reads the whole file again.
    let splits = max(4, min(100, 250_000 / max(1, bytes.count)))
    for cut in SplitVerifier.cuts(of: bytes, maximumSplits: splits) {
      let again = try DecodedTrace.decode(cut, with: make(ImportOptions()))
      // Compared outside of the macro, which would describe both at length.
      let isSame = again == whole
      #expect(isSame)
    }
  }

  @Test(arguments: rows)
  func formatIsFoundByContentAlone(_ row: Row) throws {
    let (bytes, format, _) = try decode(row)
    let name = CaptureDecoding.format(of: bytes)?.name
    // A Hitag trace bears no mark at all: there the name of the file helps.
    if row.path.contains("lf_hitag") { return }
    #expect(name == format.name)
    let expected =
      row.path.hasPrefix("pm3-trace/") || row.path.contains("pm3_edge")
      ? "pm3-trace"
      : row.path.contains("chameleonmini")
        ? "chameleon-mini"
        : row.path.contains("chameleonultra")
          ? "chameleon-ultra"
          : row.path.contains("nfcgate")
            ? "nfcgate" : row.path.hasSuffix(".txt") ? "usbmon-text" : "pcap"
    #expect(name == expected)
  }
}
