import Exploration
import NFCProtocols
import NFCTrace
import Replay
import Testing

@Suite struct ReportTests {
  /// The kiosk of the product page: InListPassiveTarget recorded, GetFirmwareVersion sent.
  private func kiosk() throws -> DivergenceReport {
    let bodies: [([UInt8], [UInt8])] = [
      ([0xD4, 0x02], [0xD5, 0x03, 0x33, 0x02, 0x07, 0x07]),
      ([0xD4, 0x4A, 0x01, 0x00], [0xD5, 0x4B, 0x00]),
      ([0xD4, 0x02], [0xD5, 0x03, 0x33, 0x02, 0x07, 0x07]),
      ([0xD4, 0x32, 0x01, 0x00], [0xD5, 0x33]),
    ]
    let script = ReplayScript(
      layer: .chip,
      entries: bodies.map { command, answer in
        ScriptEntry(
          command: RadioFrame(command), gap: .milliseconds(1),
          answers: [
            ScriptAnswer(RadioFrame([]), delay: .milliseconds(1)),
            ScriptAnswer(RadioFrame(answer), delay: .milliseconds(1)),
          ],
          limit: TimeLimit(.application, .seconds(1)))
      })
    var matcher = ScriptMatcher(script)
    _ = matcher.take(RadioFrame([0xD4, 0x02]), at: .start)
    matcher.agree(0)
    _ = matcher.take(RadioFrame([0xD4, 0x02]), at: VirtualInstant(.milliseconds(4)))
    let divergence = try #require(matcher.divergence)
    let outcome = ReplayOutcome(
      verdict: .diverged(divergence), script: script, agreed: matcher.agreed,
      duration: .milliseconds(4), log: RunLog(), limitUses: [], unusedFaults: [],
      policy: .strict, masks: .none)
    return DivergenceReport(
      outcome, divergence, repeatCommand: "retap replay kiosk.retap --until 1"
    ) { frame, _, _ in
      switch frame.bytes[1] {
      case 0x4A:
        FrameDescription(
          title: "InListPassiveTarget 1 target, 106 A",
          fields: [.init("command", 1..<2, meaning: "InListPassiveTarget")])
      case 0x02:
        FrameDescription(
          title: "GetFirmwareVersion",
          fields: [.init("command", 1..<2, meaning: "GetFirmwareVersion")])
      default: nil
      }
    }
  }

  @Test func aDifferenceIsToldInTheOrderOfThePage() throws {
    let text = try kiosk().text
    #expect(
      text == """
        DIFFERENT at exchange 2
          expected  D4 4A 01 00   InListPassiveTarget 1 target, 106 A
          actual    D4 02         GetFirmwareVersion
                       ^^
                    first difference in byte 2: command, expected InListPassiveTarget, \
        actual GetFirmwareVersion
          agreed before:
               1  D4 02 → D5 03 33 02 07 07   GetFirmwareVersion
          next expected:
               3  D4 02 → D5 03 33 02 07 07   GetFirmwareVersion
               4  D4 32 01 00 → D5 33
          nearest match: exchange 1 has these bytes, 1 earlier
          would be accepted by: --policy repeats · --policy restart · --policy any-order
          repeat: retap replay kiosk.retap --until 1

        """)
  }

  @Test func theLineOfAnAgreementNamesCountTimeAndHash() {
    let outcome = countingScript(41).playAgainstItself()
    #expect(outcome.verdict == .agreed)
    #expect(
      outcome.line.hasPrefix("agreed with 41 of 41 recorded exchanges, 0.0"))
    #expect(outcome.line.hasSuffix("run log \(outcome.log.hashText)"))
  }

  @Test func aLateAnswerIsToldWithItsLimit() throws {
    let outcome = countingScript(9).playAgainstItself(
      ReplayOptions(faults: try FaultText.parse("late(7,+6ms)")))
    guard case .diverged(let divergence) = outcome.verdict else {
      Issue.record("no divergence")
      return
    }
    let text = DivergenceReport(outcome, divergence, repeatCommand: "x") { _, _, _ in nil }.text
    #expect(text.hasPrefix("LATE at exchange 7: the answer came 1.1 ms after its limit\n"))
    #expect(text.contains("  limit     5.0 ms (FWT), used 6.1 ms\n"))
    // The last five agreed exchanges, the next two that the trace still has.
    #expect(text.contains("       2  A0 01 → B0 01\n"))
    #expect(!text.contains("       1  A0 00"))
    #expect(text.contains("       9  A0 08 → B0 08\n"))
    #expect(text.contains("would be accepted by: --policy allow-late\n"))
  }

  @Test func aLongFrameIsCutRoundTheDifference() throws {
    let recorded = [UInt8](0..<100)
    var actual = recorded
    actual[60] = 0xEE
    let divergence = Divergence(
      .different, exchange: 1, direction: .outbound, expected: RadioFrame(recorded),
      actual: RadioFrame(actual), at: .start)
    let outcome = ReplayOutcome(
      verdict: .diverged(divergence), script: countingScript(1), agreed: [], duration: .zero,
      log: RunLog(), limitUses: [], unusedFaults: [], policy: .strict, masks: .none)
    let lines = DivergenceReport(outcome, divergence, repeatCommand: "x") { _, _, _ in nil }
      .text.split(separator: "\n")
    let expected = try #require(lines.first { $0.contains("expected") })
    let mark = try #require(lines.first { $0.contains("^^") })
    let column = mark.utf8.count - 2
    // The line holds "…", three bytes of UTF-8 for one column, in front of the mark.
    #expect(String(Array(expected)[column...].prefix(2)) == "3C")
    #expect(expected.contains("(100 bytes)"))
  }

  @Test func theTableShowsOneRowAnExchangeAndMarksTheNearest() {
    let uses = [
      LimitUse(
        exchange: 3, limit: TimeLimit(.frameWaitingTime, .microseconds(38_660)),
        used: .microseconds(1_900)),
      LimitUse(
        exchange: 5, limit: TimeLimit(.frameWaitingTime, .microseconds(38_660)),
        used: .microseconds(31_360)),
      LimitUse(
        exchange: 5, limit: TimeLimit(.frameWaitingTime, .microseconds(38_660)),
        used: .microseconds(100)),
    ]
    let table = LimitTable(uses) { $0 == 2 ? "SELECT" : "GENERATE AC" }
    #expect(
      table.text() == """
             #  exchange     limit                   used       margin
             3  SELECT       38.7 ms (FWT)           1.9 ms     36.8 ms
             5  GENERATE AC  38.7 ms (FWT)           31.4 ms    7.3 ms   ← nearest

        """)
    #expect(table.nearest?.exchange == 5)
    #expect(uses.exceeding(percent: 80).map(\.exchange) == [5])
    #expect(uses.exceeding(percent: 82).isEmpty)
  }
}
