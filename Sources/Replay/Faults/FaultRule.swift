public import NFCProtocols

/// One stated perturbation of a run.
///
/// Written `late(14,+6.2ms)`, `drop(3)`, `corrupt(5,17)`, `dup(2..4,reader)`; see `FaultText`.
public struct FaultRule: Hashable, Sendable {
  /// What happens.
  public var effect: Effect
  /// To which exchanges it happens.
  public var exchanges: Exchanges
  /// Whose frame it happens to: the answer (`card`), unless told otherwise.
  public var side: RunSide

  /// Makes a rule.
  public init(_ effect: Effect, exchanges: Exchanges, side: RunSide = .card) {
    self.effect = effect
    self.exchanges = exchanges
    self.side = side
  }

  /// What can happen to a frame.
  public enum Effect: Hashable, Sendable {
    /// It starts later by this much.
    case late(Nanoseconds)
    /// It is sent and does not arrive.
    case drop
    /// One bit arrives inverted: the given one (from 0, as sent), or the last of the first byte.
    case corrupt(bit: Int?)
    /// It arrives twice.
    case duplicate
  }

  /// Which exchanges a rule is for.
  public enum Exchanges: Hashable, Sendable {
    /// Every one.
    case all
    /// From the first to the last number; without a last, to the end.
    case numbers(first: Int, last: Int?)
    /// Those whose command has this name, for example `READ BINARY`.
    case named(String)
  }
}

/// Faults as text, one after another, blanks or `;` between them.
///
/// ```
/// fault   = kind "(" address { "," argument } ")"
/// kind    = "late" | "drop" | "corrupt" | "dup"
/// address = ["#"] number | number ".." [number] | "card" | "reader" | command name
/// late    takes the delay          late(14,+6.2ms)  late(3..,+7ms)  late(READ BINARY,+5ms)
/// corrupt may take the bit, from 0 corrupt(5)  corrupt(5,17)
/// any     may take the side        drop(3,reader)
/// ```
public enum FaultText {
  /// The largest number of rules in one text; the first subset is written by hand.
  public static let maximumRules = 256
  /// The longest delay, one hour: longer than any time limit of ISO/IEC 14443-4 by far.
  public static let maximumDelay = Nanoseconds.seconds(3_600)

  /// Reads rules.
  public static func parse(_ text: String) throws(ReplayError) -> [FaultRule] {
    var rules: [FaultRule] = []
    var rest = FaultCursor(Array(text.utf8))
    rest.skipSeparators()
    while !rest.isAtEnd {
      guard rules.count < maximumRules else {
        throw rest.error(
          found: "more than \(maximumRules) rules", expected: "fewer",
          remedy: "say them with ranges, for example late(3..,+7ms)")
      }
      rules.append(try rule(&rest))
      rest.skipSeparators()
    }
    return rules
  }

  /// Writes a rule in its canonical form.
  public static func text(of rule: FaultRule) -> String {
    var arguments: [String] = []
    switch rule.exchanges {
    case .all: arguments.append(rule.side == .card ? "card" : "reader")
    case .numbers(let first, let last):
      arguments.append(
        last == first ? "\(first)" : "\(first)..\(last.map { "\($0)" } ?? "")")
    case .named(let name): arguments.append(name)
    }
    var kind = ""
    switch rule.effect {
    case .late(let delay):
      kind = "late"
      arguments.append("+" + DurationText.exact(delay))
    case .drop: kind = "drop"
    case .corrupt(let bit):
      kind = "corrupt"
      if let bit { arguments.append("\(bit)") }
    case .duplicate: kind = "dup"
    }
    if rule.side == .reader, rule.exchanges != .all { arguments.append("reader") }
    return kind + "(" + arguments.joined(separator: ",") + ")"
  }

  /// Writes rules in their canonical form.
  public static func text(of rules: [FaultRule]) -> String {
    rules.map { text(of: $0) }.joined(separator: " ")
  }

  /// The kinds of fault by name.
  public static let kinds = ["late", "drop", "corrupt", "dup"]

  private static func rule(_ cursor: inout FaultCursor) throws(ReplayError) -> FaultRule {
    let start = cursor.position
    let kind = cursor.takeWord()
    if kinds.contains(kind), !cursor.take(0x28) {
      throw cursor.error(
        found: cursor.foundHere, expected: "'(' after \(kind)",
        remedy: "for example \(kind)(3\(kind == "late" ? ",+5ms" : "")) is for exchange 3")
    }
    guard kinds.contains(kind) else {
      cursor.position = start
      throw cursor.error(
        found: kind.isEmpty ? cursor.foundHere : "'\(kind)'",
        expected: "late(…), drop(…), corrupt(…) or dup(…)",
        remedy: "for example late(14,+6.2ms) delays the answer of exchange 14")
    }
    var arguments: [FaultArgument] = []
    repeat { arguments.append(cursor.takeArgument()) } while cursor.take(0x2C)
    guard cursor.take(0x29) else {
      throw cursor.error(
        found: cursor.foundHere, expected: "',' or ')'", remedy: "close the rule with ')'")
    }
    return try FaultBuilder(kind: kind, source: cursor).build(arguments)
  }
}
