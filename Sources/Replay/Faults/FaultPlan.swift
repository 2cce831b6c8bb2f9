public import NFCProtocols

/// The fault rules of one run and which of them have struck.
///
/// The first rule that fits decides. A rule strikes once in an exchange, at the first frame of its
/// side, so that a repetition by the protocol gets through.
public struct FaultPlan: Sendable {
  private struct Planned: Sendable {
    var rule: FaultRule
    var numbers: [ClosedRange<Int>]
    var lastExchange = 0
    var strikes = 0
  }

  private var planned: [Planned]

  /// True if answers are made late where they are made, above the frames that carry them.
  ///
  /// A card that is late is busy: it must not answer a R(NAK) as if its frame were on its way.
  public var leavesDelaysToAnswers = false

  /// No faults at all.
  public static let none = FaultPlan(planned: [])

  private init(planned: [Planned]) { self.planned = planned }

  /// Plans rules for a script.
  ///
  /// - Parameters:
  ///   - rules: The rules in their order.
  ///   - names: The command name of each exchange, exchange 1 first; upper case.
  public init(_ rules: [FaultRule], commandNames names: [String] = []) {
    planned = rules.map { rule in
      switch rule.exchanges {
      case .all: return Planned(rule: rule, numbers: [0...Int.max])
      case .numbers(let first, let last):
        return Planned(rule: rule, numbers: [first...max(first, last ?? Int.max)])
      case .named(let name):
        let wanted = name.uppercased()
        let numbers = names.enumerated().filter { $0.element == wanted }
          .map { $0.offset + 1...$0.offset + 1 }
        return Planned(rule: rule, numbers: numbers)
      }
    }
  }

  /// True if there are no rules.
  public var isEmpty: Bool { planned.isEmpty }

  /// The number of times that rules have struck.
  public var strikeCount: Int { planned.reduce(0) { $0 + $1.strikes } }

  /// The rules that have struck nothing: their addresses fitted nothing that happened.
  public var unusedRules: [FaultRule] { planned.filter { $0.strikes == 0 }.map(\.rule) }

  /// What happens to the first frame that `side` sends in an exchange; `nil` for nothing.
  public mutating func strike(exchange: Int, side: RunSide) -> FaultRule.Effect? {
    for index in planned.indices {
      let rule = planned[index].rule
      guard rule.side == side else { continue }
      if case .late = rule.effect, leavesDelaysToAnswers { continue }
      if take(index, exchange: exchange) { return rule.effect }
    }
    return nil
  }

  /// How much later the answer of an exchange is ready.
  public mutating func delay(ofAnswerTo exchange: Int) -> Nanoseconds? {
    for index in planned.indices where planned[index].rule.side == .card {
      guard case .late(let delay) = planned[index].rule.effect else { continue }
      if take(index, exchange: exchange) { return delay }
    }
    return nil
  }

  /// Takes over the strikes of a plan that was made from the same rules.
  public mutating func addStrikes(of other: FaultPlan) {
    precondition(
      planned.count == other.planned.count, "strikes are added between plans of the same rules")
    for index in planned.indices { planned[index].strikes += other.planned[index].strikes }
  }

  private mutating func take(_ index: Int, exchange: Int) -> Bool {
    guard planned[index].numbers.contains(where: { $0.contains(exchange) }),
      exchange == 0 || planned[index].lastExchange != exchange
    else { return false }
    planned[index].lastExchange = exchange
    planned[index].strikes += 1
    return true
  }
}
