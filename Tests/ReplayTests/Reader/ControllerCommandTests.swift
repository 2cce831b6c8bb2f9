import NFCProtocols
import PN53x
import Replay
import Testing

/// The commands about the chip itself, row by row of the command table.
@Suite struct ControllerCommandTests {
  private static let all: [ChipModelConfiguration] = [
    .pn531(latency: .zero), .pn532(latency: .zero), .pn533(latency: .zero),
    .rcS956(latency: .zero),
  ]

  @Test(
    arguments: zip(
      all, ["03 04 02", "03 32 01 06 07", "03 33 02 07 07", "03 33 01 30 07"]))
  func firmwareVersion(_ configuration: ChipModelConfiguration, _ response: String) {
    var host = ReaderDialogue(configuration)
    #expect(host.send("02") == response)
  }

  @Test func lineTestEchoesNumberAndBytes() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("00 00 6C 69 62 6E 66 63") == "01 00 6C 69 62 6E 66 63")
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    #expect(sony.send("00 00 6C 69 62 6E 66 63") == "01 6C 69 62 6E 66 63")
  }

  /// Bodies of 255 bytes are the longest normal frames, 265 the longest of all.
  @Test(arguments: [0, 1, 251, 252, 253, 261, 262])
  func lineTestAtTheLimitsOfFrames(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var host = ReaderDialogue(.pn533(latency: .zero))
    #expect(host.send([0x00, 0x00] + bytes) == [0x01, 0x00] + bytes)
  }

  @Test func oneByteTooMuchIsNoFrame() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    let body = [0xD4, 0x00, 0x00] + [UInt8](repeating: 1, count: 263)
    host.raw(HostFrame.information(body, .extended).encoded())
    #expect(host.listen(count: 1).isEmpty)
    #expect(host.send("02") == "03 33 02 07 07")
  }

  @Test func pn531HasNoExtendedFrames() {
    var host = ReaderDialogue(.pn531(latency: .zero))
    host.raw(HostFrame.information([0xD4, 0x02], .extended).encoded())
    #expect(host.listen(count: 1).isEmpty)
    let bytes = [UInt8](repeating: 7, count: 251)
    #expect(host.send([0x00, 0x00] + bytes) == [0x01, 0x00] + bytes)
  }

  @Test func selfTestsAreGood() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("00 01") == "01 00")
    #expect(host.send("00 02") == "01 00")
    #expect(host.send("00 07 21") == "01 00")
    #expect(host.send("00 09") == "7F")
    #expect(host.send("00") == "7F")
  }

  @Test func feliCaPollingTestCountsFailures() throws {
    var empty = ReaderDialogue(.pn532(latency: .zero))
    let start = empty.reader.now
    #expect(empty.send("00 04 01") == "01 80")
    // 128 polls of 4 ms, and their time on the air.
    #expect(empty.reader.now - start >= .milliseconds(512))
    var full = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.feliCa())
    #expect(full.send("00 04 01") == "01 00")
    #expect(full.send("00 04 03") == "7F")
  }

  @Test func echoBackTestAndRegulationTestHaveNoResponse() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("00 05 01 00 00") == "")
    #expect(host.send("58 00") == "")
    #expect(host.send("02") == "03 32 01 06 07")
  }

  @Test func generalStatusTellsErrorFieldAndTargets() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    #expect(host.send("04") == "05 00 00 00 00")
    _ = host.send("4A 01 00")
    #expect(host.send("04") == "05 00 00 01 01 00 00 00 00")
    host.reader.removeCard(at: host.reader.now)
    #expect(host.send("40 01 00") == "41 01")
    #expect(host.send("04") == "05 01 00 01 01 00 00 00 00")
    var usb = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.feliCa())
    #expect(usb.send("4A 01 01 00 FF FF 01 00").hasPrefix("4B 01 01 14 01"))
    #expect(usb.send("04") == "05 00 00 01 01 01 01 10")
  }

  @Test func registersKeepWhatWasWritten() {
    var pn532 = ReaderDialogue(.pn532(latency: .zero))
    #expect(pn532.send("06 63 02 63 03 63 0D 63 38 63 3D") == "07 00 00 00 00 00")
    #expect(pn532.send("08 63 02 80 63 03 80") == "09")
    #expect(pn532.send("06 63 02 63 03") == "07 80 80")
    var pn533 = ReaderDialogue(.pn533(latency: .zero))
    // libnfc 617: `06 63 3D` gives status and value.
    #expect(pn533.send("06 63 3D") == "07 00 00")
    #expect(pn533.send("08 63 3D 07") == "09 00")
    #expect(pn533.send("06 63 3D") == "07 00 07")
    #expect(pn533.send("06 63") == "7F")
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    #expect(sony.send("08 03 28 59 63 02 80") == "09 00 00")
    #expect(sony.send("06 03 28 63 02") == "07 59 80")
    let many = [UInt8](repeating: 0x63, count: 2 * 65)
    #expect(sony.send([0x06] + many) == [0x7F])
    #expect(sony.send([0x06] + many.dropLast(2)).count == 65)
  }

  @Test func eepromIsThereOrNot() {
    var plain = ReaderDialogue(.pn533(latency: .zero))
    #expect(plain.send("06 A0 00") == "07 10")
    var board = ReaderDialogue(.scl3711(latency: .zero, serial: "12345678A00001"))
    #expect(board.send("06 A0 00 A0 01 A0 02 A0 03") == "07 00 01 1F 5A F4")
    #expect(board.send("06 A0 0E A0 11 A0 21 A0 22 A0 57") == "07 00 FF 1D 02 32 1E")
    #expect(board.send("06 A0 F0 A0 F1 A0 F2 A0 FF") == "07 00 A0 00 31 31")
    // On a PN532 the address is memory like any other.
    var pn532 = ReaderDialogue(.pn532(latency: .zero))
    #expect(pn532.send("06 A0 00") == "07 00")
  }

  @Test func portsTakeWhatBitSevenMarks() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("0C") == "0D 3F 07 01")
    #expect(host.send("0E 8B 00") == "0F")
    #expect(host.send("0C") == "0D 0B 07 01")
    #expect(host.send("0E 00 82") == "0F")
    #expect(host.send("0C") == "0D 0B 02 01")
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    #expect(sony.send("0E 8B 00") == "7F")
  }

  @Test func baudRateChangesWithTheACKOfTheHost() throws {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("10 07") == "11")
    #expect(try #require(host.reader.chip as? ChipModel).serialBaudRate == .baud115200)
    host.raw(HostFrame.ack.encoded())
    _ = host.listen(count: 1)
    #expect(try #require(host.reader.chip as? ChipModel).serialBaudRate == .baud921600)
    #expect(host.send("10 09") == "7F")
  }

  @Test func parametersAndSecurityModule() {
    var pn532 = ReaderDialogue(.pn532(latency: .zero))
    #expect(pn532.send("12 14") == "13")
    #expect(pn532.send("12") == "7F")
    #expect(pn532.send("14 01") == "15")
    #expect(pn532.send("14 01 00 00") == "15")
    #expect(pn532.send("14 05") == "7F")
    #expect(pn532.send("14 00") == "7F")
    var pn533 = ReaderDialogue(.pn533(latency: .zero))
    #expect(pn533.send("14 01") == "7F")
  }

  @Test func pn532LeavesPreambleAndPostambleOut() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    host.raw(HostFrame.information([0xD4, 0x12, 0x40], .normal).encoded())
    _ = host.listen(count: 2)
    host.raw(HostFrame.information([0xD4, 0x02], .normal).encoded())
    host.reader.advance(to: host.reader.now)
    #expect(
      host.reader.takeDeliveries().last?.bytes
        == [0x00, 0xFF, 0x06, 0xFA, 0xD5, 0x03, 0x32, 0x01, 0x06, 0x07, 0xE8])
  }

  @Test func codeEighteenDiffersByChip() {
    var pn533 = ReaderDialogue(.pn533(latency: .zero))
    #expect(pn533.send("18 00") == "19 19")
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    #expect(sony.send("18 01") == "19")
    #expect(sony.send("18") == "7F")
    #expect(sony.send("1C 01") == "1D")
    var pn532 = ReaderDialogue(.pn532(latency: .zero))
    #expect(pn532.send("18 01") == "7F")
  }

  @Test func everyItemOfRFConfiguration() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    for item in [
      "01 00", "01 03", "02 00 0B 0A", "04 00", "05 FF 01 02",
      "0A 59 F4 3F 11 4D 85 61 6F 26 62 87", "0B 69 FF 3F 11 41 85 61 6F", "0C FF 04 85",
      "0D 85 15 8A 85 08 B2 85 01 DA",
    ] {
      #expect(host.send("32 " + item) == "33", "item \(item)")
    }
    for item in ["", "01", "01 04", "02 00 0B", "05 FF", "0A 59", "03", "82 08 01 08", "FF 00"] {
      #expect(host.send("32 " + item) == "7F", "item \(item)")
    }
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    #expect(sony.send("32 82 08 01 08") == "33")
  }

  @Test func fieldFollowsRFConfigurationAndTxControl() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(!host.reader.chipFieldIsOn)
    _ = host.send("32 01 01")
    #expect(host.reader.chipFieldIsOn)
    #expect(host.send("06 63 04") == "07 03")
    _ = host.send("32 01 02")
    #expect(!host.reader.chipFieldIsOn)
    _ = host.send("08 63 04 83")
    #expect(host.reader.chipFieldIsOn)
    _ = host.send("08 63 04 80")
    #expect(!host.reader.chipFieldIsOn)
  }

  @Test func unknownCommandGetsACKAndErrorFrame() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    for command in ["0A", "1E", "60 01 01 00", "A0 00", "FF", "16 00", "8C 00"] {
      #expect(host.send(command) == "7F", "command \(command)")
    }
    // D4 alone has no code.
    #expect(host.send([]) == [0x7F])
  }

  @Test func powerDownNeedsAWakeUp() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("16 F0") == "17 00")
    host.reader.advance(to: host.reader.now + .milliseconds(2))
    // Without wake-up bytes the frame is lost, but it wakes the chip.
    host.raw(HostFrame.information([0xD4, 0x02], .normal).encoded())
    #expect(host.listen(count: 1).isEmpty)
    #expect(host.send("02") == "03 32 01 06 07")
    _ = host.send("16 F0")
    host.reader.advance(to: host.reader.now + .milliseconds(2))
    let wakeUp: [UInt8] = [0x55, 0x55] + [UInt8](repeating: 0, count: 14)
    host.raw(wakeUp + HostFrame.information([0xD4, 0x14, 0x01], .normal).encoded())
    #expect(host.listen(count: 2).last?.body == [0xD5, 0x15])
    _ = host.send("16 B0 00")
    host.reader.advance(to: host.reader.now + .milliseconds(2))
    host.raw([UInt8](repeating: 0, count: 10) + [0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00])
    #expect(host.listen(count: 2).last?.body.prefix(2) == [0xD5, 0x03])
  }
}
