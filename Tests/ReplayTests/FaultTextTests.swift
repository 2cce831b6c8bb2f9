import NFCProtocols
import Replay
import Testing

@Suite struct FaultTextTests {
  @Test(arguments: [
    ("late(14,+6.2ms)", "late(14,+6.2ms)"),
    ("late(#14, +6.2ms)", "late(14,+6.2ms)"),
    ("late(3..,+7ms)", "late(3..,+7ms)"),
    ("late(3..5,7000us)", "late(3..5,+7ms)"),
    ("late(card,+5ms)", "late(card,+5ms)"),
    ("late(READ BINARY, +1s)", "late(READ BINARY,+1s)"),
    ("drop(3)", "drop(3)"),
    ("drop(3,reader)", "drop(3,reader)"),
    ("corrupt(5)", "corrupt(5)"),
    ("corrupt(5,17)", "corrupt(5,17)"),
    ("dup(2..4,reader)", "dup(2..4,reader)"),
    ("drop(reader)", "drop(reader)"),
    (" late(1,+1ns) ; drop(2)\tdup(3) ", "late(1,+1ns) drop(2) dup(3)"),
    ("", ""),
  ])
  func rulesAreReadAndWrittenInOneForm(text: String, canonical: String) throws {
    let rules = try FaultText.parse(text)
    #expect(FaultText.text(of: rules) == canonical)
    #expect(try FaultText.parse(canonical) == rules)
  }

  @Test(arguments: [
    ("lat(1,+1ms)", 1), ("late", 5), ("late(1)", 6), ("late(1,+1mm)", 8), ("late(0,+1ms)", 6),
    ("late(5..3,+1ms)", 6), ("late(,+1ms)", 6), ("drop(1", 7), ("drop(1) x", 9),
    ("corrupt(1,-3)", 11), ("dup(1,+1ms)", 7), ("late(1,+2h)", 8), ("late(1,+3601s)", 6),
    ("late(1,+0.5ns)", 8), ("drop(99999999999999999999)", 6),
  ])
  func anErrorTellsItsColumn(text: String, column: Int) throws {
    #expect {
      _ = try FaultText.parse(text)
    } throws: { error in
      guard case .badText(let bad)? = error as? ReplayError else { return false }
      return bad.column == column && !bad.remedy.isEmpty && !bad.expected.isEmpty
    }
  }

  @Test func theNumberOfRulesIsBounded() throws {
    let most = String(repeating: "drop(1) ", count: FaultText.maximumRules)
    #expect(try FaultText.parse(most).count == FaultText.maximumRules)
    #expect(throws: ReplayError.self) { try FaultText.parse(most + "drop(1)") }
  }

  @Test func theFirstRuleThatFitsDecides() throws {
    var plan = FaultPlan(try FaultText.parse("drop(2) late(1..,+1ms)"))
    #expect(plan.strike(exchange: 1, side: .card) == .late(.milliseconds(1)))
    #expect(plan.strike(exchange: 2, side: .card) == .drop)
    #expect(plan.strike(exchange: 2, side: .reader) == nil)
  }

  @Test func aRuleStrikesOnceInAnExchange() throws {
    var plan = FaultPlan(try FaultText.parse("drop(2)"))
    #expect(plan.strike(exchange: 2, side: .card) == .drop)
    #expect(plan.strike(exchange: 2, side: .card) == nil)
  }

  @Test func anAddressThatFitsNothingIsTold() throws {
    var plan = FaultPlan(
      try FaultText.parse("late(READ BINARY,+1ms) drop(UPDATE BINARY)"),
      commandNames: ["SELECT", "READ BINARY", "READ BINARY"])
    #expect(plan.strike(exchange: 1, side: .card) == nil)
    #expect(plan.strike(exchange: 2, side: .card) == .late(.milliseconds(1)))
    #expect(FaultText.text(of: plan.unusedRules) == "drop(UPDATE BINARY)")
  }

  @Test(arguments: [
    ("6.2ms", 6_200_000), ("+400us", 400_000), ("400µs", 400_000), ("1s", 1_000_000_000),
    ("90ns", 90), ("0.000000001s", 1), ("1.10s", 1_100_000_000),
  ])
  func lengthsOfTimeAreExact(text: String, nanoseconds: Int64) {
    #expect(DurationText.parse(text) == Nanoseconds(nanoseconds))
  }

  @Test(arguments: ["", "ms", "1", "1.5ns", "1..5s", "1.ms", "5 ms", "99999999999999s"])
  func otherTextIsNoLengthOfTime(text: String) {
    #expect(DurationText.parse(text) == nil)
  }
}
