import Exploration
import NFCProtocols
import NFCTrace
import Replay
import Testing

@Suite struct FrameReplayTests {
  private func selfRun(
    _ script: ReplayScript, faults: String = "", keepsLogText: Bool = true
  ) throws -> RadioRun<FrameTerminal, FrameCard, CalmDecisions> {
    var run = RadioRun(
      reader: FrameTerminal(script), card: FrameCard(script), decisions: CalmDecisions(),
      medium: .air, faults: FaultPlan(try FaultText.parse(faults)), keepsLogText: keepsLogText)
    loop: while true {
      switch run.run() {
      case .finished, .idle, .budgetExhausted: break loop
      case .application: continue
      }
    }
    run.closeLimits()
    return run
  }

  @Test func aTracePlayedAgainstItselfAgreesInAllExchanges() throws {
    let run = try selfRun(SampleTrace.script())
    #expect(run.reader.matcher.divergence == nil)
    #expect(run.card.matcher.divergence == nil)
    #expect(run.reader.matcher.agreed == [0, 1, 2, 3, 4, 5])
    #expect(run.card.matcher.agreed == [0, 1, 2, 3, 4, 5])
  }

  @Test func theLogTellsTheRecordedTimesAndBytes() throws {
    let run = try selfRun(SampleTrace.script())
    let lines = String(decoding: run.log.text, as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "0 reader field on")
    #expect(lines.contains { $0.hasPrefix("5100000 reader > 26'7 +") })
    #expect(lines.contains { $0.hasPrefix("5276106 card < 0400 +") })
    #expect(lines.contains { $0.hasPrefix("14500000 card < 029000") })
    #expect(lines.contains { $0.hasPrefix("18000000 card < 03000b9000") })
    #expect(lines.count == run.log.lineCount)
  }

  @Test func theHashIsFNV1aOverTheLines() throws {
    let run = try selfRun(SampleTrace.script())
    // FNV-1a, 64 bits: offset basis CBF29CE484222325, prime 100000001B3.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in run.log.text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    #expect(run.log.hash == hash)
    #expect(try selfRun(SampleTrace.script(), keepsLogText: false).log.hash == hash)
    #expect(try selfRun(SampleTrace.script(), keepsLogText: false).log.text.isEmpty)
  }

  @Test func aSummaryIsNotPartOfTheHash() throws {
    let plain = try selfRun(countingScript(2))
    var run = RadioRun(
      reader: FrameTerminal(countingScript(2)), card: FrameCard(countingScript(2)),
      decisions: CalmDecisions(), medium: .air)
    run.summary = { _, _ in "words" }
    while case .application = run.run() {}
    #expect(run.log.hash == plain.log.hash)
    #expect(String(decoding: run.log.text, as: UTF8.self).contains(" ; words\n"))
  }

  @Test func limitsAndTheirUseAreRecorded() throws {
    let run = try selfRun(SampleTrace.script())
    let uses = run.limitUses
    #expect(uses.map(\.exchange) == [1, 2, 3, 4, 5, 6])
    #expect(uses[3].limit == TimeLimit(.activation, .carrierCycles(65_536)))
    // FWI 4 of the ATS 05 78 80 40 02: 4096 · 2^4 / fc.
    #expect(uses[4].limit == TimeLimit(.frameWaitingTime, .carrierCycles(65_536)))
    #expect(uses.allSatisfy { !$0.isLate })
  }

  @Test func theActivationIsFound() {
    let activation = SampleTrace.script().activation
    #expect(activation.uid == [0x11, 0x22, 0x33, 0x44])
    #expect(activation.atqa == [0x04, 0x00])
    #expect(activation.sak == 0x20)
    #expect(activation.ats == [0x05, 0x78, 0x80, 0x40, 0x02])
  }

  @Test func aDroppedAnswerIsMissing() throws {
    let run = try selfRun(countingScript(3), faults: "drop(2)")
    let divergence = try #require(run.reader.matcher.divergence)
    #expect(divergence.kind == .missing)
    #expect(divergence.exchange == 2)
    #expect(divergence.expected?.bytes == [0xB0, 0x01])
    #expect(divergence.lateBy == nil)
    #expect(run.faults.unusedRules.isEmpty)
  }

  @Test func anAnswerAfterTheReaderHasGoneSaysHowLateItWas() throws {
    let outcome = countingScript(3).playAgainstItself(
      ReplayOptions(faults: try FaultText.parse("late(2,+20s)")))
    guard case .diverged(let divergence) = outcome.verdict else {
      Issue.record("verdict is \(outcome.verdict)")
      return
    }
    #expect(divergence.kind == .missing)
    // Limit 5 ms, recorded 0.1 ms, 20 s more.
    #expect(divergence.lateBy == .microseconds(19_995_100))
    #expect(
      divergence.line == "MISSING at exchange 2: no answer within 5.0 ms; it was 20.00 s too late")
  }

  @Test func aLateAnswerIsLateByWhatIsMissingFromTheLimit() throws {
    // Limit 5 ms, recorded 0.1 ms, 6 ms more: 1.1 ms late.
    let run = try selfRun(countingScript(3), faults: "late(2,+6ms)")
    let divergence = try #require(run.reader.matcher.divergence)
    #expect(divergence.kind == .late)
    #expect(divergence.exchange == 2)
    #expect(divergence.lateBy == .microseconds(1_100))
    #expect(run.limitUses.last?.margin == .microseconds(-1_100))
  }

  @Test(arguments: [("late(2,+4.9ms)", true), ("late(2,+4.900001ms)", false)])
  func anAnswerAtTheLimitIsInTime(faults: String, agrees: Bool) throws {
    let run = try selfRun(countingScript(3), faults: faults)
    #expect((run.reader.matcher.divergence == nil) == agrees)
  }

  @Test func aBrokenBitIsDifferent() throws {
    let run = try selfRun(countingScript(3), faults: "corrupt(3,8)")
    let divergence = try #require(run.reader.matcher.divergence)
    #expect(divergence.kind == .different)
    #expect(divergence.actual?.bytes == [0xB0, 0x03])
    #expect(divergence.expected?.bytes == [0xB0, 0x02])
    #expect(divergence.firstDifference == 1)
  }

  @Test func aDoubledAnswerIsUnexpected() throws {
    let run = try selfRun(countingScript(3), faults: "dup(1)")
    let divergence = try #require(run.reader.matcher.divergence)
    #expect(divergence.kind == .unexpected)
    #expect(divergence.exchange == 1)
    #expect(divergence.actual?.bytes == [0xB0, 0x00])
  }

  @Test func aBrokenCommandIsDifferentForTheCard() throws {
    let run = try selfRun(countingScript(3), faults: "corrupt(2,0,reader)")
    let divergence = try #require(run.card.matcher.divergence)
    #expect(divergence.kind == .different)
    #expect(divergence.direction == .outbound)
    #expect(divergence.exchange == 2)
    #expect(divergence.actual?.bytes == [0xA1, 0x01])
  }

  @Test func exchangesThatNobodyAskedForAreLeftOver() throws {
    var run = RadioRun(
      reader: FrameTerminal(countingScript(2)), card: FrameCard(countingScript(5)),
      decisions: CalmDecisions(), medium: .air)
    while case .application = run.run() {}
    run.card.close(at: run.now)
    let divergence = try #require(run.card.matcher.divergence)
    #expect(divergence.kind == .leftover)
    #expect(divergence.leftoverCount == 3)
    #expect(divergence.exchange == 3)
  }

  @Test func aCommandAfterTheEndIsUnexpected() throws {
    var run = RadioRun(
      reader: FrameTerminal(countingScript(3)), card: FrameCard(countingScript(2)),
      decisions: CalmDecisions(), medium: .air)
    while case .application = run.run() {}
    let divergence = try #require(run.card.matcher.divergence)
    #expect(divergence.kind == .unexpected)
    #expect(divergence.actual?.bytes == [0xA0, 0x02])
  }

  @Test func aRunEndsAtItsBudget() {
    var run = RadioRun(
      reader: FrameTerminal(countingScript(100)), card: FrameCard(countingScript(100)),
      decisions: CalmDecisions(), medium: .air,
      budget: RunBudget(steps: 50, virtualTime: .seconds(1), logLines: 1_000))
    #expect(run.run() == .budgetExhausted(.steps))
    #expect(run.stepCount == 50)
  }

  @Test func aFieldThatGoesOffTakesTheAnswerWithIt() throws {
    var events = SampleTrace.activation
    events += [
      SampleTrace.command(11_000_000, [0x50, 0x00], protected: true),
      SampleTrace.field(12_000_000, isOn: false),
      SampleTrace.field(18_000_000, isOn: true),
      SampleTrace.command(24_000_000, [0x26], bits: 7),
      SampleTrace.answer(24_176_106, [0x04, 0x00], crc: .absent),
    ]
    let run = try selfRun(SampleTrace.script(events))
    #expect(run.reader.isComplete)
    let lines = String(decoding: run.log.text, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("12000000 reader field off"))
    #expect(lines.contains("18000000 reader field on"))
    #expect(lines.contains { $0.hasPrefix("24000000 reader > 26'7") })
  }
}
