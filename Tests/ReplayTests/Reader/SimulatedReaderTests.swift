import NFCProtocols
import PN53x
import Replay
import Testing

/// A simulated reader from the side of its host.
@Suite struct SimulatedReaderTests {
  @Test func firmwareVersionOfAPN533ComesAfterAnAck() {
    var reader = SimulatedReader(chip: ChipModel(.pn533(latency: .zero)))
    reader.host([0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00], at: .start)
    reader.advance(to: .start)
    #expect(
      reader.takeDeliveries().map(\.bytes) == [
        [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00],
        [0x00, 0x00, 0xFF, 0x06, 0xFA, 0xD5, 0x03, 0x33, 0x02, 0x07, 0x07, 0xE5, 0x00],
      ])
    #expect(reader.nextInstant == nil)
  }

  @Test func measuredLatencyIsThatOfTheCapture() {
    var reader = SimulatedReader(chip: ChipModel(.pn533()), link: .usbFullSpeed)
    let sent = reader.host([0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00], at: .start)
    while let next = reader.nextInstant { reader.advance(to: next) }
    let deliveries = reader.takeDeliveries()
    // pn53x: OUT 0.08, ACK 0.61 after it, response 0.63 after the ACK.
    #expect(abs(sent.sinceStart.count - 80_000) < 8_000)
    #expect(abs((deliveries[0].at - sent).count - 610_000) < 61_000)
    #expect(abs((deliveries[1].at - deliveries[0].at).count - 630_000) < 63_000)
  }

  @Test func typeFourTagIsListedAndAnswersAPDUs() throws {
    var host = ReaderDialogue(card: try SampleCards.type4())
    #expect(
      host.send("4A 01 00")
        == "4B 01 01 00 44 20 07 04 11 22 33 44 55 66 06 75 77 81 02 80")
    #expect(host.send("40 01 00 A4 04 00 07 D2 76 00 00 85 01 01 00") == "41 00 90 00")
    #expect(host.send("40 01 00 A4 00 0C 02 E1 04") == "41 00 90 00")
    #expect(host.send("40 01 00 B0 00 00 02") == "41 00 00 0C 90 00")
    #expect(host.send("44 01") == "45 00")
  }

  @Test func readOfAType2TagThroughBothCommands() throws {
    var host = ReaderDialogue(card: try SampleCards.type2())
    #expect(host.send("4A 01 00") == "4B 01 01 00 44 00 07 04 11 22 33 44 55 66")
    #expect(host.send("40 01 30 04").hasPrefix("41 00 03 0C D1 01 08 54 02 65 6E 68 65"))
    #expect(host.send("42 30 04").hasPrefix("43 00 03 0C D1 01 08 54 02 65 6E 68 65"))
  }

  @Test func removedCardStaysListed() throws {
    var host = ReaderDialogue(card: try SampleCards.type4())
    _ = host.send("4A 01 00")
    host.reader.removeCard(at: host.reader.now)
    #expect(host.send("40 01 00 B0 00 00 02") == "41 01")
    #expect(host.send("40 01 00 B0 00 00 02") == "41 01")
    #expect(host.send("40 02 00 B0 00 00 02") == "41 27")
  }

  @Test func endlessPollEndsWhenACardComes() throws {
    var host = ReaderDialogue()
    #expect(host.send("4A 01 00") == "")
    host.reader.insert(try SampleCards.type2(), at: host.reader.now)
    let answer = host.listen(count: 1)
    #expect(answer.first?.body.prefix(4) == [0xD5, 0x4B, 0x01, 0x01])
  }

  @Test func finitePollFindsNothing() {
    var host = ReaderDialogue()
    #expect(host.send("32 05 FF 01 02") == "33")
    let start = host.reader.now
    #expect(host.send("4A 01 00") == "4B 00")
    #expect(host.reader.now - start >= .milliseconds(50))
    #expect(host.reader.now - start <= .milliseconds(100))
  }

  @Test func equalRunsGiveEqualLogs() throws {
    func run() throws -> RunLog {
      var host = ReaderDialogue(.pn533(), card: try SampleCards.type4())
      _ = host.send("4A 01 00")
      _ = host.send("40 01 00 A4 04 00 07 D2 76 00 00 85 01 01 00")
      return host.reader.log
    }
    let first = try run()
    let second = try run()
    #expect(first.text == second.text)
    #expect(first.lineCount > 20)
  }
}

/// Faults of link and air.
@Suite struct ReaderFaultTests {
  private static let version: [UInt8] = [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00]
  private static let ack: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  private static let response: [UInt8] = [
    0x00, 0x00, 0xFF, 0x06, 0xFA, 0xD5, 0x03, 0x32, 0x01, 0x06, 0x07, 0xE8, 0x00,
  ]

  private func transfers(_ faults: ReaderFault...) -> [[UInt8]] {
    var reader = SimulatedReader(
      chip: ChipModel(.pn532(latency: .zero)), faults: ReaderFaultPlan(faults))
    reader.host(Self.version, at: .start)
    while let next = reader.nextInstant { reader.advance(to: next) }
    return reader.takeDeliveries().map(\.bytes)
  }

  @Test func linkFaultsChangeWhatArrives() {
    let (ack, response) = (Self.ack, Self.response)
    #expect(transfers() == [ack, response])
    #expect(transfers(ReaderFault(.drop, .toHost, 1)) == [response])
    #expect(transfers(ReaderFault(.duplicate, .toHost, 2)) == [ack, response, response])
    #expect(transfers(ReaderFault(.merge, .toHost, 1)) == [ack + response])
    #expect(
      transfers(ReaderFault(.split(at: 5), .toHost, 2))
        == [ack, Array(response[..<5]), Array(response[5...])])
    #expect(transfers(ReaderFault(.emptyTransferAfter, .toHost, 1)) == [ack, [], response])
    #expect(
      transfers(ReaderFault(.truncate(count: 4), .toHost, 1)) == [[0, 0, 0xFF, 0], response])
    #expect(transfers(ReaderFault(.late(.milliseconds(5)), .toHost, 1)) == [ack, response])
    #expect(transfers(ReaderFault(.drop, .toChip, 1)) == [])
    #expect(transfers(ReaderFault(.corrupt(bit: 60), .toChip, 1)) == [])
    #expect(
      transfers(ReaderFault(.status(0x29), .toHost, 2))
        == [ack, [0x00, 0x00, 0xFF, 0x03, 0xFD, 0xD5, 0x03, 0x29, 0xFF, 0x00]])
  }

  @Test func unpluggedReaderSaysSoOnceAndNothingMore() {
    var reader = SimulatedReader(
      chip: ChipModel(.pn532(latency: .zero)),
      faults: ReaderFaultPlan([ReaderFault(.unplug, .toHost, 2)]))
    reader.host(Self.version, at: .start)
    while let next = reader.nextInstant { reader.advance(to: next) }
    #expect(reader.takeDeliveries().map(\.kind) == [.transfer, .unplugged])
    reader.host(Self.version, at: reader.now)
    while let next = reader.nextInstant { reader.advance(to: next) }
    #expect(reader.takeDeliveries().isEmpty)
  }

  @Test func lostBlockIsAskedForAgain() throws {
    var plain = ReaderDialogue(card: try SampleCards.type4())
    _ = plain.send("4A 01 00")
    // Answers of the card so far: ATQA, two levels of anticollision and SAK each, ATS.
    var host = ReaderDialogue(
      card: try SampleCards.type4(),
      faults: ReaderFaultPlan([ReaderFault(.drop, .fromCard, 7)]))
    _ = host.send("4A 01 00")
    #expect(host.send("40 01 00 A4 04 00 07 D2 76 00 00 85 01 01 00") == "41 00 90 00")
    #expect(host.reader.faults.unused.isEmpty)
    let text = String(decoding: host.reader.log.text, as: UTF8.self)
    #expect(text.contains("fault drop from card 7"))
  }
}
