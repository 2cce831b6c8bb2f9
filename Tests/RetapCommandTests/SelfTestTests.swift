import NFCProtocols
import NFCTrace
import PN53x
import Replay
import TraceFormats
import Testing

@testable import RetapCommand

/// The self-test in virtual time: a model in the place of the chip.
struct SelfTestTests {
  private static func outcomes(
    _ configuration: ChipModelConfiguration, _ steps: [SelfTestStep]
  ) -> [[CommandOutcome]] {
    var session = SimulatedSession(
      HostEngine(HostEngineConfiguration(.usb, chip: configuration.chip)),
      SimulatedReader(chip: ChipModel(configuration), link: .usbFullSpeed))
    var opening = LinkPlan.opening(.usb)
    session.run(&opening)
    var agenda = SelfTestAgenda(steps, settings: session.settings)
    session.run(&agenda)
    return agenda.outcomes
  }

  private static func comparison(
    of configuration: ChipModelConfiguration, with other: ChipModelConfiguration
  ) -> SelfTestComparison {
    let steps = SelfTestStep.all(for: configuration.chip)
    return SelfTestComparison(
      steps: steps, on: configuration.chip, chip: outcomes(configuration, steps),
      model: outcomes(other, steps))
  }

  @Test(arguments: [Chip.pn531, .pn532, .pn533, .rcS956])
  func aChipLikeTheModelHasNoDifferences(chip: Chip) throws {
    let configuration = try #require(SelfTestCommand.modelConfiguration(of: chip))
    let comparison = Self.comparison(of: configuration, with: configuration)
    #expect(comparison.differences == 0)
    #expect(comparison.compared >= 15, "most steps are compared")
    #expect(comparison.rows.allSatisfy { $0.verdict != .missing }, "every step is reached")
    #expect(comparison.timeRatio == 100)
  }

  @Test func anotherAnswerIsADifference() {
    var other = ChipModelConfiguration.pn533()
    other.ports.p3 = 0
    other.ports.p7 = 0
    other.ports.i0i1 = 0
    #expect(
      Self.comparison(of: other, with: .pn533()).differences == 0, "ports depend on the board")
    var chip = Self.outcomes(.pn533(), SelfTestStep.all(for: .pn533))
    let model = chip
    let steps = SelfTestStep.all(for: .pn533)
    let place = steps.firstIndex { $0.name == "ROM" } ?? 0
    chip[place][0].result = .success(.diagnose([0xFF]))
    let comparison = SelfTestComparison(steps: steps, on: .pn533, chip: chip, model: model)
    #expect(comparison.differences == 1)
    #expect(comparison.rows[place].verdict == .different)
    #expect(comparison.rows[place].chip == "bad")
    #expect(comparison.rows[place].model == "good")
  }

  @Test func slowTimesShowInTheRatio() {
    var quick = ChipModelConfiguration.pn533()
    quick.latency = .zero
    let ratio = Self.comparison(of: quick, with: .pn533()).timeRatio
    #expect((ratio ?? 100) < 50, "a chip that takes no time is faster than the model")
  }

  /// Lengths on both sides of a packet, of a normal frame, and the longest (pn53x.md 1.2, 8.3).
  @Test func theEchoesReachTheLongestFrameOfEachChip() {
    func echoes(_ chip: Chip, isBehindCCID: Bool = false) -> [Int] {
      SelfTestStep.all(for: chip, isBehindCCID: isBehindCCID).compactMap { step in
        guard case .diagnose(test: 0, let bytes) = step.command, bytes.count > 6 else { return nil }
        return bytes.count
      }
    }
    #expect(echoes(.pn533) == [54, 118, 251, 252, 253, 262])
    #expect(echoes(.pn531) == [54, 118, 251])
    #expect(echoes(.pn532, isBehindCCID: true) == [54, 118, 251])
  }

  @Test func theEvidenceIsATraceThatRetapReads() throws {
    let steps = SelfTestStep.all(for: .pn533)
    let outcomes = Self.outcomes(.pn533(), steps)
    let report = SelfTestReport(
      reader: ReaderIdentity(address: "usb:04e6:5591", name: "SCL3711, PN533 2.7"),
      comparison: SelfTestComparison(steps: steps, on: .pn533, chip: outcomes, model: outcomes))
    var log = TransferLog(.usb, origin: .seconds(100))
    let command: [UInt8] = [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00]
    let acknowledgement: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    log.received(acknowledgement, at: .seconds(100) + .microseconds(700))
    log.sent(
      command, submitted: .seconds(100) + .microseconds(10),
      left: .seconds(100) + .microseconds(800))
    let bytes = try report.trace(log.events, madeBy: "retap 0.1.0 selftest")
    var decoder = TextTraceDecoder()
    var batch = TraceBatch()
    try decoder.decode(bytes[...], into: &batch)
    try decoder.finish(into: &batch)
    #expect(batch.ending?.isComplete == true)
    #expect(batch.header?.reader?.name == "SCL3711, PN533 2.7")
    // The command is told after the acknowledgement that it caused, and stands before it.
    #expect(batch.events[0].start == .microseconds(10))
    #expect(batch.events[0].end == .microseconds(800))
    #expect(batch.events[1].start == .microseconds(700))
    #expect(batch.events.count == 2 + steps.count + 1)
  }
}
