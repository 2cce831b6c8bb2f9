import NFCProtocols
import PN53x
import Replay
import Testing
import VirtualCards

/// Exchanging data with targets: InDataExchange, InCommunicateThru and what belongs to them.
@Suite struct TargetExchangeTests {
  private static let selectNDEF = "00 A4 04 00 07 D2 76 00 00 85 01 01 00"

  // MARK: ISO-DEP by the chip

  /// The chip's frames hold 64 bytes and the card's 256: chaining on the air in both directions.
  @Test(arguments: [0, 1, 55, 61, 62, 119, 183, 247, 252, 253, 254, 255, 256, 258, 260])
  func responsesOfAllLengthsComeWhole(count: Int) throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo())
    _ = host.send("4A 01 00")
    let answer = host.send([0x40, 0x01, 0x00, UInt8(count >> 8), UInt8(count & 0xFF)])
    let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0) } + [0x00, 0x03]
    #expect(answer == [0x41, 0x00] + expected)
  }

  @Test(arguments: [261, 262, 263, 524, 525, 5_000])
  func longerResponsesComeInParts(count: Int) throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo())
    _ = host.send("4A 01 00")
    var answer = host.send([0x40, 0x01, 0x00, UInt8(count >> 8), UInt8(count & 0xFF)])
    var joined = Array(answer.dropFirst(2))
    while answer.count > 1, answer[1] == 0x40 {
      #expect(answer.count == 264)
      answer = host.send([0x40, 0x01])
      joined += answer.dropFirst(2)
    }
    #expect(joined == (0..<count).map { UInt8(truncatingIfNeeded: $0) } + [0x00, 0x03])
  }

  @Test(arguments: [1, 55, 62, 119, 252, 253, 261, 262])
  func commandsOfAllLengthsArrive(count: Int) throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo())
    _ = host.send("4A 01 00")
    let command = [UInt8](repeating: 0, count: count)
    #expect(
      host.send([0x40, 0x01] + command)
        == [0x41, 0x00, UInt8(count >> 8), UInt8(count & 0xFF)])
  }

  @Test func longerCommandsGoInParts() throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo())
    _ = host.send("4A 01 00")
    let part = [UInt8](repeating: 0, count: 262)
    #expect(host.send([0x40, 0x41] + part) == [0x41, 0x00])
    #expect(host.send([0x40, 0x41] + part) == [0x41, 0x00])
    // 262 + 262 + 1 bytes.
    #expect(host.send([0x40, 0x01, 0x00]) == [0x41, 0x00, 0x02, 0x0D])
  }

  @Test func partsThatNeverEndAreRefused() throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo())
    _ = host.send("4A 01 00")
    let part = [UInt8](repeating: 0, count: 262)
    var accepted = 0
    while host.send([0x40, 0x41] + part) == [0x41, 0x00] { accepted += 1 }
    #expect(accepted == 65_544 / 262)
    #expect(host.send([0x40, 0x01, 0x00]) == [0x41, 0x00, 0x00, 0x01])
  }

  /// S13: with automatic RATS the host sees nothing of S(WTX) but a late response.
  @Test(arguments: [600, 1_000, 2_100, 4_900])
  func slowCardIsWaitedFor(milliseconds: Int64) throws {
    var host = ReaderDialogue(
      .pn532(latency: .zero), card: try SampleCards.echo(processing: .milliseconds(milliseconds)))
    host.patience = .seconds(10)
    _ = host.send("4A 01 00")
    let start = host.reader.now
    #expect(host.send("40 01 00 00 00") == "41 00 00 03")
    #expect(host.reader.now - start >= .milliseconds(milliseconds))
    let text = String(decoding: host.reader.log.text, as: UTF8.self)
    #expect(text.contains("waiting time extended 1"))
  }

  // firmware-notes/pn53x/removed-card-stays-listed.md
  @Test func statusesOfAnExchange() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    #expect(host.send("40 01 00") == "41 27")
    #expect(host.send("40") == "7F")
    _ = host.send("4A 01 00")
    #expect(host.send("40 02 00") == "41 27")
    #expect(host.send("40 81 00 00") == "41 10")
    host.reader.removeCard(at: host.reader.now)
    #expect(host.send("40 01 " + Self.selectNDEF) == "41 01")
    #expect(host.send("00 06") == "01 01")
  }

  @Test func presenceCheckLeavesTheSessionAlone() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    #expect(host.send("00 06") == "01 27")
    _ = host.send("4A 01 00")
    _ = host.send("40 01 " + Self.selectNDEF)
    #expect(host.send("00 06") == "01 00")
    #expect(host.send("40 01 00 A4 00 0C 02 E1 03") == "41 00 90 00")
  }

  @Test func damagedBlocksAreAskedForAgainAndThenGivenUp() throws {
    // Answers of the card: ATQA, SDD, SAK, SDD, SAK, ATS, then blocks.
    var once = ReaderDialogue(
      .pn532(latency: .zero), card: try SampleCards.type4(),
      faults: ReaderFaultPlan([ReaderFault(.corrupt(bit: 9), .fromCard, 7)]))
    _ = once.send("4A 01 00")
    #expect(once.send("40 01 " + Self.selectNDEF) == "41 00 90 00")
    var always = ReaderDialogue(
      .pn532(latency: .zero), card: try SampleCards.type4(),
      faults: ReaderFaultPlan([ReaderFault(.corrupt(bit: 9), .fromCard, 7...9)]))
    _ = always.send("4A 01 00")
    #expect(always.send("40 01 " + Self.selectNDEF) == "41 02")
    #expect(always.send("04").hasPrefix("05 02"))
  }

  @Test func abortedExchangeLeavesTheChipUsable() throws {
    var host = ReaderDialogue(
      .pn532(latency: .zero), card: try SampleCards.echo(processing: .seconds(20)))
    _ = host.send("4A 01 00")
    #expect(host.send("40 01 00 00 00") == "")
    host.raw(HostFrame.ack.encoded())
    #expect(host.listen(count: 1).isEmpty)
    #expect(host.send("02") == "03 32 01 06 07")
    #expect(host.send("40 01 00 00 00") == "")
  }

  // MARK: Release, select, speed

  @Test func deselectedTargetIsSelectedAgain() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    #expect(host.send("44 01") == "45 27")
    #expect(host.send("52 00") == "53 00")
    #expect(host.send("54 01") == "55 27")
    _ = host.send("4A 01 00")
    #expect(host.send("44 00") == "45 00")
    #expect(host.send("54 01") == "55 00")
    #expect(host.send("40 01 " + Self.selectNDEF) == "41 00 90 00")
    #expect(host.send("52 01") == "53 00")
    #expect(host.send("40 01 00") == "41 27")
    #expect(host.send("54 01") == "55 27")
  }

  @Test func releaseOfAnAbsentCardTakesItsTime() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    _ = host.send("4A 01 00")
    host.reader.removeCard(at: host.reader.now)
    #expect(host.send("54 01") == "55 01")
    let start = host.reader.now
    #expect(host.send("52 00") == "53 00")
    #expect(host.reader.now - start > .milliseconds(10))
  }

  @Test func sonyPutsAByteInFrontOfTheStatus() throws {
    var host = ReaderDialogue(.rcS956(latency: .zero), card: try SampleCards.type4())
    _ = host.send("4A 01 00")
    #expect(host.send("44 01 01") == "45 01 00")
    #expect(host.send("52 01 01") == "53 01 00")
  }

  @Test func speedIsChangedByPPS() throws {
    let ats = ATS(interfaceA: 0x33)
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.echo(ats: ats))
    _ = host.send("4A 01 00")
    #expect(host.send("4E 01 02 02") == "4F 00")
    #expect(host.send("40 01 00 00 00") == "41 00 00 03")
    #expect(host.send("04") == "05 00 00 01 01 02 02 00")
    #expect(host.send("4E 01 04 04") == "4F 10")
    #expect(host.send("4E 02 01 01") == "4F 27")
    // PPS comes right after the ATS or not at all.
    #expect(host.send("4E 01 01 01") == "4F 01")
  }

  // MARK: MIFARE Classic at command level

  // firmware-notes/pn53x/mifare-by-command.md
  @Test func classicIsAuthenticatedReadAndWritten() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.classic())
    #expect(host.send("4A 01 00") == "4B 01 01 00 04 08 04 11 22 33 44")
    #expect(host.send("40 01 60 04 FF FF FF FF FF FF 11 22 33 44") == "41 00")
    #expect(host.send("06 63 38") == "07 08")
    #expect(host.send("40 01 30 04") == "41 00" + String(repeating: " 00", count: 16))
    let block = "01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10"
    #expect(host.send("40 01 A0 04 " + block) == "41 00")
    #expect(host.send("40 01 30 04") == "41 00 " + block)
  }

  @Test func valueBlocksAreChangedInTwoSteps() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.classic())
    _ = host.send("4A 01 00")
    _ = host.send("40 01 60 04 FF FF FF FF FF FF 11 22 33 44")
    // 100 as a value block, address 05.
    #expect(
      host.send("40 01 A0 05 64 00 00 00 9B FF FF FF 64 00 00 00 05 FA 05 FA") == "41 00")
    #expect(host.send("40 01 C1 05 0A 00 00 00") == "41 00")
    #expect(host.send("40 01 B0 05") == "41 00")
    #expect(host.send("40 01 30 05").hasPrefix("41 00 6E 00 00 00 91 FF FF FF"))
    #expect(host.send("40 01 C0 05 01 00 00 00") == "41 00")
    #expect(host.send("40 01 B0 05") == "41 00")
    #expect(host.send("40 01 C2 05 00 00 00 00") == "41 00")
    #expect(host.send("40 01 B0 06") == "41 00")
    #expect(host.send("40 01 30 06").hasPrefix("41 00 6D 00 00 00"))
  }

  @Test func wrongKeyHaltsTheCard() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.classic())
    _ = host.send("4A 01 00")
    #expect(host.send("40 01 60 04 00 00 00 00 00 00 11 22 33 44") == "41 14")
    #expect(host.send("40 01 30 04") == "41 01")
    _ = host.send("52 00")
    #expect(host.send("4A 01 00").hasPrefix("4B 01"))
    // Not authenticated: the card refuses by NAK.
    #expect(host.send("40 01 30 04") == "41 13")
  }

  /// S11: to a target with ISO-DEP the same bytes travel as an APDU.
  @Test func mifareBytesToAnISODEPCardAreAnAPDU() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    _ = host.send("4A 01 00")
    let answer = host.send("40 01 60 04 D3 F7 D3 F7 D3 F7 08 55 66 E6")
    #expect(answer.hasPrefix("41 00 6"), "a status word, got \(answer)")
  }

  // MARK: Type 2

  @Test func type2IsReadAndWritten() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type2())
    _ = host.send("4A 01 00")
    #expect(host.send("40 01 A2 08 01 02 03 04") == "41 00")
    #expect(host.send("40 01 30 08").hasPrefix("41 00 01 02 03 04"))
    #expect(
      host.send("40 01 A0 09 0A 0B 0C 0D 00 00 00 00 00 00 00 00 00 00 00 00") == "41 00")
    #expect(host.send("40 01 30 09").hasPrefix("41 00 0A 0B 0C 0D"))
    // GET_VERSION is one byte and no authentication.
    #expect(host.send("40 01 60").hasPrefix("41 00 00 04 04 02"))
    #expect(host.send("40 01 30 FF") == "41 13")
  }

  // firmware-notes/pn53x/raw-frames-by-register.md
  @Test func registersDecideWhatARawFrameIs() throws {
    var host = ReaderDialogue(.pn533(latency: .zero), card: try SampleCards.type2())
    _ = host.send("4A 01 00")
    // The chip expects a CRC and an ACK of four bits has none.
    #expect(host.send("42 A2 08 01 02 03 04") == "43 02")
    _ = host.send("08 63 03 00")
    #expect(host.send("42 A2 08 01 02 03 04") == "43 00 0A")
    #expect(host.send("06 63 3C") == "07 00 04")
    // Without RxCRC the CRC comes with the data.
    let answer = host.send("42 30 08")
    #expect(answer.hasPrefix("43 00 01 02 03 04"))
    #expect(answer.split(separator: " ").count == 2 + 16 + 2)
    #expect(host.send("06 63 3C") == "07 00 00")
    // Without TxCRC the host brings its own; the card refuses a frame without by NAK 1.
    _ = host.send("08 63 02 00")
    #expect(host.send("42 30 08") == "43 00 01")
  }

  @Test func anticollisionByHand() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.classic())
    _ = host.send("08 63 02 00 63 03 00 63 3D 07")
    #expect(host.send("42 26") == "43 00 04 00")
    _ = host.send("08 63 3D 00")
    #expect(host.send("42 93 20") == "43 00 11 22 33 44 44")
    let select = CRC16.a.appended(to: [0x93, 0x70, 0x11, 0x22, 0x33, 0x44, 0x44])
    let sak = CRC16.a.appended(to: [0x08])
    #expect(host.send([0x42] + select) == [0x43, 0x00] + sak)
    #expect(host.send([0x42] + CRC16.a.appended(to: [0x50, 0x00])) == [0x43, 0x01])
  }

  @Test func framesOfAnotherTechnologyAreNotHeard() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type4())
    _ = host.send("4A 01 00")
    _ = host.send("08 63 02 83 63 03 83")
    #expect(host.send("42 06 00") == "43 01")
    #expect(host.send("42") == "43 01")
  }

  @Test func limitOfRawExchangesIsThatOfRFConfiguration() throws {
    var host = ReaderDialogue(.pn532(latency: .zero), card: try SampleCards.type2())
    _ = host.send("4A 01 00")
    for (code, milliseconds) in [("0A", 51), ("08", 12), ("0C", 204), ("10", 3_276)] {
      _ = host.send("32 02 00 0B " + code)
      host.patience = .seconds(10)
      host.reader.removeCard(at: host.reader.now)
      let start = host.reader.now
      #expect(host.send("42 30 00") == "43 01")
      let waited = (host.reader.now - start).count / 1_000_000
      #expect(abs(Int(waited) - milliseconds) <= 1, "code \(code): \(waited) ms")
    }
    // libnfc reads the timer of an SCL3711 back: 51.2 ms are 512 ticks.
    _ = host.send("32 02 00 0B 0A")
    _ = host.send("42 30 00")
    #expect(host.send("06 63 1A 63 1B 63 1C 63 1D") == "07 82 A5 02 00")
    // Code 0 is no limit at all.
    _ = host.send("32 02 00 0B 00")
    #expect(host.send("42 30 00") == "")
  }

  @Test func exchangesAreRepeatedAsItem04Says() throws {
    var host = ReaderDialogue(
      .pn532(latency: .zero), card: try SampleCards.type2(),
      faults: ReaderFaultPlan([ReaderFault(.drop, .fromReader, 6...7)]))
    _ = host.send("4A 01 00")
    #expect(host.send("40 01 30 04") == "41 01")
    _ = host.send("32 04 01")
    #expect(host.send("40 01 30 04").hasPrefix("41 00 03"))
  }

  // MARK: DEP, which nobody answers

  @Test func searchForADEPTargetEndsInVain() throws {
    var host = ReaderDialogue(.pn533(latency: .zero))
    let start = host.reader.now
    #expect(host.send("56 00 02 01 00 FF FF 00 00") == "57 01")
    let waited = (host.reader.now - start).count / 1_000_000
    #expect(waited == 552)
    #expect(host.send("56 01 02 00") == "")
    _ = host.send("32 05 01 01 01")
    #expect(host.send("56 01 02 00") == "57 01")
    #expect(host.send("46 00 00 00") == "47 01")
    #expect(host.send("56 02 00 00") == "7F")
    #expect(host.send("50 01 00") == "51 27")
    #expect(host.send("48 01") == "49 00")
    #expect(host.send("38 0A") == "39 01")
  }
}
