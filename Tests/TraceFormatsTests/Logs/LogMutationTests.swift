import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Damaged input of every kind: a typed error or a sensible result, never a crash, and the same
/// however it is cut.
@Suite("Damaged logs")
struct LogMutationTests {
  /// A good file of each format.
  static let seeds: [(format: String, bytes: [UInt8])] = [
    ("pm3-list", Array(ListTests.table.utf8)),
    ("pm3-list-x", Array("0.0000006993\n000000 00 fe 00 01 52\n".utf8)),
    ("nfc-laboratory", Array(LaboratoryTests.all.utf8)),
    (
      "nfc-laboratory-trz",
      Packing.gzip(Packing.tarEntry("frame.json", Array(LaboratoryTests.all.utf8)))
    ),
    (
      "libnfc-log",
      Array("debug\tlibnfc.bus.uart\tTX: 00 00 ff 02 fe d4 02 2a 00\n00 00\nx\n".utf8)
    ),
    ("libnfc-output", Array("Sent bits: 26 (7 bits)\n-> 00 a4 | 04 00\n<- 90 00\n".utf8)),
    ("nfcpy-log", Array("89 ms [nfc.clf.transport] >>> 0000ff02fed4022a00\n".utf8)),
    (
      "pn533-dyndbg",
      Array(
        ("[ 1.0] PN533 RX: 00 00 ff 0f f1 d5 4b 01 01 00 44 00 07 04 11 22\n"
          + "[ 1.0] PN533 RX: 33 44 55 66 2a 00\n").utf8)
    ),
    ("nci-log", Array(NCILogTests.logcat.utf8)),
    ("nfcsnoop", Array(NFCSnoopTests.block(NFCSnoopTests.stream(NFCSnoopTests.records)).utf8)),
    ("apdu4j", Array(APDULogTests.dump.utf8)),
    ("apduplay", Array("transmitted:00a40400\nresponseTime:12#\nreceived:9000\n".utf8)),
  ]

  @Test("Every format of the group has a seed")
  func seedsAreComplete() {
    #expect(Set(Self.seeds.map(\.format)) == Set(TraceFormat.logFormats.map(\.name)))
  }

  @Test("Mutated files", arguments: seeds.indices)
  func mutations(index: Int) throws {
    let (name, seed) = Self.seeds[index]
    var generator = TestGenerator(seed: 0x5EED + UInt64(index))
    for _ in 0..<150 {
      let mutant = Self.mutate(seed, &generator)
      let split = mutant.isEmpty ? 0 : generator.below(mutant.count)
      let whole = try result([mutant[...]], name)
      let isSame = try result([mutant[..<split], mutant[split...]], name) == whole
      try #require(isSame, "\(name): \(String(decoding: mutant, as: UTF8.self).debugDescription)")
      for format in TraceFormat.logFormats {
        _ = format.recognise(FileSample(bytes: mutant, isWhole: true, name: "x.trz"))
      }
    }
  }

  @Test("Other people's formats, binary data and NULs", arguments: seeds.indices)
  func foreign(index: Int) throws {
    let name = Self.seeds[index].format
    var generator = TestGenerator(seed: 77)
    var inputs: [[UInt8]] = [
      [], [0], [UInt8](repeating: 0, count: 5_000), [0x0A], generator.bytes(20_000),
      Array("\u{FEFF}".utf8), [0x1F, 0x8B, 0x08, 0], Array("{\"frames\": [".utf8),
      [0xFF, 0xFE, 0x30, 0x00],
    ]
    inputs += Self.seeds.filter { $0.format != name }.map(\.bytes)
    for input in inputs { _ = try result([input[...]], name) }
    for input in inputs.prefix(4) { #expect(try result([input[...]], name).trace == nil) }
  }

  private struct Outcome: Equatable {
    var trace: DecodedTrace?
    var error: TraceError?
  }

  private func result(_ pieces: [ArraySlice<UInt8>], _ name: String) throws -> Outcome {
    let makeDecoder = try #require(format(name).makeDecoder)
    do throws(TraceError) {
      return Outcome(
        trace: try DecodedTrace.decode(pieces, with: makeDecoder(ImportOptions())), error: nil)
    } catch {
      return Outcome(trace: nil, error: error)
    }
  }

  private static func mutate(_ seed: [UInt8], _ generator: inout TestGenerator) -> [UInt8] {
    var bytes = seed
    for _ in 0...generator.below(4) where !bytes.isEmpty {
      let place = generator.below(bytes.count)
      switch generator.below(6) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[generator.below(bytes.count)], at: place)
      case 3: bytes.removeSubrange(place...)
      case 4: bytes[place] = [0x00, 0x0A, 0x39, 0x20, 0x7C, 0xFF][generator.below(6)]
      default: bytes.insert(contentsOf: Array("99999999999999999999".utf8), at: place)
      }
    }
    return bytes
  }
}
