import Exploration
import NFCProtocols
import NFCTrace
import Replay
import TagAccess
import Testing

/// How a reader selects the NDEF application of a Type 4 tag, after its specification.
///
/// The UID is made up, FWI is 4 (4.83 ms).
enum Type4Trace {
  static let select: [UInt8] = [
    0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
  ]

  static func events(_ apdus: [(Int64, Direction, [UInt8])]) -> [TraceEvent] {
    SampleTrace.activation
      + apdus.map { time, direction, bytes in
        TraceEvent(start: .microseconds(time), .apdu(direction, bytes))
      }
  }

  static let session: [TraceEvent] = events([
    (20_000, .outbound, select),
    (22_000, .inbound, [0x90, 0x00]),
    (23_000, .outbound, [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03]),
    (24_000, .inbound, [0x90, 0x00]),
    (25_000, .outbound, [0x00, 0xB0, 0x00, 0x00, 0x0F]),
    (27_000, .inbound, [0x6A, 0x82]),
  ])

  static func script(_ events: [TraceEvent] = session) throws -> ReplayScript {
    var lifting = TraceLifting(header: TraceHeader(technology: .a))
    for event in events { lifting.add(event) }
    return lifting.script(.apdu)
  }
}

@Suite struct APDUReplayTests {
  @Test func apdusAreTakenOutOfBlocksOnTheAir() throws {
    var lifting = TraceLifting(header: TraceHeader(technology: .a))
    for event in SampleTrace.session { lifting.add(event) }
    let script = lifting.script(.apdu)
    #expect(script.entries.map(\.command.bytes) == [Type4Trace.select, [0, 0xB0, 0, 0, 2]])
    #expect(script.entries[1].answers.map(\.frame.bytes) == [[0x00, 0x0B, 0x90, 0x00]])
    #expect(script.activation.uid == [0x11, 0x22, 0x33, 0x44])
  }

  /// Chaining both ways, a waiting time extension, and a block sent again after R(NAK).
  @Test func whatIsBelowAPDUsLeavesNoTrace() throws {
    typealias Trace = SampleTrace
    let frames: [(Direction, [UInt8])] = [
      (.outbound, [0x12, 0x00, 0xD6]), (.inbound, [0xA2]),
      (.outbound, [0x03, 0x00, 0x00, 0x01, 0x55]), (.inbound, [0xF2, 0x01]),
      (.outbound, [0xF2, 0x01]), (.inbound, [0x13, 0x01, 0x02]),
      (.outbound, [0xB2]), (.inbound, [0x13, 0x01, 0x02]),
      (.outbound, [0xA2]), (.inbound, [0x02, 0x90, 0x00]),
    ]
    var lifting = TraceLifting(header: TraceHeader(technology: .a))
    for event in Trace.activation { lifting.add(event) }
    for (index, frame) in frames.enumerated() {
      let time = 20_000_000 + Int64(index) * 2_000_000
      lifting.add(
        frame.0 == .outbound
          ? Trace.command(time, frame.1, protected: true)
          : Trace.answer(time, frame.1, protected: true))
    }
    let script = lifting.script(.apdu)
    #expect(script.entries.map(\.command.bytes) == [[0x00, 0xD6, 0x00, 0x00, 0x01, 0x55]])
    #expect(script.entries[0].answers.map(\.frame.bytes) == [[0x01, 0x02, 0x90, 0x00]])
  }

  @Test func recordedAPDUsPlayedAgainstThemselvesAgree() throws {
    let outcome = try Type4Trace.script().playAgainstItself()
    #expect(outcome.verdict == .agreed)
    #expect(outcome.agreed == [0, 1, 2])
    let log = String(decoding: outcome.log.text, as: UTF8.self)
    // The recorded UID is the one that the card presents, the SELECT goes out in block 0.
    #expect(log.contains("card < 1122334444"))
    #expect(log.contains("reader > 0200a4040007d276000085010100"))
    #expect(log.contains("card < 029000"))
  }

  /// Recorded 2 ms after the command, the frame waiting time is 4.833 ms.
  @Test func aLateAnswerIsAskedForAgainAndTold() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(faults: try FaultText.parse("late(1,+5ms)")))
    guard case .diverged(let divergence) = outcome.verdict else {
      Issue.record("verdict is \(outcome.verdict)")
      return
    }
    #expect(divergence.exchange == 1)
    #expect(divergence.kind == .late)
    #expect(divergence.limit == TimeLimit(.frameWaitingTime, .carrierCycles(65_536)))
    #expect(divergence.lateBy == .milliseconds(7) - .carrierCycles(65_536))
    let use = outcome.limitUses.first { $0.exchange == 1 }
    #expect(use?.used == .milliseconds(7))
    #expect(String(decoding: outcome.log.text, as: UTF8.self).contains("reader > b2"))
  }

  @Test func withThePolicyTheReaderTakesALateAnswer() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(policy: .allowLate, faults: try FaultText.parse("late(1,+5ms)")))
    #expect(outcome.verdict == .agreed)
    #expect(outcome.unusedFaults.isEmpty)
  }

  @Test func anAnswerThatNeverComesEndsInDeselect() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(policy: .allowLate, faults: try FaultText.parse("late(1,+1s)")))
    guard case .diverged(let divergence) = outcome.verdict else {
      Issue.record("verdict is \(outcome.verdict)")
      return
    }
    #expect(divergence.kind == .missing)
    // Recorded after 2 ms, 1 s later now, 65536/fc allowed.
    #expect(divergence.lateBy == .milliseconds(1_002) - .carrierCycles(65_536))
    #expect(outcome.limitUses.first { $0.exchange == 1 }?.used == .milliseconds(1_002))
    let log = String(decoding: outcome.log.text, as: UTF8.self)
    // Two R(NAK), then S(DESELECT): ISO/IEC 14443-4 7.5.5 and 8.2.
    #expect(log.split(separator: "\n").count { $0.contains("reader > b2") } == 2)
    #expect(log.contains("reader > c2"))
  }

  @Test func theAnswerToDeselectIsNoAnswerToTheCommandBefore() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(policy: .allowLate, faults: try FaultText.parse("late(1,+1s)")))
    let deselect = try #require(outcome.limitUses.last)
    #expect(deselect.exchange == 0)
    #expect(deselect.limit.kind == .activation)
    #expect(!deselect.isLate)
  }

  /// A recorded card that took longer than its FWT had asked for more time, so it does again.
  @Test func aCardMayAskForMoreTimeUpToTheBound() throws {
    let script = try Type4Trace.script(
      Type4Trace.events([(20_000, .outbound, Type4Trace.select), (60_000, .inbound, [0x90, 0])]))
    let calm = script.playAgainstItself()
    #expect(calm.verdict == .agreed)
    let log = String(decoding: calm.log.text, as: UTF8.self)
    let asked = log.split(separator: "\n").count { $0.contains("reader waiting time extended") }
    // 40 ms with a limit of 4.83 ms.
    #expect(asked >= 1)
    var budget = RunBudget.standard
    budget.extensions = asked
    #expect(script.playAgainstItself(ReplayOptions(budget: budget)).verdict == .agreed)
    budget.extensions = asked - 1
    #expect(
      script.playAgainstItself(ReplayOptions(budget: budget)).verdict == .exhausted(.extensions))
  }

  @Test func aLostAnswerIsRecoveredBelowMatching() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(faults: try FaultText.parse("drop(2)")))
    #expect(outcome.verdict == .agreed)
    #expect(String(decoding: outcome.log.text, as: UTF8.self).contains("reader > b3"))
  }

  @Test func aBrokenAnswerIsRecoveredBelowMatching() throws {
    let outcome = try Type4Trace.script().playAgainstItself(
      ReplayOptions(faults: try FaultText.parse("corrupt(2,9)")))
    #expect(outcome.verdict == .agreed)
  }

  @Test func readingCodeIsMatchedAPDUByAPDU() throws {
    let script = try Type4Trace.script()
    var run = script.run(reader: APDUSession(TagReaderConfiguration([.a])))
    run.answer(.reader, Type4Trace.select)
    #expect(run.run() == .application(.reader, [0x90, 0x00]))
    run.answer(.reader, [0x00, 0xB0, 0x00, 0x00, 0x0F], after: .milliseconds(3))
    let stop = run.run()
    #expect(stop == .finished(.card))
    let outcome = script.outcome(of: &run, ReplayOptions(), stop: stop, failure: nil)
    guard case .diverged(let divergence) = outcome.verdict else {
      Issue.record("verdict is \(outcome.verdict)")
      return
    }
    #expect(divergence.kind == .different)
    #expect(divergence.exchange == 2)
    #expect(divergence.firstDifference == 1)
  }

  @Test func readingCodeThatStopsEarlyLeavesExchangesOver() throws {
    let script = try Type4Trace.script()
    var run = script.run(reader: APDUSession(TagReaderConfiguration([.a])))
    run.answer(.reader, Type4Trace.select)
    #expect(run.run() == .application(.reader, [0x90, 0x00]))
    run.endApplication(.reader)
    let stop = run.run()
    #expect(stop == .finished(.reader))
    let outcome = script.outcome(of: &run, ReplayOptions(), stop: stop, failure: nil)
    #expect(outcome.line.hasPrefix("LEFTOVER from exchange 2 on: 2 recorded exchanges"))
  }

  @Test func emulationCodeIsDrivenByTheRecordedTerminal() throws {
    let script = try Type4Trace.script()
    var run = script.run(card: CardEmulator(nil))
    #expect(run.run() == .application(.card, Type4Trace.select))
    run.answer(.card, [0x90, 0x00], after: .milliseconds(2))
    #expect(run.run() == .application(.card, [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03]))
    run.answer(.card, [0x90, 0x00])
    #expect(run.run() == .application(.card, [0x00, 0xB0, 0x00, 0x00, 0x0F]))
    run.answer(.card, [0x6A, 0x82])
    let stop = run.run()
    #expect(stop == .finished(.reader))
    let outcome = script.outcome(of: &run, ReplayOptions(), stop: stop, failure: nil)
    #expect(outcome.verdict == .agreed)
    let used = outcome.limitUses.first { $0.exchange == 1 }?.used ?? .zero
    // Two milliseconds of declared work, rounded up to the grid of 128/fc.
    #expect(used >= .milliseconds(2) && used < .microseconds(2_020))
  }
}
