/// What is looser than strict order and each exchange once; every looseness has a name.
public struct MatchPolicy: OptionSet, Hashable, Sendable {
  /// The policies as bits.
  public let rawValue: UInt8
  /// Makes a set of policies from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Strict order, exact bytes, each exchange once, nothing left over.
  public static let strict: MatchPolicy = []
  /// The first command of the script may come again at any time and starts it over.
  public static let restart = MatchPolicy(rawValue: 1)
  /// The last command may come again and gets the same answer.
  public static let repeats = MatchPolicy(rawValue: 2)
  /// Exchanges may come in any order; for cards whose answers do not depend on it.
  public static let anyOrder = MatchPolicy(rawValue: 4)
  /// The code may stop before the end of the script.
  public static let allowLeftover = MatchPolicy(rawValue: 8)
  /// An answer may come after its limit, as long as the reader still takes it.
  public static let allowLate = MatchPolicy(rawValue: 16)

  /// All policies by name, in the order in which they are tried.
  public static let named: [(name: String, policy: MatchPolicy)] = [
    ("strict", .strict), ("restart", .restart), ("repeats", .repeats), ("any-order", .anyOrder),
    ("allow-leftover", .allowLeftover), ("allow-late", .allowLate),
  ]

  /// Reads names with commas between them.
  public static func parse(_ text: String) throws(ReplayError) -> MatchPolicy {
    var policy = MatchPolicy.strict
    var column = 1
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let known = named.first(where: { $0.name == part }) else {
        throw .badText(
          BadText(
            what: "policy", column: column, found: "'\(part)'",
            expected: named.map(\.name).joined(separator: ", "),
            remedy: "give one or several of these names with commas between them"))
      }
      policy.formUnion(known.policy)
      column += part.utf8.count + 1
    }
    return policy
  }

  /// The names with commas between them.
  public var text: String {
    let names = Self.named.filter { $0.policy != .strict && contains($0.policy) }.map(\.name)
    return names.isEmpty ? "strict" : names.joined(separator: ",")
  }
}
