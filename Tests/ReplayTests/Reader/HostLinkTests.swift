import NFCProtocols
import PN53x
import Replay
import Testing

/// The dialogue between host and chip below the commands.
@Suite struct HostLinkTests {
  private static let ack = HostFrame.ack.encoded()
  private static let nack = HostFrame.nack.encoded()

  private func frame(_ body: String) -> [UInt8] {
    HostFrame.information([0xD4] + (Hexadecimal.bytes(of: body) ?? []), .normal).encoded()
  }

  /// firmware-notes/pn53x/implicit-abort.md, libnfc issue 278: five polls, five ACKs, no answer.
  @Test func newCommandEndsTheOneBefore() {
    var host = ReaderDialogue(.pn533())
    for _ in 0..<5 {
      host.raw(frame("4A 01 00"))
      #expect(host.listen(count: 1) == [.ack])
      host.reader.advance(to: host.reader.now + .milliseconds(100))
    }
    host.raw(frame("02"))
    let frames = host.listen(count: 2)
    #expect(frames.first == .ack)
    #expect(frames.last?.body == [0xD5, 0x03, 0x33, 0x02, 0x07, 0x07])
  }

  /// An SCL3711: the second ACK comes later than usual, one response only.
  @Test func commandBetweenACKAndResponseEndsTheFirst() {
    var reader = SimulatedReader(chip: ChipModel(.pn533()))
    reader.host(frame("02"), at: .start)
    reader.advance(to: VirtualInstant(.microseconds(710)))
    #expect(reader.takeDeliveries().map(\.bytes) == [Self.ack])
    reader.host(frame("02"), at: reader.now)
    let start = reader.now
    while let next = reader.nextInstant { reader.advance(to: next) }
    let deliveries = reader.takeDeliveries()
    #expect(deliveries.count == 2)
    #expect(deliveries.first?.bytes == Self.ack)
    let delay = ((deliveries.first?.at ?? start) - start).count
    #expect(abs(delay - 1_000_000) < 100_000, "ACK \(delay) ns after the command")
  }

  @Test func ackEndsTheCommandAtWork() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    #expect(host.send("4A 01 00") == "")
    host.raw(Self.ack)
    #expect(host.listen(count: 1).isEmpty)
    #expect(host.reader.nextInstant == nil)
    #expect(host.send("02") == "03 33 02 07 07")
  }

  @Test func ackAfterTheResponseMeansNothing() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    _ = host.send("02")
    host.raw(Self.ack)
    #expect(host.listen(count: 1).isEmpty)
    #expect(host.send("12 14") == "13")
  }

  // firmware-notes/pn53x/nack-repeats-response.md
  @Test func nackBringsTheLastResponseAgain() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    host.raw(Self.nack)
    #expect(host.listen(count: 1).isEmpty)
    _ = host.send("02")
    for _ in 0..<2 {
      host.raw(Self.nack)
      #expect(host.listen(count: 1).first?.body == [0xD5, 0x03, 0x33, 0x02, 0x07, 0x07])
    }
    var sony = ReaderDialogue(.rcS956(latency: .zero))
    _ = sony.send("02")
    sony.raw(Self.nack)
    #expect(sony.listen(count: 1).isEmpty)
  }

  @Test func wrongChecksumsGetSilence() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    let good = frame("02")
    for place in 3..<8 {
      var bad = good
      bad[place] ^= 0x10
      host.raw(bad + [0, 0, 0, 0, 0, 0, 0, 0])
      #expect(host.listen(count: 1).isEmpty, "byte \(place)")
    }
    #expect(host.send("02") == "03 33 02 07 07")
  }

  @Test func frameInPiecesAndTwoFramesInOne() {
    var host = ReaderDialogue(.pn533(latency: .zero))
    for byte in frame("02") { host.raw([byte]) }
    #expect(host.listen(count: 2).count == 2)
    var slow = ReaderDialogue(.pn533())
    slow.raw(frame("12 14") + frame("02"))
    // The second ends the first.
    let frames = slow.listen(count: 4)
    #expect(frames.map { $0.body.prefix(2) } == [[], [], [0xD5, 0x03]])
  }

  @Test func shortCommandInAnExtendedFrame() {
    // chrome-nfc sends every command so.
    var host = ReaderDialogue(.pn533(latency: .zero))
    host.raw(Hexadecimal.bytes(of: "00 00 FF FF FF 00 02 FE D4 02 2A 00") ?? [])
    #expect(host.listen(count: 2).last?.body == [0xD5, 0x03, 0x33, 0x02, 0x07, 0x07])
  }

  @Test func chipIsDeafAfterAnAbortIfToldSo() {
    var configuration = ChipModelConfiguration.pn532(latency: .zero)
    configuration.deafAfterAbort = .milliseconds(5)
    var host = ReaderDialogue(configuration)
    _ = host.send("4A 01 00")
    host.raw(Self.ack)
    host.reader.advance(to: host.reader.now)
    host.raw(frame("44 00"))
    host.reader.advance(to: host.reader.now + .milliseconds(4))
    #expect(host.reader.takeDeliveries().isEmpty)
    host.reader.advance(to: host.reader.now + .milliseconds(1))
    #expect(host.send("32 01 00") == "33")
  }

  @Test func emptyTransferFollowsMultiplesOf64IfToldSo() {
    var configuration = ChipModelConfiguration.pn533(latency: .zero)
    configuration.endsWithEmptyTransfer = true
    var reader = SimulatedReader(chip: ChipModel(configuration))
    // 00 00 FF LEN LCS D5 01 00 … DCS 00: 54 bytes of echo make a frame of 64.
    for (count, transfers) in [(53, 2), (54, 3), (55, 2), (118, 3)] {
      let body = [0xD4, 0x00, 0x00] + [UInt8](repeating: 9, count: count)
      reader.host(HostFrame.information(body, .normal).encoded(), at: reader.now)
      reader.advance(to: reader.now)
      #expect(reader.takeDeliveries().count == transfers, "\(count) bytes")
    }
  }

  // firmware-notes/pn53x/descriptor-corruption.md
  @Test func longFramesDestroyTheDescriptorsAndARepairMendsThem() throws {
    var host = ReaderDialogue(.pn533(latency: .zero))
    func isIntact() throws -> Bool {
      try #require(host.reader.chip as? ChipModel).descriptors.isIntact
    }
    // 17 bytes of command and 16 of response do no harm.
    _ = host.send([0x06] + [UInt8](repeating: 0x63, count: 16))
    #expect(try isIntact())
    _ = host.send([0x06] + [UInt8](repeating: 0x63, count: 18))
    #expect(try !isIntact())
    let original = try #require(host.reader.chip as? ChipModel).descriptors.original
    #expect(original.prefix(9) == [0x09, 0x02, 0x20, 0x00, 0x01, 0x01, 0x00, 0x80, 0x32])
    let repair = [0x02] + [UInt8](repeating: 0, count: 18) + original
    #expect(host.send(repair) == [0x03, 0x33, 0x02, 0x07, 0x07])
    #expect(try isIntact())
    // 16 registers give 17 bytes of content, status included; 15 do no harm.
    _ = host.send([0x06] + [UInt8](repeating: 0x63, count: 16))
    #expect(try isIntact())
    _ = host.send([0x00, 0x00] + [UInt8](repeating: 1, count: 15))
    #expect(try isIntact())
    _ = host.send([0x00, 0x00] + [UInt8](repeating: 1, count: 16))
    #expect(try isIntact() == false)
  }
}
