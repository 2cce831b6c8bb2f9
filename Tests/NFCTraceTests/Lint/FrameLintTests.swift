import NFCProtocols
import NFCTrace
import Testing

@Suite struct FrameLintTests {
  @Test func `a clean activation and exchange has no findings`() {
    var script = LintScript()
    script.activate()
    script.exchange(.information(.zero, [0x00, 0xA4, 0x04, 0x00]), .information(.zero, [0x90, 0]))
    script.exchange(
      .information(.one, [0x00, 0xB0, 0, 0, 2]), .information(.one, [0, 11, 0x90, 0]))
    script.exchange(Block(.deselect), Block(.deselect))
    #expect(script.findings == [])
  }

  @Test func `a wrong CRC is told with the one that fits`() {
    var script = LintScript()
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9]))
    #expect(
      script.findings == [
        LintFinding(
          eventNumber: 1, time: .carrierCycles(10_001), rule: .crc,
          message: "reader frame ends with CRC 02 A9, 02 A8 fits its bytes",
          source: "14443-3, 6.2.4")
      ])
    #expect(
      script.findings[0].line
        == "1: reader frame ends with CRC 02 A9, 02 A8 fits its bytes    [14443-3, 6.2.4]")
  }

  @Test func `frames that carry no CRC are not asked for one`() {
    var script = LintScript()
    script.select(sak: 0x00)
    script.reader(RadioFrame([0x30, 0x04], crc: .notCaptured))
    script.card(RadioFrame([UInt8](repeating: 1, count: 16), crc: .notCaptured))
    script.reader([0xA2, 0x04, 1, 2, 3, 4])
    script.card(FourBitAnswer.acknowledge.frame)
    #expect(script.findings == [])
  }

  @Test(arguments: [Technology.b, .f, .v])
  func `CRCs of the other technologies`(_ technology: Technology) {
    let good: [UInt8] = technology == .f ? [0x06, 0, 0xFF, 0xFF, 0, 0] : [0x26, 0x01, 0x00]
    var right = LintScript(technology)
    right.reader(good)
    #expect(right.findings == [])
    var wrong = LintScript(technology)
    wrong.reader(RadioFrame(good + [0x00, 0x00]))
    #expect(wrong.summary == ["1 crc"])
    if technology == .f {
      var synced = LintScript(.f)
      synced.reader(RadioFrame(FeliCaCommand.syncCode + CRC16.felica.appended(to: good)))
      #expect(synced.findings == [])
    }
  }

  @Test func `a card's answer without the command before it is not judged`() {
    var script = LintScript()
    script.card(RadioFrame([1, 2, 3, 4, 5]))
    #expect(script.findings == [])
  }

  @Test func `a wrong BCC of either side`() {
    var script = LintScript()
    script.reader(TypeACommand.anticollision(.one, .none).frame)
    script.card(RadioFrame([0x08, 0x11, 0x22, 0x33, 0x09], crc: .absent))
    script.reader([0x93, 0x70, 0x08, 0x11, 0x22, 0x33, 0x0A])
    #expect(script.summary == ["2 bcc", "3 bcc"])
    #expect(script.findings[0].message == "card sent BCC 09, 08 fits the UID")
  }

  @Test func `a wrong parity bit`() {
    var script = LintScript()
    var frame = RadioFrame.protected([0x30, 0x00], .a)
    frame.parity = .odd(for: frame.bytes)
    script.reader(frame)
    frame.parity?.bits[2].toggle()
    script.reader(frame)
    #expect(script.summary == ["2 parity"])
    #expect(script.findings[0].message == "reader frame has a wrong parity bit at byte 2")
  }

  @Test func `the last parity bit of a card above 106 kbit per second is inverted`() {
    var script = LintScript()
    script.reader([0x30, 0x00])
    var frame = RadioFrame.protected([1, 2, 3], .a, kilobitsPerSecond: 424)
    frame.parity = .odd(for: frame.bytes)
    frame.parity?.bits[4].toggle()
    script.card(frame)
    #expect(script.findings == [])
  }

  @Test func `encrypted traffic of MIFARE Classic is left alone`() {
    var script = LintScript()
    script.select(sak: 0x08)
    script.reader([0x60, 0x04])
    script.card(RadioFrame([0x49, 0xB5, 0x18, 0x7D]))
    var answer = RadioFrame([0x20, 0x0D, 0x25, 0x13, 0x4B, 0x39, 0x7A, 0xD1])
    answer.parity = ParityBits([Bool](repeating: true, count: 8))
    script.reader(answer)
    script.card(RadioFrame([0x43, 0xCD, 0xB2, 0x8F]))
    script.reader(RadioFrame([0xD1, 0xC5, 0xA5, 0x29]))
    #expect(script.findings == [])
    // A new request ends it.
    script.reader(TypeACommand.request.frame)
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9]))
    #expect(script.summary.last == "\(script.events.count) crc")
  }

  @Test func `a technology that is not known is not judged until a request shows it`() {
    var script = LintScript()
    script.header.technology = nil
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9]))
    #expect(script.findings == [])
    script.reader(TypeACommand.request.frame)
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9]))
    #expect(script.summary == ["3 crc"])
  }

  @Test func `collisions and cut records are passed over`() {
    var script = LintScript()
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9], isCollision: true))
    script.reader(RadioFrame([0x30, 0x00, 0x02, 0xA9], isTruncated: true))
    script.reader(RadioFrame([]))
    #expect(script.findings == [])
  }

  @Test func `time that goes back`() {
    var script = LintScript()
    script.reader([0x30, 0x00])
    var event = script.events[0]
    event.start = Nanoseconds(event.start.count - 5_000)
    event.end = nil
    script.events.append(event)
    #expect(script.summary == ["2 time-order"])
    #expect(script.findings[0].message == "begins 5.0 µs before the event in front of it")
    script.events[1].isTimeUnknown = true
    #expect(script.findings == [])
  }
}
