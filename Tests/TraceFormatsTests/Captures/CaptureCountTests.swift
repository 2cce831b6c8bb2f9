import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Counts of MANIFEST.tsv that need a look at the kinds of event.
@Suite(.enabled(if: SharedFolder.isExpected, "no shared folder beside this checkout"))
struct CaptureCountTests {
  private func decode(_ path: String) throws -> DecodedTrace {
    let bytes = try SharedFolder.bytes("corpus/" + path)
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let format = try #require(CaptureDecoding.format(of: bytes, name: name))
    return try CaptureDecoding.decode(bytes, as: format)
  }

  private func expected(_ path: String) throws -> String {
    try #require(SharedFolder.manifest().first { $0["path"] == path }?["expected"])
  }

  @Test func usbmonTextHasItsTransfersByKind() throws {
    let path = "usb/scl3711_head_usbmon_u.txt"
    #expect(
      try expected(path).hasSuffix(
        "C Bi:241,C Bo:122,C Ci:5,C Co:1,S Bi:241,S Bo:122,S Ci:5,S Co:1"))
    let transfers = try decode(path).events.compactMap(\.transfer)
    func count(_ transport: LinkTransfer.Transport, _ direction: Direction) -> Int {
      transfers.count { $0.transport == transport && $0.direction == direction }
    }
    // Each submission and its completion are one transfer.
    #expect(count(.usbBulk, .inbound) == 241)
    #expect(count(.usbBulk, .outbound) == 122)
    #expect(transfers.count { $0.transport == .usbControl } == 5 + 1)
  }

  @Test func theChameleonLogHasItsEntriesByKind() throws {
    let path = "generated/chameleonmini_log.bin"
    #expect(try expected(path) == "entries=ff:1,11:1,44:1,46:1,45:1,47:1,48:1")
    let events = try decode(path).events
    func count(_ test: (TraceEvent.Content) -> Bool) -> Int { events.count { test($0.content) } }
    // 44 and 45 are frames of the reader, 46 and 47 of the card, 48 the field, FF and 11 notes.
    #expect(count { if case .radio(.outbound, _) = $0 { true } else { false } } == 2)
    #expect(count { if case .radio(.inbound, _) = $0 { true } else { false } } == 2)
    #expect(count { if case .field = $0 { true } else { false } } == 1)
    #expect(count { if case .application = $0 { true } else { false } } == 2)
  }

  @Test func allPacketsOfTheShortCaptureAreOfOneInterface() throws {
    let path = "usb/scl3711_head_usbmon189.pcapng"
    #expect(try expected(path).hasSuffix("iface0=330"))
    var container = CaptureContainer()
    container.append(try SharedFolder.bytes("corpus/" + path)[...])
    var interfaces: [Int] = []
    while let packet = try container.next() { interfaces.append(packet.interface) }
    #expect(interfaces == [Int](repeating: 0, count: 330))
  }
}
