import NFCProtocols
import NFCTrace
import ProtocolTesting
import Testing

@testable import TraceFormats

/// Logs of libnfc, nfcpy and the kernel; frames of the PN532 user manual or made up.
@Suite("Logs of PN53x programs and drivers")
struct ChipLogTests {
  @Test("libnfc over UART: a frame comes in pieces, each its own transfer without a time")
  func libnfcUART() throws {
    let trace = try decode(
      """
      debug\tlibnfc.general\tlog_level is set to 3
      debug\tlibnfc.bus.uart\tTX: 55 55 00 00 00 00 00 00 00 00 00 00 00 00 00 00\u{20}
      debug\tlibnfc.bus.uart\tTX: 00 00 ff 02 fe d4 02 2a 00\u{20}
      debug\tlibnfc.bus.uart\tRX: 00 00 ff 00 ff 00\u{20}
      debug\tlibnfc.chip.pn53x\tPN53x ACKed
      debug\tlibnfc.bus.uart\tRX: 00 00 ff 06 fa\u{20}
      debug\tlibnfc.bus.uart\tRX: d5 03\u{20}
      debug\tlibnfc.bus.uart\tRX: 32 01 06 07\u{20}
      debug\tlibnfc.bus.uart\tRX: e8 00\u{20}
      """, as: "libnfc-log")
    #expect(frameLines(trace.events).string == "H wake\nH d402\nC ack\nC d50332010607\n")
    #expect(trace.events.count == 7)
    #expect(trace.events.allSatisfy { $0.isTimeUnknown && $0.start == .zero })
    #expect(trace.header?.clock == TraceClock(origin: "none"))
    #expect(transfers(trace).allSatisfy { $0.transport == .serial })
  }

  @Test("A pasted log: blanks for tabs, lines wrapped between bytes and within one")
  func pastedLog() throws {
    let trace = try decode(
      """
      debug   libnfc.bus.uart   TX: 00 00 ff 04 fc d4 4a 01 00 e1
      00
      debug   libnfc.bus.uart   RX: 00 00 ff 0
      0 ff 00
      nfc-list uses libnfc 1.8.0
      """, as: "libnfc-log")
    #expect(frameLines(trace.events).string == "H d44a0100\nC ack\n")
  }

  @Test(
    "The category names the wire",
    arguments: [
      ("libnfc.driver.pn53x_usb", "00 00 ff 00 ff 00", "C ack\n", LinkTransfer.Transport.usbBulk),
      (
        "libnfc.driver.acr122_usb", "80 01 00 00 00 00 00 00 fe 00 00",
        "C 80010000000000 00fe0000\n", .usbBulk
      ),
      ("libnfc.bus.i2c", "00 00 ff 00 ff 00", "C ack\n", .i2c),
    ])
  func categories(
    category: String, hex: String, lines: String, transport: LinkTransfer.Transport
  ) throws {
    let trace = try decode("debug\t\(category)\tRX: \(hex) \n", as: "libnfc-log")
    let expected = lines.replacingBlanksInHex()
    #expect(frameLines(trace.events).string == expected)
    #expect(transfers(trace).map(\.transport) == [transport])
  }

  @Test("PC/SC drivers log APDUs; version 1.5 has no category and two blanks between bytes")
  func apdus() throws {
    let pcsc = try decode(
      """
      debug\tlibnfc.driver.acr122_pcsc\tTX: ff 00 00 00 02 d4 02
      debug\tlibnfc.driver.acr122_pcsc\tRX: d5 03 32 01 06 07 90 00
      """, as: "libnfc-log")
    let old = try decode(
      " TX: ff  00  00  00  02  d4  02  \n RX: d5  03  32  01  06  07  90  00\n", as: "libnfc-log")
    #expect(frameLines(pcsc.events).string == "R ff00000002d402\nT d503320106079000\n")
    #expect(frameLines(old.events).string == frameLines(pcsc.events).string)
    let oldFrames = try decode(" TX: 00  00  ff  02  fe  d4  02  2a  00\n", as: "libnfc-log")
    #expect(frameLines(oldFrames.events).string == "H d402\n")
  }

  @Test("Over SPI, status polls are no part of a frame")
  func spi() throws {
    let trace = try decode(
      """
      debug\tlibnfc.bus.spi\tTX: 01 00 00 ff 02 fe d4 02 2a 00
      debug\tlibnfc.bus.spi\tTX: 02
      debug\tlibnfc.bus.spi\tRX: 01
      debug\tlibnfc.bus.spi\tTX: 03
      debug\tlibnfc.bus.spi\tRX: 00 00 ff 00 ff 00
      """, as: "libnfc-log")
    #expect(frameLines(trace.events).string == "H d402\nC ack\n")
    #expect(transfers(trace).map(\.payload) == [.pn53x, .other, .other, .other, .pn53x])
  }

  @Test("nfc-anticol: bits sent and received, group bars, a bit count for the last byte")
  func anticol() throws {
    let trace = try decode(
      """
      NFC reader: user defined device opened

      Sent bits:     26 (7 bits)
      Received bits: 44  00
      Sent bits:     93 20
      Received bits: 88 04 11 | 01 (3 bits)
      WARNING: BCC check failed!
      """, as: "libnfc-output")
    #expect(frameLines(trace.events).string == "R 26\nT 4400\nR 9320\nT 88041101\n")
    #expect(trace.events.compactMap(radio).map(\.lastByteBits) == [7, 8, 8, 3])
    #expect(trace.header?.role == .reader)
  }

  @Test("Arrows of libnfc's tests are APDUs when bytes follow")
  func arrows() throws {
    let trace = try decode(
      """
      >>> Select application:
          -> 90 5a 00 00 | 03 01 02 03 00
          -- IV       = 00 00
          <- 91 00
          -> done
      => 00 a4 04 00
      <= 6a 82
      """, as: "libnfc-output")
    #expect(
      frameLines(trace.events).string == "R 905a00000301020300\nT 9100\nR 00a40400\nT 6a82\n")
  }

  @Test(
    "nfcpy: bare, with milliseconds, with a date, in Python's own form",
    arguments: [
      ("[nfc.clf.transport] ", nil), ("626 ms [nfc.clf.transport] ", 0),
      ("2024-01-02 19:01:48,201 [nfc.clf.transport] ", 0), ("Level 9:nfc.clf.transport:", nil),
      ("[nfc.dev.transport] ", nil),
    ] as [(String, Int64?)])
  func nfcpyForms(prefix: String, start: Int64?) throws {
    let trace = try decode(
      "\(prefix)>>> 0000ff02fed4022a00\n\(prefix)<<< 0000ff00ff00\n[nfc.clf.pn532] x\n",
      as: "nfcpy-log")
    #expect(frameLines(trace.events).string == "H d402\nC ack\n")
    #expect(trace.events.allSatisfy { $0.isTimeUnknown == (start == nil) })
  }

  @Test("nfcpy: times count from the first transfer, also over midnight and a leap day")
  func nfcpyTimes() throws {
    let trace = try decode(
      """
      2024-02-28 23:59:59,900 [nfc.clf.transport] >>> 0000ff00ff00
      2024-02-29 00:00:00,150 [nfc.clf.transport] >>> 0000ff00ff00
      2024-03-01 00:00:00,150 [nfc.clf.transport] >>> 0000ff00ff00
      """, as: "nfcpy-log")
    #expect(trace.events.map(\.start.count) == [0, 250_000_000, 86_400_250_000_000])
    let relative = try decode(
      "89 ms [nfc.clf.transport] >>> 00\n92 ms [nfc.clf.transport] <<< 01", as: "nfcpy-log")
    #expect(relative.events.map(\.sourceTicks?.start) == [89, 92])
    #expect(relative.events.map(\.start.count) == [0, 3_000_000])
    #expect(relative.header?.clock.tickUnit == "ms")
  }

  @Test("A TTY preamble and the little-endian frames of an RC-S380 are kept and found")
  func nfcpyFrames() throws {
    let trace = try decode(
      """
      [nfc.clf.transport] >>> 000000000000000000000000ff02fed4022a00
      [nfc.clf.transport] >>> 0000ffffff0300fdd62a01ff00
      """, as: "nfcpy-log")
    #expect(frameLines(trace.events).string == "H d402\nH d62a01\n")
    #expect(transfers(trace)[0].bytes.count == 19)
  }

  @Test("Kernel lines of 16 bytes are joined by the length of the frame")
  func kernel() throws {
    let trace = try decode(
      """
      [   12.345678] usb 1-1: new full-speed USB device
      [   12.345678] PN533 TX: 00 00 ff 02 fe d4 02 2a 00
      [   12.346278] PN533 RX: 00 00 ff 00 ff 00
      [   12.346978] PN533 RX: 00 00 ff 0f f1 d5 4b 01 01 00 44 00 07 04 11 22
      [   12.346978] PN533 RX: 33 44 55 66 2a 00
      [   12.400000] PN533 RX: 00 00 ff 09 f7 d5 03 32 01 06 07 00 00 00 e8 00
      [   12.500000] PN533 RX: 00 00 ff 00 ff 00
      """, as: "pn533-dyndbg")
    #expect(
      frameLines(trace.events).string
        == "H d402\nC ack\nC d54b010100440007041122334455 66\nC d50332010607000000\nC ack\n"
        .replacingBlanksInHex())
    #expect(
      trace.events.map(\.start.count) == [0, 600_000, 1_300_000, 54_322_000, 154_322_000])
  }

  @Test("Kernel lines through journalctl; port100 counts in little endian")
  func kernelForms() throws {
    let trace = try decode(
      """
      Nov 30 18:40:22.123456 host kernel: PORT100 TX: 00 00 ff ff ff 03 00 fd d6 2a 01 ff 00
      Nov 30 18:40:22.125456 host kernel: PORT100 RX: 00 00 ff 00 ff 00
      """, as: "pn533-dyndbg")
    #expect(frameLines(trace.events).string == "H d62a01\nC ack\n")
    #expect(trace.events.map(\.start.count) == [0, 2_000_000])
  }

  @Test("A kernel frame whose other lines are missing is kept, marked and told")
  func kernelCut() throws {
    let trace = try decode(
      """
      [ 1.0] PN533 RX: 00 00 ff 0f f1 d5 4b 01 01 00 44 00 07 04 11 22
      [ 2.0] PN533 TX: 00 00 ff 00 ff 00
      """, as: "pn533-dyndbg")
    #expect(transfers(trace).map(\.originalLength) == [22, nil])
    #expect(trace.warnings.map(\.place) == [.line(1)])
  }

  @Test(
    "Torn and wrong lines are bad input with their line",
    arguments: [
      ("libnfc-log", "debug\tlibnfc.bus.uart\tTX: 00 0g\n", 1),
      ("libnfc-log", "debug\tlibnfc.bus.uart\tTX: 00 00 f", 1),
      ("libnfc-log", "nothing\nat all\n", 1),
      ("libnfc-output", "\nSent bits: 26 (9 bits)\n", 2),
      ("libnfc-output", "Sent bits: 26 (7 b", 1),
      ("libnfc-output", "-> 90 5a 0", 1),
      ("nfcpy-log", "[nfc.clf.transport] >>> 0000ff0", 1),
      ("nfcpy-log", "[nfc.clf.transport] >>> 00\n[nfc.clf.transport] <<< 0x00", 2),
      ("pn533-dyndbg", "PN533 TX: 00 0", 1), ("pn533-dyndbg", "PN533 TX: ", 1),
    ])
  func badLines(format: String, text: String, line: Int) {
    #expect(place(of: text, as: format) == .line(line))
  }
}

/// The link transfers of a trace.
func transfers(_ trace: DecodedTrace) -> [LinkTransfer] {
  trace.events.compactMap { event in
    guard case .link(let transfer) = event.content else { return nil }
    return transfer
  }
}

extension String {
  /// Removes blanks inside hexadecimal text of frame lines, which only help to read the test.
  fileprivate func replacingBlanksInHex() -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.prefix(2) + line.dropFirst(2).filter { $0 != " " }
    }.joined(separator: "\n")
  }
}
