import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

@Suite struct USBCaptureTests {
  typealias Make = CaptureBytes

  private func decode(
    linkType: UInt32, _ packets: [[UInt8]]
  ) throws(TraceError) -> DecodedTrace {
    let timed = packets.enumerated().map { (UInt64(1_700_000_000), UInt64($0 * 100), $1) }
    return try DecodedTrace.decode(
      Make.classic(linkType: linkType, timed), with: PacketCaptureDecoder(ImportOptions()))
  }

  static let version = "00 00 FF 02 FE D4 02 2A 00"
  static let ack = "00 00 FF 00 FF 00"
  static let answer = "00 00 FF 06 FA D5 03 33 02 07 07 E5 00"

  /// Device descriptor of a PN533 (pn53x.md 8.2): 04CC:2533, release 2.07.
  static let descriptor = "12 01 00 02 00 00 00 08 CC 04 33 25 07 02 01 02 00 01"
  static let getDescriptor = "80 06 00 01 00 00 12 00"

  /// Version 2.7 asked and answered as usbmon records it.
  static func exchange(device: UInt8 = 26, header: Int = 64, isBig: Bool = false) -> [[UInt8]] {
    func packet(
      _ id: UInt64, _ event: Character, _ endpoint: UInt8, _ status: Int32, _ length: Int,
      _ data: String = ""
    ) -> [UInt8] {
      Make.usbmon(
        id, event, endpoint: endpoint, device: device, status: status, length: length, data,
        header: header, isBig: isBig)
    }
    return [
      packet(1, "S", 0x04, -115, 9, version), packet(1, "C", 0x04, 0, 9),
      packet(2, "S", 0x84, -115, 300), packet(2, "C", 0x84, 0, 6, ack),
      packet(2, "S", 0x84, -115, 300), packet(2, "C", 0x84, 0, 13, answer),
    ]
  }

  private func lines(_ trace: DecodedTrace) -> String {
    String(decoding: CaptureDecoding.frameLines(trace.events), as: UTF8.self)
  }

  @Test(arguments: [false, true], [(220, 64), (189, 48)])
  func oneTransferForEachPair(_ isBig: Bool, _ kind: (linkType: Int, header: Int)) throws {
    let trace = try decode(
      linkType: UInt32(kind.linkType), Self.exchange(header: kind.header, isBig: isBig))
    #expect(lines(trace) == "H d402\nC ack\nC d50333020707\n")
    let transfers = trace.events.compactMap(\.transfer)
    #expect(transfers.count == 3)
    #expect(transfers.map(\.requestedLength) == [nil, 300, 300])
    #expect(transfers.allSatisfy { $0.outcome == .completed && $0.payload == .pn53x })
    // OUT from its submit to its completion, IN when it came.
    #expect(trace.events.map(\.start) == [.zero, .microseconds(300), .microseconds(500)])
    #expect(trace.events.map(\.end) == [.microseconds(100), nil, nil])
  }

  @Test func theReaderIsNamedByItsDescriptor() throws {
    let control = [
      Make.usbmon(
        9, "S", type: 2, endpoint: 0x80, status: -115, length: 18, setup: Self.getDescriptor),
      Make.usbmon(9, "C", type: 2, endpoint: 0x80, length: 18, Self.descriptor),
    ]
    let trace = try decode(linkType: 220, control + Self.exchange())
    #expect(trace.header?.reader?.address == "usb:04cc:2533")
    #expect(trace.header?.reader?.name == "NXP PN533, bcdDevice 2.07")
    let first = try #require(trace.events.first)
    #expect(first.transfer?.transport == .usbControl)
    #expect(first.transfer?.setup == Make.hex(Self.getDescriptor))
    #expect(first.comment?.contains("capture program") ?? false)
  }

  /// Statuses of the kernel and of Windows by what they mean.
  @Test(arguments: [
    (Int32(-32), LinkTransfer.Outcome.stall), (-2, .cancelled), (-104, .cancelled),
    (-108, .unplugged), (-19, .unplugged), (-110, .timeout), (-75, .overflow),
    (-71, .failed(status: -71)), (0, .completed),
  ])
  func statusesOfLinux(_ status: Int32, _ outcome: LinkTransfer.Outcome) throws {
    let broken = [
      Make.usbmon(7, "S", endpoint: 0x84, status: -115, length: 64),
      Make.usbmon(7, "C", endpoint: 0x84, status: status, length: 0),
      Make.usbmon(8, "S", endpoint: 0x04, status: -115, length: 6, Self.ack),
      Make.usbmon(8, "C", endpoint: 0x04, status: status, length: 0),
    ]
    let trace = try decode(linkType: 220, Self.exchange() + broken)
    #expect(trace.events.suffix(2).compactMap(\.transfer).map(\.outcome) == [outcome, outcome])
  }

  @Test(arguments: [
    (UInt32(0), LinkTransfer.Outcome.completed), (0xC000_0004, .stall), (0xC001_0000, .cancelled),
    (0xC000_7000, .unplugged), (0xC000_6000, .timeout), (0xC000_000C, .overflow),
    (0xC000_0005, .failed(status: -1_073_741_819)),
  ])
  func statusesOfWindows(_ status: UInt32, _ outcome: LinkTransfer.Outcome) {
    #expect(USBStatus.windows(status) == outcome)
  }

  @Test func aRefusedRequestAndOneThatNeverCameBack() throws {
    let refused = Make.usbmon(7, "E", endpoint: 0x04, status: -19, length: 6)
    let open = [
      Make.usbmon(7, "S", endpoint: 0x04, status: -115, length: 6, Self.ack), refused,
      Make.usbmon(8, "S", endpoint: 0x04, status: -115, length: 6, Self.ack),
    ]
    let trace = try decode(linkType: 220, Self.exchange() + open)
    let last = trace.events.suffix(2)
    #expect(last.first?.transfer?.outcome == .unplugged)
    #expect(last.last?.end == nil)
    #expect(last.last?.comment?.contains("not in the capture") ?? false)
  }

  /// The kernel may give back an IN transfer before the OUT that caused it.
  @Test func anINThatOvertakesItsOUTKeepsTheOrderOfTheirStarts() throws {
    var packets = Self.exchange()
    packets.swapAt(1, 2)
    packets.swapAt(2, 3)
    let trace = try decode(linkType: 220, packets)
    #expect(lines(trace) == "H d402\nC ack\nC d50333020707\n")
    #expect(trace.events[0].end == .microseconds(300))
  }

  @Test func dataThatTheCaptureCutHasItsLength() throws {
    var packet = Make.usbmon(5, "C", endpoint: 0x84, length: 275, "00 00 FF FF FF 01 09 F6 D5 01")
    packet[36] = 10
    let trace = try decode(linkType: 220, Self.exchange() + [packet])
    #expect(trace.events.last?.transfer?.originalLength == 275)
    #expect(trace.events.last?.transfer?.bytes.count == 10)
  }

  @Test func otherDevicesAreLeftOutWithAWord() throws {
    let keyboard = [
      Make.usbmon(20, "C", type: 1, endpoint: 0x81, device: 3, "00 00 04 00 00 00 00 00")
    ]
    let disk = (0..<3).flatMap { number in
      [
        Make.usbmon(30, "S", endpoint: 0x02, device: 4, status: -115, "55 53 42 43 0\(number)"),
        Make.usbmon(30, "C", endpoint: 0x02, device: 4, length: 5),
      ]
    }
    let trace = try decode(linkType: 220, keyboard + disk + Self.exchange() + keyboard + disk)
    #expect(trace.events.count == 3)
    let warning = try #require(trace.warnings.first)
    #expect(warning.message.contains("2.3, 2 transfers"))
    #expect(warning.message.contains("2.4, 6 transfers"))
    #expect(throws: TraceError.self) { try decode(linkType: 220, keyboard + disk) }
  }

  @Test func aReaderPluggedInAgainIsTheSameReader() throws {
    func descriptor(_ device: UInt8) -> [[UInt8]] {
      [
        Make.usbmon(
          9, "S", type: 2, endpoint: 0x80, device: device, status: -115, length: 18,
          setup: Self.getDescriptor),
        Make.usbmon(9, "C", type: 2, endpoint: 0x80, device: device, length: 18, Self.descriptor),
      ]
    }
    let trace = try decode(
      linkType: 220,
      descriptor(26) + Self.exchange() + descriptor(27) + Self.exchange(device: 27))
    #expect(trace.events.count == 8)
    #expect(trace.events[4].comment?.contains("plugged in again as 2.27") ?? false)
  }

  @Test func aCCIDReaderIsKnownByItsMessages() throws {
    let power = "62 00 00 00 00 00 00 00 00 00"
    let block = "6F 05 00 00 00 00 01 00 00 00 FF 00 48 00 00"
    let packets = [
      Make.usbmon(1, "S", endpoint: 0x02, status: -115, power),
      Make.usbmon(1, "C", endpoint: 0x02, length: 10),
      Make.usbmon(2, "S", endpoint: 0x02, status: -115, block),
      Make.usbmon(2, "C", endpoint: 0x02, length: 15),
    ]
    let trace = try decode(linkType: 220, packets)
    #expect(trace.events.compactMap(\.transfer).map(\.payload) == [.ccid, .ccid])
    #expect(lines(trace).hasPrefix("H 62000000000000000000\nH 6f05"))
  }

  @Test func usbPcapPairsStagesAndMarksWhatItPutIn() throws {
    let packets = [
      Make.usbpcap(0, isCompletion: false, endpoint: 0x80, stage: 0, Self.getDescriptor),
      Make.usbpcap(0, isCompletion: true, endpoint: 0x80, stage: 3, Self.descriptor),
      Make.usbpcap(0xF1, isCompletion: false, endpoint: 0x04, Self.version),
      Make.usbpcap(0xF1, isCompletion: true, endpoint: 0x04),
      Make.usbpcap(0xF2, isCompletion: false, endpoint: 0x84),
      Make.usbpcap(0xF2, isCompletion: true, endpoint: 0x84, Self.ack),
      Make.usbpcap(0xF3, isCompletion: false, endpoint: 0x84),
      Make.usbpcap(0xF3, isCompletion: true, endpoint: 0x84, status: 0xC001_0000),
    ]
    let trace = try decode(linkType: 249, packets)
    #expect(trace.header?.reader?.address == "usb:04cc:2533")
    #expect(lines(trace) == "H d402\nC ack\n")
    #expect(trace.events[0].comment?.contains("put in by the capture program") ?? false)
    // The size of the buffer is not recorded on Windows.
    #expect(trace.events[2].transfer?.requestedLength == nil)
    #expect(trace.events[3].transfer?.outcome == .cancelled)
  }

  @Test func theTableOfOpenRequestsIsBounded() throws {
    let open = (0...USBPairing.openLimit).map {
      Make.usbmon(UInt64(100 + $0), "S", endpoint: 0x84, status: -115, length: 64)
    }
    // The oldest is forgotten: its completion is kept, without the length that was asked for.
    let late = [
      Make.usbmon(100, "C", endpoint: 0x84, length: 6, Self.ack),
      Make.usbmon(101, "C", endpoint: 0x84, length: 6, Self.ack),
    ]
    let trace = try decode(linkType: 220, Self.exchange() + open + late)
    #expect(trace.events.suffix(2).compactMap(\.transfer).map(\.requestedLength) == [nil, 64])
  }

  @Test func liesInTheHeadersHaveAPlace() {
    var packet = Make.usbmon(1, "S", endpoint: 0x04, status: -115, Self.version)
    packet[36] = 0xFF
    #expect(throws: TraceError.self) { try decode(linkType: 220, [packet]) }
    packet = Make.usbmon(1, "S", endpoint: 0x04, status: -115, Self.version)
    packet[8] = 0x58
    #expect(throws: TraceError.self) { try decode(linkType: 220, [packet]) }
    #expect(throws: TraceError.self) { try decode(linkType: 220, [Array(packet.prefix(63))]) }
    packet = Make.usbpcap(1, isCompletion: false, endpoint: 4, Self.version)
    packet[1] = 0x7F
    #expect(throws: TraceError.self) { try decode(linkType: 249, [packet]) }
  }
}
