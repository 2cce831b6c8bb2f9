import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// S10 … S15: public reports about the air, played to our driver through the chip model.
@Suite("Scenarios of the air") struct RadioScenarioTests {
  /// How APDUs reach the card.
  enum Way: CaseIterable, Sendable {
    /// The chip runs ISO-DEP.
    case chip
    /// We run ISO-DEP, block by block.
    case frames
  }

  private func read(
    _ bench: DriverBench, _ way: Way,
    _ configuration: TagReaderConfiguration = TagReaderConfiguration([.a])
  ) -> Result<TagReadResult, TagAccessError>? {
    switch way {
    case .frames: return bench.read(configuration).endpoint.result
    case .chip:
      var reader = ChipTagReader(
        configuration, on: ChipReader(chip: .pn533, settings: bench.session.settings))
      let isDone = bench.session.run(&reader)
      #expect(isDone)
      return reader.result
    }
  }

  private func phone(
    interfaceB: UInt8 = 0x71, processing: Nanoseconds = .zero,
    waiting: IsoDepTarget.WaitingPolicy = .standard
  ) -> CardEmulator {
    var configuration = CardEmulatorConfiguration()
    configuration.ats = ATS(
      frameSizeIndex: 8, interfaceA: 0x80, interfaceB: interfaceB, interfaceC: 0x00)
    configuration.waiting = waiting
    return CardEmulator(
      NDEFCard(bytes: SampleCards.message, processing: processing), configuration: configuration)
  }

  private func isGood(_ result: Result<TagReadResult, TagAccessError>?) -> Bool {
    (try? result?.get())?.raw == SampleCards.message
  }

  // MARK: S10, S11

  @Test("S10: a card at rest is there all the time, and gone after two misses") func resting()
    throws
  {
    let bench = DriverBench(card: try SampleCards.type4())
    var watch = TargetWatch(
      [.typeA106], on: ChipReader(chip: .pn533, settings: bench.session.settings))
    bench.finish(&watch)
    guard case .arrived(let target)? = watch.event else {
      Issue.record("the card did not arrive")
      return
    }
    #expect(target.tag.identifier == SampleCards.uid)
    bench.expectWork(&watch, until: bench.session.now + .seconds(3))
    bench.session.reader.removeCard(at: bench.session.now)
    let removed = bench.session.now
    bench.finish(&watch)
    guard case .left? = watch.event else {
      Issue.record("the card did not leave")
      return
    }
    #expect(bench.session.now - removed < .milliseconds(700))
  }

  @Test(
    "S11: a phone is read by APDUs; no MIFARE command is ever sent to it", arguments: Way.allCases)
  func notAClassic(way: Way) {
    let bench = DriverBench(card: phone())
    #expect(isGood(read(bench, way)))
    #expect(!bench.commands.contains { $0.hasPrefix("40 01 60") || $0.hasPrefix("42 60") })
  }

  // MARK: S12

  @Test("S12: a phone that takes 1.2 s for each answer is not lost", arguments: Way.allCases)
  func slowPhone(way: Way) {
    let bench = DriverBench(card: phone(processing: .milliseconds(1_200)))
    #expect(isGood(read(bench, way)))
  }

  @Test("S12: after 41 01 the field goes off, and the card is polled and selected again")
  func lost() {
    // RELEASE, poll and the first SELECT: the answer of the third.
    let fault = ReaderFault(.status(0x01), .toHost, LinkScenarioTests.openingIn + 6)
    let bench = DriverBench(card: phone(), faults: [fault])
    var configuration = TagReaderConfiguration([.a])
    configuration.sessionAttempts = 2
    #expect(isGood(read(bench, .chip, configuration)))
    #expect(bench.session.reader.faults.unused.isEmpty)
    let own = bench.commands.dropFirst(LinkScenarioTests.openingOut)
    let start = ["52 00", "4A 01 00", "40 01 00 A4 04 00 07 D2 76 00 00 85 01 01 00"]
    #expect(Array(own.prefix(6)) == start + ["52 01", "32 01 00", "52 00"])
  }

  @Test("S12: the error frame is a typed error, and the next reading works") func errorFrame() {
    let fault = ReaderFault(
      .replace(HostFrame.error.encoded()), .toHost, LinkScenarioTests.openingIn + 6)
    let bench = DriverBench(card: phone(), faults: [fault])
    guard case .failure(let error)? = read(bench, .chip), case .chip(let failure) = error.problem
    else {
      Issue.record("no failure")
      return
    }
    #expect(failure.link == .syntaxError)
    #expect(error.step == .selectApplication)
    #expect(isGood(read(bench, .chip)))
  }

  // MARK: S13, S15

  @Test("S13: extensions at FWI 8 with WTXM 2, and at FWI 11 with WTXM 59", arguments: Way.allCases)
  func extensions(way: Way) {
    for (interfaceB, multiplier, processing) in [
      (UInt8(0x81), UInt8(2), Int64(150)), (0xB1, 59, 4_000), (0x81, 1, 400),
    ] {
      let bench = DriverBench(
        card: phone(
          interfaceB: interfaceB, processing: .milliseconds(processing),
          waiting: .automatic(percent: 75, multiplier: multiplier)))
      #expect(isGood(read(bench, way)), "FWI \(interfaceB >> 4), WTXM \(multiplier)")
    }
  }

  @Test(
    "S15: as long as extensions come, the card is waited for", arguments: Way.allCases,
    [
      600, 1_000, 2_100, 4_900,
    ])
  func slowCommands(way: Way, milliseconds: Int64) {
    let bench = DriverBench(card: phone(processing: .milliseconds(milliseconds)))
    #expect(isGood(read(bench, way)))
  }

  @Test("S15: a card that asks for no time and takes it is lost, and the error says after what")
  func silentCard() {
    let bench = DriverBench(card: phone(processing: .seconds(3), waiting: .off))
    guard case .failure(let error)? = read(bench, .frames) else {
      Issue.record("a silent card was read")
      return
    }
    #expect(error.step == .selectApplication)
    #expect(error.command.starts(with: [0x00, 0xA4, 0x04, 0x00]))
    guard case .blocks(let failure) = error.problem else {
      Issue.record("the block protocol should have given it up: \(error.message)")
      return
    }
    #expect(failure.reason == .silence)
  }

  // MARK: S14

  private struct Echo: EmulatedCard {
    mutating func respond(to command: [UInt8]) -> EmulatedAnswer { EmulatedAnswer(command) }
  }

  @Test(
    "S14: commands and answers of every length, byte for byte",
    arguments: [
      1, 55, 119, 183, 247, 252, 253, 254, 255, 256, 261, 262, 263, 524, 525, 4_096,
    ])
  func lengths(length: Int) throws {
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 5) }
    let bench = DriverBench(card: CardEmulator(Echo()))
    var select = TargetSelection(.typeA106, chip: .pn533, settings: bench.session.settings)
    bench.session.run(&select)
    let target = try #require(select.result).get()
    var exchange = TargetExchange.apdu(
      data, to: target, on: ChipReader(chip: .pn533, settings: bench.session.settings))
    bench.session.run(&exchange)
    #expect(exchange.result == .success(data))

    let session = APDUSession(TagReaderConfiguration([.a]))
    let framed = DriverBench(card: CardEmulator(Echo()))
    var radio = ChipRadio(session, chip: .pn533, settings: framed.session.settings)
    radio.application(data)
    framed.session.run(&radio)
    #expect(radio.takeApplicationMessages() == [data])
    radio.endApplication()
    framed.session.run(&radio)
    #expect(radio.isFinished)
  }

  // MARK: Faults on the air

  @Test(
    "a frame is lost or damaged on the air: it is asked for again",
    arguments: [
      ReaderFault.Effect.drop, .corrupt(bit: 20), .truncate(count: 2),
    ])
  func airFaults(effect: ReaderFault.Effect) {
    for place in [ReaderFault.Place.fromReader, .fromCard] {
      // Blocks begin at the fifth frame; DESELECT is the twelfth.
      for number in 5...11 {
        let bench = DriverBench(
          card: phone(), faults: [ReaderFault(effect, place, number)])
        #expect(isGood(read(bench, .frames)), "\(place) \(number)")
      }
    }
  }

  @Test("the card leaves at any frame: a typed error, and the next card is read") func cardLeaves()
    throws
  {
    for way in Way.allCases {
      for number in 1...11 {
        let bench = DriverBench(
          card: phone(), faults: [ReaderFault(.removeCard, .fromReader, number)])
        let result = read(bench, way)
        // The last frame is the DESELECT, and with the chip's frames it may be one earlier.
        if number < 10 { #expect(!isGood(result), "\(way) \(number)") }
        guard bench.session.reader.faults.unused.isEmpty else { continue }
        bench.session.reader.insert(try SampleCards.type2(), at: bench.session.now)
        #expect(isGood(read(bench, way)), "\(way) \(number)")
      }
    }
  }
}
