import Exploration
import NFCProtocols
import PN53x
import Replay
import Testing
import VirtualCards

/// Finding targets: InListPassiveTarget and InAutoPoll.
@Suite struct TargetListingTests {
  private func typeA(_ uid: [UInt8], sak: UInt8 = 0x08) throws -> any RadioEndpoint {
    var image = CardImage(kind: .typeA, uid: uid)
    image.sak = sak
    return try image.makeCard()
  }

  @Test func uidsOfAllLengths() throws {
    var four = ReaderDialogue(card: try typeA([0xDE, 0xAD, 0xBE, 0xEF]))
    #expect(four.send("4A 01 00") == "4B 01 01 00 04 08 04 DE AD BE EF")
    var seven = ReaderDialogue(card: try typeA(SampleCards.uid, sak: 0x00))
    #expect(seven.send("4A 01 00") == "4B 01 01 00 44 00 07 04 11 22 33 44 55 66")
    var ten = ReaderDialogue(card: try typeA(Array(1...10)))
    #expect(ten.send("4A 01 00") == "4B 01 01 00 84 08 0A 01 02 03 04 05 06 07 08 09 0A")
  }

  @Test func pn531KeepsCascadeTagsAndSwapsTheBytes() throws {
    var host = ReaderDialogue(.pn531(latency: .zero), card: try typeA([1, 2, 3, 4]))
    #expect(host.send("4A 01 00") == "4B 01 01 04 00 08 04 01 02 03 04")
    var seven = ReaderDialogue(
      .pn531(latency: .zero), card: try typeA(SampleCards.uid, sak: 0x00))
    #expect(seven.send("4A 01 00") == "4B 01 01 44 00 00 08 88 04 11 22 33 44 55 66")
  }

  @Test func namedUIDIsSelectedAndNoOther() throws {
    var host = ReaderDialogue(card: try SampleCards.type2())
    _ = host.send("32 05 FF 01 00")
    #expect(
      host.send("4A 01 00 88 04 11 22 33 44 55 66")
        == "4B 01 01 00 44 00 07 04 11 22 33 44 55 66")
    _ = host.send("52 00")
    #expect(host.send("4A 01 00 04 11 22 33 44 55 66").hasPrefix("4B 01"))
    _ = host.send("52 00")
    #expect(host.send("4A 01 00 88 04 11 22 33 44 55 67") == "4B 00")
    #expect(host.send("4A 01 00 04 11 22") == "7F")
  }

  @Test func withoutAutomaticRATSNoATSIsThere() throws {
    var host = ReaderDialogue(card: try SampleCards.type4())
    _ = host.send("12 04")
    #expect(host.send("4A 01 00") == "4B 01 01 00 44 20 07 04 11 22 33 44 55 66")
    // The host runs ISO-DEP itself.
    #expect(host.send("42 E0 80") == "43 00 06 75 77 81 02 80")
    #expect(host.send("42 02 00 A4 04 00 07 D2 76 00 00 85 01 01 00") == "43 00 02 90 00")
    #expect(host.send("42 B2") == "43 00 02 90 00")
    #expect(host.send("42 C2") == "43 00 C2")
  }

  @Test func feliCaAnswersPolling() throws {
    var host = ReaderDialogue(card: try SampleCards.feliCa())
    _ = host.send("32 05 FF 01 01")
    #expect(
      host.send("4A 01 01 00 FF FF 01 00")
        == "4B 01 01 14 01 02 FE 01 02 03 04 05 06 00 F1 00 00 00 01 43 00 12 FC")
    #expect(
      host.send("4A 01 02 00 12 FC 00 00")
        == "4B 01 01 12 01 02 FE 01 02 03 04 05 06 00 F1 00 00 00 01 43 00")
    #expect(host.send("4A 01 01 00 88 B4 00 00") == "4B 00")
    #expect(host.send("4A 01 01 00 FF FF 01") == "7F")
    // The whole frame with its length, as hosts send it.
    #expect(host.send("4A 01 01 00 FF FF 01 00").hasPrefix("4B 01"))
    let read = "10 06 02 FE 01 02 03 04 05 06 01 09 00 01 80 00"
    let answer = "1D 07 02 FE 01 02 03 04 05 06 00 00 01 10"
    #expect(host.send("40 01 " + read).hasPrefix("41 00 " + answer))
    #expect(host.send("42 " + read).hasPrefix("43 00 " + answer))
  }

  @Test(arguments: zip([Chip.pn533, .pn532], [0, 1]))
  func typeBIsListedWithItsCID(chip: Chip, cid: Int) throws {
    let configuration: ChipModelConfiguration =
      chip == .pn532 ? .pn532(latency: .zero) : .pn533(latency: .zero)
    var host = ReaderDialogue(configuration, card: try SampleCards.echo(typeB: true))
    #expect(
      host.send("4A 01 03 00")
        == "4B 01 01 50 DE AD BE EF 00 00 00 00 00 81 71 01 0\(cid)")
    #expect(host.send("40 01 00 00 00 00 02") == "41 00 00 01 00 05")
    #expect(host.send("44 01") == "45 00")
    #expect(host.send("4A 01 03") == "7F")
  }

  @Test func speedsOfTypeBNeedAPN533AndACardThatOffersThem() throws {
    var pn532 = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.echo(typeB: true))
    #expect(pn532.send("4A 01 08 00") == "7F")
    var pn533 = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo(typeB: true))
    _ = pn533.send("32 05 FF 01 00")
    #expect(pn533.send("4A 01 08 00") == "4B 00")
    #expect(pn533.send("4A 01 05") == "7F")
  }

  @Test func nothingThereInAnyModulation() {
    var host = ReaderDialogue(.pn533())
    _ = host.send("32 05 00 01 01")
    for (command, milliseconds) in [
      ("4A 01 01 00 FF FF 01 03", 98), ("4A 01 02 00 FF FF 01 03", 47), ("4A 01 04", 50),
      ("4A 01 03 00", 50), ("4A 01 00", 50),
    ] {
      let start = host.reader.now
      #expect(host.send(command) == "4B 00")
      let waited = (host.reader.now - start).count / 1_000_000
      // nfcpy issue 15 for FeliCa; two tries each, and the field comes up once.
      #expect(abs(Int(waited) - milliseconds) <= 12, "\(command) took \(waited) ms")
    }
  }

  @Test func numberOfTargetsHasALimit() {
    var pn532 = ReaderDialogue(.pn532(latency: .zero))
    _ = pn532.send("32 05 00 00 00")
    #expect(pn532.send("4A 00 00") == "7F")
    #expect(pn532.send("4A 02 00") == "4B 00")
    #expect(pn532.send("4A 03 00") == "7F")
    var pn533 = ReaderDialogue(.pn533(latency: .zero))
    #expect(pn533.send("4A 02 00") == "7F")
    #expect(pn533.send("4A 01") == "7F")
  }

  // firmware-notes/pn53x/endless-poll.md
  @Test func endlessPollGoesOnForMinutes() throws {
    var host = ReaderDialogue(.pn532(latency: .zero))
    host.patience = .seconds(300)
    #expect(host.send("4A 01 00") == "")
    host.reader.insert(try SampleCards.type4(), at: host.reader.now)
    #expect(host.listen(count: 1).first?.body.prefix(3) == [0xD5, 0x4B, 0x01])
  }

  /// firmware-notes/pn53x/activation-of-type-a.md: REQA after the field came on, then WUPA.
  @Test func haltedCardIsFoundAgain() throws {
    var host = ReaderDialogue(card: try SampleCards.type2())
    _ = host.send("32 05 00 00 00")
    #expect(host.send("4A 01 00").hasPrefix("4B 01"))
    #expect(host.send("44 00") == "45 00")
    #expect(host.send("4A 01 00").hasPrefix("4B 01"))
    let text = String(decoding: host.reader.log.text, as: UTF8.self)
    #expect(text.contains("air > 26'7"))
    #expect(text.contains("air > 52'7"))
  }

  /// S10: a card in ISO-DEP hears no request; one that the poll's end resets is found again.
  @Test func cardAtRestIsMissedEverySecondTimeWhereTheFieldIsReset() throws {
    var configuration = ChipModelConfiguration.pn532(latency: .zero)
    configuration.resetsFieldAfterMiss = true
    var host = ReaderDialogue(configuration, card: try SampleCards.type4())
    _ = host.send("32 05 00 00 00")
    let found = (0..<4).map { _ in host.send("4A 01 00").hasPrefix("4B 01") }
    #expect(found == [true, false, true, false])
    #expect(host.send("4A 01 00").hasPrefix("4B 01"))
    #expect(host.send("52 00") == "53 00")
    #expect(host.send("4A 01 00").hasPrefix("4B 01"))
  }

  // firmware-notes/pn53x/data-queue-after-silence.md
  @Test func dataQueueShowsREQAAfterSilence() throws {
    var host = ReaderDialogue(.pn533(latency: .zero))
    _ = host.send("32 05 01 00 01")
    #expect(host.send("4A 01 00") == "4B 00")
    #expect(host.send("06 63 39") == "07 00 26")
  }

  @Test func listingTunesTheRegisters() throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.type2())
    _ = host.send("32 05 00 00 00")
    for (command, mode) in [
      ("4A 01 00", "80"), ("4A 01 03 00", "83"), ("4A 01 01 00 FF FF 01 00", "92"),
      ("4A 01 02 00 FF FF 01 00", "A2"),
    ] {
      _ = host.send(command)
      #expect(host.send("06 63 02 63 03") == "07 00 \(mode) \(mode)", "after \(command)")
    }
  }

  // MARK: InAutoPoll

  @Test func autoPollFindsEachKind() throws {
    var type4 = ReaderDialogue(card: try SampleCards.type4())
    #expect(
      type4.send("60 01 01 20 10")
        == "61 01 20 12 01 00 44 20 07 04 11 22 33 44 55 66 06 75 77 81 02 80")
    var type2 = ReaderDialogue(card: try SampleCards.type2())
    #expect(
      type2.send("60 01 01 20 10") == "61 01 10 0C 01 00 44 00 07 04 11 22 33 44 55 66")
    var generic = ReaderDialogue(card: try SampleCards.type2())
    #expect(generic.send("60 01 01 00").hasPrefix("61 01 10 0C 01"))
    var feliCa = ReaderDialogue(card: try SampleCards.feliCa())
    #expect(feliCa.send("60 01 01 10 11").hasPrefix("61 01 11 13 01 12 01 02 FE"))
    #expect(feliCa.send("40 01 06 00 FF FF 00 00").hasPrefix("41 00 12 01 02 FE"))
    var typeB = ReaderDialogue(card: try SampleCards.echo(typeB: true))
    #expect(typeB.send("60 01 01 23").hasPrefix("61 01 23 0F 01 50 DE AD BE EF"))
  }

  @Test func autoPollEndsAfterItsRounds() {
    var host = ReaderDialogue(.pn532(latency: .zero))
    let start = host.reader.now
    #expect(host.send("60 02 02 10 03") == "61 00")
    // Two rounds of two kinds, 300 ms each.
    #expect((host.reader.now - start).count / 1_000_000 == 1_200)
    #expect(host.send("60 00 01 10") == "7F")
    #expect(host.send("60 01 00 10") == "7F")
    #expect(host.send("60 01 10 10") == "7F")
    #expect(host.send("60 01 01") == "7F")
  }

  @Test func endlessAutoPollWaitsForACard() throws {
    var host = ReaderDialogue(.pn532(latency: .zero))
    #expect(host.send("60 FF 01 04 40 80 10") == "")
    host.reader.insert(try SampleCards.type2(), at: host.reader.now)
    #expect(host.listen(count: 1).first?.body.prefix(4) == [0xD5, 0x61, 0x01, 0x10])
  }
}
