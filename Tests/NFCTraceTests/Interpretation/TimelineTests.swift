import NFCProtocols
import NFCTrace
import PN53x
import ProtocolTesting
import Testing

/// Events of a dialogue, 1 ms apart.
private func radio(
  _ technology: Technology, _ lines: [(Direction, String)], bits: [Int: UInt8] = [:]
) -> [TraceEvent] {
  lines.enumerated().map { index, line in
    TraceEvent(
      start: .microseconds(Int64(index) * 1_000),
      .radio(
        line.0,
        RadioFrame(
          bytes(line.1), lastByteBits: bits[index] ?? 8, technology: technology)))
  }
}

private func bytes(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.bytes(of: text) else {
    preconditionFailure("not hexadecimal pairs: \(text)")
  }
  return bytes
}

private func crc(_ text: String) -> String {
  Hexadecimal.pairs(CRC16.a.appended(to: bytes(text)))
}

private func timeline(
  _ events: [TraceEvent], _ writer: TimelineWriter = TimelineWriter()
) -> [String] {
  var interpreter = TraceInterpreter(header: nil)
  var interpretation = Interpretation()
  var text = TextBuffer()
  for (index, event) in events.enumerated() {
    interpreter.interpret(event, into: &interpretation)
    writer.write(event, interpretation, number: index + 1, to: &text)
  }
  return text.string.split(separator: "\n").map(String.init)
}

@Suite struct TimelineTests {
  static let read: [TraceEvent] =
    [TraceEvent(start: .zero, .field(FieldChange(isOn: true, technology: .a)))]
    + radio(
      .a,
      [
        (.outbound, "26"), (.inbound, "44 03"), (.outbound, crc("E0 80")),
        (.inbound, crc("05 78 80 70 02")),
        (.outbound, crc("02 00 B0 00 00 02")), (.inbound, crc("02 00 0C 90 00")),
        (.outbound, crc("03 00 B0 00 02 0C")),
        (.inbound, crc("13 D1 01 08 54 02 65 6E")), (.outbound, crc("A2")),
        (.inbound, crc("02 68 65 6C 6C 6F 90 00")),
      ], bits: [0: 7])

  @Test("From the field to the text in the tag")
  func wholeRead() {
    #expect(
      timeline(Self.read) == [
        "  0.000 000  ▲ field on A",
        "  0.000 000  R→  26'7                               REQA",
        "  0.001 000  ←C  44 03                              ATQA  DESFire, 7-byte UID",
        "  0.002 000  R→  E0 80 31 73                        RATS  FSD 256, CID 0",
        "  0.003 000  ←C  05 78 80 70 02 A5 46               ATS  FSC 256, FWI 7 (38.7 ms)",
        """
          0.004 000  R→  02 00 B0 00 00 02 6B 7D            I(0)  READ BINARY at 0, 2 bytes
        """, "  0.005 000  ←C  02 00 0C 90 00 20 AA               I(0)  90 00 ok, 2 bytes",
        """
          0.006 000  R→  03 00 B0 00 02 0C 8E A3            I(1)  READ BINARY at 2, 12 bytes
        """, "  0.007 000  ←C  13 D1 01 08 54 02 65 6E 49 32      I(1)+",
        "  0.008 000  R→  A2 E6 D7                           R(ACK)0",
        "  0.009 000  ←C  02 68 65 6C 6C 6F 90 00 8E 39      I(0)",
        """
                       ←C  D1 01 08 54 02 65 6E 68 65 6C 6C 6F 90 00  90 00 ok, 12 bytes
        """, "               ≡   NDEF Text en \"hello\"",
      ])
  }

  @Test("Levels: APDUs alone, NDEF alone")
  func levels() {
    #expect(
      timeline(Self.read, TimelineWriter(layers: .apdu)).map { $0.dropFirst(17) } == [
        "00 B0 00 00 02                     READ BINARY at 0, 2 bytes",
        "00 0C 90 00                        90 00 ok, 2 bytes",
        "00 B0 00 02 0C                     READ BINARY at 2, 12 bytes",
        "D1 01 08 54 02 65 6E 68 65 6C 6C 6F 90 00  90 00 ok, 12 bytes",
      ])
    #expect(
      timeline(Self.read, TimelineWriter(layers: .ndef)) == [
        "  0.009 000  ≡   NDEF Text en \"hello\""
      ])
  }

  @Test("Without a field event the field is assumed, and said to be")
  func assumedField() {
    let lines = timeline(Array(Self.read.dropFirst()))
    #expect(
      lines[0] == "  0.000 000  ▲ field on  (assumed: no field event is recorded before this)")
    #expect(lines.count == 13)
  }

  @Test("A narrow terminal gets short bytes, a wide one all of them")
  func widths() {
    let event = radio(.a, [(.outbound, crc("02 00 A4 04 00 07 D2 76 00 00 85 01 01 00"))])
    let narrow = timeline(event, TimelineWriter(terminalColumns: 80))
    #expect(
      narrow[1] == "  0.000 000  R→  02 00 A4 04 … +12   I(0)  SELECT D2760000850101 (NDEF Type 4)")
    let wide = timeline(event, TimelineWriter(terminalColumns: 140))
    #expect(wide[1].contains("02 00 A4 04 00 07 D2 76 00 00 85 01 01 00 35 C0"))
  }

  @Test("Colour is there when asked for and only then")
  func color() {
    #expect(!timeline(Self.read).joined().contains("\u{1B}"))
    let colored = timeline(Self.read, TimelineWriter(isColored: true))
    #expect(colored[1].hasPrefix("\u{1B}[2m  0.000 000\u{1B}[0m  \u{1B}[36mR→  \u{1B}[0m26'7"))
  }

  @Test("Unknown, negative and backward times")
  func times() {
    let frame = TraceEvent.Content.radio(.outbound, RadioFrame([0x26], lastByteBits: 7))
    let lines = timeline([
      TraceEvent(start: .zero, .field(FieldChange(isOn: true))),
      TraceEvent(start: .zero, frame, isTimeUnknown: true),
      TraceEvent(start: Nanoseconds(-2_190_500), frame, isOutOfOrder: true),
      TraceEvent(start: Nanoseconds(1_234_567_891_234), frame, comment: "late"),
    ])
    #expect(
      lines == [
        "  0.000 000  ▲ field on",
        "          –  R→  26'7                               REQA",
        """
         -0.002 190  R→  26'7                               REQA  (begins before the line above)
        """, "1234.567 891  R→  26'7                               REQA  ; late",
      ])
  }

  @Test("Host frames are taken apart down to NDEF")
  func link() throws {
    var events: [TraceEvent] = []
    func add(_ direction: Direction, _ body: String) throws {
      let frame = try HostFrame.information(bytes(body), for: .pn533)
      events.append(
        TraceEvent(
          start: .milliseconds(Int64(events.count)),
          .link(LinkTransfer(direction, frame.encoded()))))
    }
    try add(.outbound, "D4 4A 01 00")
    events.append(
      TraceEvent(
        start: .milliseconds(1), .link(LinkTransfer(.inbound, HostFrame.ack.encoded()))))
    try add(.inbound, "D5 4B 01 01 00 44 00 07 04 11 22 33 44 55 66")
    try add(.outbound, "D4 40 01 30 04")
    try add(.inbound, "D5 41 00 03 0C D1 01 08 54 02 65 6E 68 65 6C 6C 6F FE 00")
    #expect(
      timeline(events) == [
        "  0.000 000  H→  D4 4A 01 00                        InListPassiveTarget 1 target, 106 A",
        "  0.001 000  ←C                                     ACK",
        """
          0.002 000  ←C  D5 4B 01 01 00 44 00 07 04 11 22 33 44 55 66  \
        InListPassiveTarget: 1 target  ATQA 0044, SAK 00, UID 04112233445566
        """, "  0.003 000  H→  D4 40 01 30 04                     InDataExchange target 1, 2 bytes",
        "               R→  30 04                            READ 4",
        """
          0.004 000  ←C  D5 41 00 03 0C D1 01 08 54 02 65 6E 68 65 6C 6C 6F FE 00  \
        InDataExchange: ok, 16 bytes
        """, "               ←C  03 0C D1 01 08 54 02 65 6E 68 65 6C 6C 6F FE 00  data from 4",
        "               ≡   NDEF Text en \"hello\"",
      ])
  }

  @Test("A frame over two transfers is told when it is whole; faults of the link are told")
  func pieces() throws {
    let frame = try HostFrame.information(bytes("D4 02"), for: .pn533).encoded()
    let lines = timeline([
      TraceEvent(start: .zero, .link(LinkTransfer(.outbound, Array(frame[..<4])))),
      TraceEvent(start: .zero, .link(LinkTransfer(.outbound, Array(frame[4...])))),
      TraceEvent(start: .zero, .link(LinkTransfer(.inbound, [], outcome: .stall))),
    ])
    #expect(
      lines == [
        "  0.000 000  H→  00 00 FF 02                        piece of a message",
        "  0.000 000  H→  D4 02                              GetFirmwareVersion",
        "  0.000 000  ←C                                     no data, STALL",
      ])
  }

  @Test("APDUs that a source gives without blocks around them are told as APDUs")
  func bareAPDUs() {
    let lines = timeline(
      [(.outbound, "00 A4 00 0C 02 E1 03"), (.inbound, "6A 82")].map { direction, text in
        TraceEvent(
          start: .zero,
          .radio(direction, RadioFrame(bytes(text), technology: .a, crc: .notCaptured)))
      })
    #expect(lines[1].hasSuffix("  SELECT file E103 (capability container)"))
    #expect(lines[2].hasSuffix("  6A 82 not found"))
  }

  @Test("Native commands of DESFire and MIFARE Plus have no status word")
  func native() {
    let lines = timeline(
      radio(
        .a,
        [
          (.outbound, crc("E0 80")), (.inbound, crc("05 78 80 70 02")),
          (.outbound, crc("0A 00 70 00 40 00")), (.inbound, crc("0A 00 90 01 02 03 6A 82")),
        ]))
    #expect(lines[3].hasSuffix("I(0)  Plus FirstAuthenticate block 4000"))
    #expect(lines[4].hasSuffix("I(0)  90 ok, 5 bytes"))
  }

  @Test("NFC-DEP at 106 kbit/s with LLCP, as a chip gives it")
  func dep() {
    let lines = timeline(
      [(.outbound, "06 D4 06 00 00 00"), (.inbound, "06 D5 07 02 11 60")].map { direction, text in
        TraceEvent(
          start: .zero,
          .radio(direction, RadioFrame(bytes(text), technology: .a, crc: .notCaptured)))
      })
    #expect(lines[1].hasSuffix("DEP_REQ  I(0)  LLCP SYMM"))
    #expect(lines[2].hasSuffix("DEP_RES  I(2)  LLCP DISC 32→4"))
  }

  @Test("USB control requests are named")
  func control() {
    let setup: [UInt8] = [0x80, 0x06, 0x00, 0x01, 0x00, 0x00, 0x12, 0x00]
    let lines = timeline([
      TraceEvent(
        start: .zero,
        .link(
          LinkTransfer(
            .inbound, [0x12, 0x01], transport: .usbControl, payload: .other, setup: setup)))
    ])
    #expect(lines[0].hasSuffix("USB GET_DESCRIPTOR device"))
  }

  @Test("JSON: one object an entry, with what is known")
  func json() {
    var interpreter = TraceInterpreter(header: nil)
    var interpretation = Interpretation()
    var json = JSONLineWriter()
    let writer = TimelineJSON()
    for (index, event) in Self.read.prefix(6).enumerated() {
      interpreter.interpret(event, into: &interpretation)
      writer.write(event, interpretation, number: index + 1, to: &json)
    }
    let lines = json.buffer.string.split(separator: "\n")
    #expect(
      lines[0] == #"{"event":1,"time_ns":0,"layer":"field","on":true,"meaning":"field on A"}"#)
    #expect(
      lines[1]
        == """
        {"event":2,"time_ns":0,"layer":"radio","from":"reader","hex":"26","bits":7,\
        "technology":"A","meaning":"REQA"}
        """)
    #expect(
      lines[6]
        == """
        {"event":6,"time_ns":4000000,"layer":"apdu","from":"reader","lifted":true,\
        "hex":"00b0000002","meaning":"READ BINARY at 0, 2 bytes"}
        """)
  }

  @Test("NCI: an activation and its data packets")
  func nci() {
    let lines = timeline(
      [
        (.inbound, "61 05 16 01 02 04 00 FF 01 0B 44 03 07 04 11 22 33 44 55 66 01 20 00 00 00"),
        (.outbound, "00 00 05 00 B0 00 00 02"), (.inbound, "00 00 04 00 0C 90 00"),
      ].map { direction, text in
        TraceEvent(
          start: .zero,
          .link(LinkTransfer(direction, bytes(text), transport: .unspecified, payload: .nci)))
      })
    #expect(lines.count == 5)
    #expect(lines[0].hasSuffix("RF_INTF_ACTIVATED_NTF  ISO-DEP, polling A, UID 04112233445566"))
    #expect(lines[1].hasSuffix("data, connection 0"))
    #expect(lines[2].hasSuffix("READ BINARY at 0, 2 bytes"))
    #expect(lines[4].hasSuffix("90 00 ok, 2 bytes"))
  }
}
