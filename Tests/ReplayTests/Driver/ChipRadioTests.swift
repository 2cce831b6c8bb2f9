import NFCProtocols
import PN53x
import Replay
import TagAccess
import Testing
import VirtualCards

/// `TagReader` through host engine, chip model and card, frame by frame (InCommunicateThru).
@Suite("A reader through a chip, frame by frame") struct ChipRadioTests {
  static let technologies: [Technology] = [.a, .b, .f, .v]

  private func card(_ name: String) throws -> any RadioEndpoint {
    switch name {
    case "type 2": try SampleCards.type2()
    case "type 3":
      try CardImage.type3(
        idm: [0x02, 0xFE, 1, 2, 3, 4, 5, 6], ndefMessage: SampleCards.message
      ).makeCard()
    case "type 4": try SampleCards.type4()
    case "phone": CardEmulator(NDEFCard(bytes: SampleCards.message))
    default: throw TagAccessError(.close, command: [], .noTag)
    }
  }

  @Test(
    "what is read is what is read without a chip",
    arguments: [
      "type 2", "type 3", "type 4", "phone",
    ])
  func sameAsDirect(name: String) throws {
    let configuration = TagReaderConfiguration(Self.technologies)
    let direct = readDirectly(try card(name), configuration)
    let bench = DriverBench(card: try card(name))
    let radio = bench.read(configuration)
    #expect(radio.failure == nil)
    #expect(radio.endpoint.result == direct)
    #expect((try? radio.endpoint.result?.get())?.raw == SampleCards.message)
  }

  @Test(
    "every chip",
    arguments: [
      ChipModelConfiguration.pn531(), .pn532(), .pn533(),
    ])
  func everyChip(configuration: ChipModelConfiguration) throws {
    let bench = DriverBench(configuration, card: try SampleCards.type2())
    #expect((try? bench.read().endpoint.result?.get())?.raw == SampleCards.message)
  }

  @Test("no card: every technology is polled, and the end is that there is none") func noCard() {
    let bench = DriverBench()
    let radio = bench.read(TagReaderConfiguration(Self.technologies))
    #expect(radio.failure == nil)
    #expect(
      radio.endpoint.result == .failure(TagAccessError(.poll(.v), command: [0x26, 1, 0], .noTag)))
  }

  @Test("registers and limits are written only when they change") func fewCommands() throws {
    let bench = DriverBench(card: try SampleCards.type2())
    let before = bench.commands.count
    _ = bench.read()
    #expect(
      Array(bench.commands.dropFirst(before).prefix(16)) == [
        "32 01 01",
        // REQA: seven bits, all registers anew, and an answer within 516 µs.
        "08 63 02 00 63 03 00 63 05 40 63 0D 00 63 3D 07", "32 02 00 0B 04", "42 26",
        "08 63 3D 00", "42 93 20", "42 93 70 88 04 11 22 BF B3 F9", "42 95 20",
        "42 95 70 33 44 55 66 44 EC A3",
        // READ may take 5 ms.
        "32 02 00 0B 07", "42 30 03 99 9A", "42 30 07 BD DC",
        // HLTA, and silence for 1 ms.
        "32 02 00 0B 05", "42 50 00 57 CD", "32 01 00",
      ])
  }

  @Test("the times of frames are within what is stated", arguments: ["type 2", "type 4"])
  func times(name: String) throws {
    var options = ChipRadioOptions()
    options.keepsObservations = true
    let bench = DriverBench(card: try card(name))
    var radio = bench.read(options: options)
    let observed = radio.takeObservations().filter {
      if case .frame = $0.content { true } else { false }
    }
    let truth = bench.logLines.compactMap { line in
      line.contains(" air > ") || line.contains(" air < ")
        ? line.split(separator: " ").first.flatMap { Int64($0) } : nil
    }
    #expect(observed.count == truth.count)
    #expect(!observed.isEmpty)
    for (observation, instant) in zip(observed, truth) {
      let difference = abs(observation.start.sinceStart.count - instant)
      #expect(difference <= observation.uncertainty.count)
    }
    #expect(observed.allSatisfy { $0.uncertainty < .milliseconds(10) })
  }

  @Test("limits beyond the longest code are kept by the host, which then aborts") func longLimit() {
    var configuration = CardEmulatorConfiguration()
    // FWI 14: 4.95 s.
    configuration.ats = ATS(frameSizeIndex: 8, interfaceA: 0x80, interfaceB: 0xE0, interfaceC: 0x00)
    let bench = DriverBench(
      card: CardEmulator(NDEFCard(bytes: SampleCards.message), configuration: configuration))
    let radio = bench.read()
    #expect((try? radio.endpoint.result?.get())?.raw == SampleCards.message)
    #expect(bench.commands.contains("32 02 00 0B 00"))
  }
}

/// The same tags read with the chip's own protocols (InListPassiveTarget, InDataExchange).
@Suite("A reader through a chip, APDU by APDU") struct ChipTagReaderTests {
  private func read(
    _ card: (any RadioEndpoint)?, _ configuration: TagReaderConfiguration
  ) -> (Result<TagReadResult, TagAccessError>?, DriverBench) {
    let bench = DriverBench(card: card)
    var reader = ChipTagReader(
      configuration,
      on: ChipReader(chip: bench.session.engine.chip, settings: bench.session.settings))
    let isDone = bench.session.run(&reader)
    #expect(isDone)
    return (reader.result, bench)
  }

  @Test("what is read is what is read without a chip", arguments: ["type 2", "type 4", "phone"])
  func sameAsDirect(name: String) throws {
    func card() throws -> any RadioEndpoint {
      switch name {
      case "type 2": try SampleCards.type2()
      case "type 4": try SampleCards.type4()
      default: CardEmulator(NDEFCard(bytes: SampleCards.message))
      }
    }
    let configuration = TagReaderConfiguration([.a])
    let (result, _) = read(try card(), configuration)
    #expect(result == readDirectly(try card(), configuration))
    #expect((try? result?.get())?.raw == SampleCards.message)
  }

  @Test("no card") func noCard() {
    let (result, bench) = read(nil, TagReaderConfiguration([.a, .b, .f]))
    #expect(result == .failure(TagAccessError(.poll(.f), command: [], .noTag)))
    #expect(bench.commands.filter { $0.hasPrefix("4A") }.count == 4)
  }
}
