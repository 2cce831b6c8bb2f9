import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@Suite(.enabled(if: Tshark.isExpected, "tshark is not installed: apt-get install tshark"))
struct TsharkTests {
  private static let fields = [
    "-T", "fields", "-E", "separator=|", "-e", "frame.time_epoch", "-e", "frame.protocols", "-e",
    "frame.comment", "-e", "_ws.malformed",
  ]

  private func pcapng(_ text: String) throws -> [UInt8] {
    try PcapngTraceTests.pcapng(ofText: Array(text.utf8))
  }

  @Test func showsRadioFramesWithTheirTimesAndComments() throws {
    let file = try pcapng(
      """
      retap 1
      technology A
      0 field on
      5121us rf > 26'7 ; REQA
      5285307 rf < 44 03
      6ms rf > 06 00 FF FF 00 00 09 21 tech=F
      7ms rf > E0 80 31 73
      8ms apdu > 00 A4 04 00
      9ms rf < 06 75 77 81 02 80 02 F0 parity=odd rate=106 crc=good +684.366us
      end

      """)
    #expect(
      try Tshark.lines(file, Self.fields) == [
        "0.000000000|iso14443||", "0.005121000|iso14443|REQA|", "0.005285307|iso14443||",
        "0.007000000|iso14443||", "0.009000000|iso14443||",
      ])
    let events = try Tshark.lines(
      file,
      ["-T", "fields", "-E", "separator=|", "-e", "iso14443.event", "-e", "iso14443.crc.status"])
    #expect(events == ["0xfc|", "0xfe|", "0xff|", "0xfe|1", "0xff|1"])
  }

  /// No Decode-As is given: the descriptor in front tells tshark what the reader speaks.
  @Test func knowsHostFramesByItself() throws {
    let text = try PackageFile.bytes("captures/pn533-type2-read.retap")
    let file = try PcapngTraceTests.pcapng(ofText: text)
    let lines = try Tshark.lines(file, Self.fields)
    #expect(lines.filter { $0.contains("|usb:pn532_hci:pn532|") }.count == 16)
    #expect(lines.filter { $0.contains("|usb:pn532_hci|ACK|") }.count == 8)
    #expect(lines.filter { $0.contains("alformed") }.isEmpty)
    let replies = try Tshark.lines(file, ["-Y", "pn532.cmd == 0x03"])
    #expect(replies.count == 1)
    #expect(replies[0].contains("GetFirmwareVersion (Response)"))
  }

  @Test func knowsCCIDByItself() throws {
    let file = try pcapng(
      """
      retap 1
      0 link > 62 00 00 00 00 00 00 00 00 00 payload=ccid
      1ms link < 80 00 00 00 00 00 00 00 81 00 payload=ccid
      end

      """)
    let lines = try Tshark.lines(file, Self.fields)
    #expect(lines.filter { $0.contains("|usb:usbccid|") }.count == 2)
    #expect(lines.filter { $0.contains("alformed") }.isEmpty)
  }

  /// S(DESELECT) shows as malformed in tshark 4.0 although its CRC is good: a fault of tshark.
  @Test func showsNothingMalformedInTheCaptures() throws {
    for path in try PackageFile.captures() {
      let file = try PcapngTraceTests.pcapng(ofText: PackageFile.bytes(path))
      let filter = "_ws.malformed && !(frame contains c2:e0:b4)"
      #expect(try Tshark.lines(file, ["-Y", filter]) == [], "\(path)")
    }
  }

  /// Our blocks and options do not disturb: tshark sees every packet with its time.
  @Test func seesEveryPacketOfMadeTraces() throws {
    for seed in [2, 4, 6] as [UInt64] {
      let (_, pcapng) = try PcapngTraceTests.made(seed: seed, events: 120)
      var reader = PcapngReader()
      reader.append(pcapng[...])
      var lengths: [String] = []
      while let item = try reader.next() {
        if case .packet(let packet) = item { lengths.append("\(packet.data.count)") }
      }
      #expect(try Tshark.lines(pcapng, ["-T", "fields", "-e", "frame.cap_len"]) == lengths)
    }
  }

  /// Without our options and blocks the frames are the same to tshark.
  @Test func showsTheSameFramesWithoutOurOptions() throws {
    for path in try PackageFile.captures() {
      let file = try PcapngTraceTests.pcapng(ofText: PackageFile.bytes(path))
      #expect(
        try Tshark.lines(stripped(file), []) == (try Tshark.lines(file, [])), "\(path)")
    }
  }
}
