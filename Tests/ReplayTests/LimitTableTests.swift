import NFCProtocols
import Replay
import Testing

@Suite struct LimitTableTests {
  private func use(
    _ exchange: Int, _ kind: TimeLimit.Kind, _ limit: Int64, used: Int64?
  ) -> LimitUse {
    LimitUse(
      exchange: exchange, limit: TimeLimit(kind, .microseconds(limit)),
      used: used.map { .microseconds($0) })
  }

  @Test func activationAndDeselectHaveRowsOfTheirOwn() {
    let table = LimitTable([
      use(0, .frameDelayTime, 516, used: 86),
      use(0, .activation, 4_833, used: 1_062),
      use(1, .frameWaitingTime, 38_660, used: 5_200),
      use(0, .activation, 4_833, used: 4_000),
    ]) { _ in "SELECT" }
    #expect(
      table.text() == """
             #  exchange    limit                   used       margin
             0  activation  4.8 ms (activation)     1.1 ms     3.8 ms
             1  SELECT      38.7 ms (FWT)           5.2 ms     33.5 ms
                deselect    4.8 ms (activation)     4.0 ms     833 µs   ← nearest

        """)
  }

  /// REQA to SELECT of a card at exactly 1172/fc or 1236/fc are as good as can be.
  @Test func fixedFrameDelaysAreNeverNearNorUsedUp() {
    let uses = [
      use(1, .frameDelayTime, 91, used: 91), use(2, .frameWaitingTime, 5_000, used: 50),
    ]
    let table = LimitTable(uses) { ["REQA", "SELECT"][$0] }
    #expect(table.nearest?.exchange == 2)
    #expect(uses.exceeding(percent: 80).isEmpty)
    #expect(LimitTable([uses[0]]) { _ in "REQA" }.nearest == nil)
    #expect(!LimitTable([uses[0]]) { _ in "REQA" }.text().contains("nearest"))
  }

  @Test func silenceKeepsItsRow() {
    let table = LimitTable([use(1, .frameWaitingTime, 5_000, used: nil)]) { _ in "SELECT" }
    #expect(table.text().contains("no answer"))
    #expect(table.nearest == nil)
  }

  @Test(arguments: [
    (0, "0 ns"), (999, "999 ns"), (4_719, "4.7 µs"), (9_949, "9.9 µs"), (9_950, "10 µs"),
    (91_150, "91 µs"), (999_499, "999 µs"), (999_500, "1.0 ms"), (38_660_000, "38.7 ms"),
    (999_949_999, "999.9 ms"), (999_950_000, "1.00 s"), (4_949_000_000, "4.95 s"),
    (-4_719, "-4.7 µs"), (-1_200_000, "-1.2 ms"),
  ])
  func timesBelowOneMillisecondAreToldInMicroseconds(nanoseconds: Int64, text: String) {
    #expect(DurationText.rounded(Nanoseconds(nanoseconds)) == text)
  }
}

@Suite struct LimitBookingTests {
  private func apdus() -> ReplayScript {
    var script = ReplayScript(
      layer: .apdu,
      entries: [
        ScriptEntry(
          command: RadioFrame([0x00, 0xB0, 0x00, 0x00, 0x02]), gap: .milliseconds(1),
          answers: [ScriptAnswer(RadioFrame([0x00, 0x0F, 0x90, 0x00]), delay: .milliseconds(2))],
          limit: TimeLimit(.frameWaitingTime, .milliseconds(5)))
      ])
    script.activation.ats = [0x05, 0x78, 0x80, 0x40, 0x02]
    return script
  }

  /// SELECT CARD, RATS and S(DESELECT) are below APDUs; only the APDU is exchange 1.
  @Test func onlyTheAPDUCountsAsExchange() {
    let outcome = apdus().playAgainstItself()
    #expect(outcome.verdict == .agreed)
    let booked = outcome.limitUses.filter { $0.exchange == 1 }
    #expect(booked.map(\.limit.kind) == [.frameWaitingTime])
    let below = outcome.limitUses.filter { $0.exchange == 0 }
    #expect(below.map(\.limit.kind).filter { $0 == .activation }.count == 2)
    #expect(outcome.limitUses.count == booked.count + below.count)
  }

  @Test func theReaderSideAddsItsMargin() {
    var options = ReplayOptions()
    options.waitingTimeMargin = .microseconds(3_625)
    let outcome = apdus().playAgainstItself(options)
    let limit = outcome.limitUses.first { $0.exchange == 1 }?.limit.duration
    // FWI 4: 65536/fc = 4,832,860 ns.
    #expect(limit.map { $0 - .microseconds(3_625) } == FrameWaitingTime.standard.duration)
  }

  /// Each R(NAK) waits one FWT: with none the reader gives up after one.
  @Test(arguments: [0, 1, 2, 5])
  func theNumberOfRepetitionsIsAParameter(retries: Int) throws {
    var options = ReplayOptions()
    options.retries = retries
    options.faults = try FaultText.parse("late(1,+1s)")
    let outcome = apdus().playAgainstItself(options)
    let log = String(decoding: outcome.log.text, as: UTF8.self)
    let naks = log.split(separator: "\n").filter { $0.contains(" reader > b2") }
    #expect(naks.count == retries, "\(log)")
  }
}
