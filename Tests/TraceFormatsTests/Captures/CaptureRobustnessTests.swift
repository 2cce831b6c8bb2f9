import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Damaged files of every format: a typed error or fewer events, never a crash.
@Suite struct CaptureRobustnessTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var make: @Sendable () -> any TraceDecoder
    var testDescription: String { name }
  }

  static let samples: [Sample] = {
    typealias Make = CaptureBytes
    let packets: @Sendable () -> any TraceDecoder = { PacketCaptureDecoder(ImportOptions()) }
    let air = PacketCaptureTests.packets.enumerated().map { (UInt64(7), UInt64($0), $1) }
    let usb = USBCaptureTests.exchange().enumerated().map { (UInt64(7), UInt64($0), $1) }
    let windows = [
      Make.usbpcap(0xF1, isCompletion: false, endpoint: 0x04, USBCaptureTests.version),
      Make.usbpcap(0xF1, isCompletion: true, endpoint: 0x04),
    ].enumerated().map { (UInt64(7), UInt64($0), $1) }
    let comment = Make.option(1, Array("comment".utf8), isBig: false)
    var sections = Make.section(isBig: false) + Make.interface(264, options: comment, isBig: false)
    for packet in PacketCaptureTests.packets {
      sections += Make.packet(9, packet, options: comment, isBig: false)
    }
    let gate =
      NFCGateTests.head + Make.packet(0, Make.air(0xFB, "02 32 01 20"), interface: 1, isBig: true)
      + Make.packet(0, Make.air(0xFA, "02 00 A4 04 00"), isBig: true)
    let mini: [UInt8] = [
      0xFF, 0, 0, 0, 0x44, 1, 0, 9, 0x26, 0x47, 3, 0, 11, 0x88, 0x09, 0x04, 0, 0,
    ]
    return [
      Sample(
        name: "pm3-trace", bytes: ProxmarkTests.activation,
        make: { ProxmarkDecoder(ImportOptions()) }),
      Sample(name: "pcap 264", bytes: Make.classic(linkType: 264, air), make: packets),
      Sample(name: "pcapng 264", bytes: sections, make: packets),
      Sample(name: "pcap 220", bytes: Make.classic(linkType: 220, usb), make: packets),
      Sample(name: "pcap 249", bytes: Make.classic(linkType: 249, windows), make: packets),
      Sample(name: "nfcgate", bytes: gate, make: packets),
      Sample(
        name: "usbmon-text", bytes: Array(USBMonTextTests.text.utf8),
        make: { USBMonTextDecoder(ImportOptions()) }),
      Sample(
        name: "chameleon-mini", bytes: mini, make: { ChameleonMiniDecoder(ImportOptions()) }),
      Sample(
        name: "chameleon-ultra", bytes: [0, 7, 0x26, 0x80, 0x12, 0x44, 1, 2],
        make: { ChameleonUltraDecoder(ImportOptions()) }),
    ]
  }()

  /// The number of events, or `nil` for bad input; other errors are faults of ours.
  private func events(_ bytes: [UInt8], _ sample: Sample) -> Int? {
    do {
      return try DecodedTrace.decode(bytes, with: sample.make()).events.count
    } catch {
      guard case .badInput(let bad) = error else {
        Issue.record("an error of another kind: \(error)")
        return nil
      }
      #expect(!bad.found.isEmpty && !bad.expected.isEmpty && !bad.remedy.isEmpty)
      if case .byte(let offset) = bad.place { #expect((0...bytes.count).contains(offset)) }
      return nil
    }
  }

  @Test(arguments: samples)
  func cutAtEveryOffset(_ sample: Sample) throws {
    let whole = try #require(events(sample.bytes, sample))
    for length in sample.bytes.indices {
      if let found = events(Array(sample.bytes.prefix(length)), sample) {
        #expect(found <= whole)
      }
    }
  }

  @Test(arguments: samples)
  func splitAtEveryOffsetIsTheSame(_ sample: Sample) throws {
    let whole = try DecodedTrace.decode(sample.bytes, with: sample.make())
    for cut in SplitVerifier.cuts(of: sample.bytes) {
      #expect(try DecodedTrace.decode(cut, with: sample.make()) == whole)
    }
  }

  @Test(arguments: samples)
  func mutatedBytes(_ sample: Sample) {
    var generator = TestGenerator(seed: 0x5EED)
    for _ in 0..<400 {
      var bytes = sample.bytes
      for _ in 0...generator.below(3) {
        let place = generator.below(bytes.count)
        switch generator.below(4) {
        case 0: bytes[place] = 0xFF
        case 1: bytes[place] = 0
        case 2: bytes[place] ^= 1 << UInt8(generator.below(8))
        default: bytes[place] = UInt8(generator.below(256))
        }
      }
      _ = events(bytes, sample)
    }
  }

  @Test(arguments: samples)
  func noiseZerosAndOtherFormats(_ sample: Sample) {
    var generator = TestGenerator(seed: 0xA11)
    for count in [1, 3, 4, 11, 12, 24, 28, 100, 5_000] {
      _ = events(generator.bytes(count), sample)
      _ = events([UInt8](repeating: 0, count: count), sample)
      _ = events([UInt8](repeating: 0xFF, count: count), sample)
    }
    for other in Self.samples { _ = events(other.bytes, sample) }
  }

  /// No recogniser may trap on any of this, and none but the right one may be certain.
  @Test(arguments: samples)
  func recognisersKnowTheirOwn(_ sample: Sample) {
    for length in [0, 1, 2, 3, 4, 8, 16, sample.bytes.count] {
      _ = CaptureDecoding.format(of: Array(sample.bytes.prefix(length)))
    }
    let expected = sample.name.hasPrefix("pcap") ? "pcap" : sample.name
    #expect(CaptureDecoding.format(of: sample.bytes)?.name == expected)
  }
}
