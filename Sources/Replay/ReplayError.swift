/// Why a replay could not be set up; what happens during a run is a `Verdict`, not an error.
public enum ReplayError: Error, Hashable, Sendable {
  /// A text given by the user (faults, masks, policy) is not what it should be.
  case badText(BadText)
  /// The trace holds nothing that could be replayed in the wanted way.
  case nothingToReplay(found: String, expected: String, remedy: String)

  /// The error in words: what was found, what was expected, what to try.
  public var message: String {
    switch self {
    case .badText(let text):
      "\(text.what), column \(text.column): found \(text.found), expected \(text.expected); "
        + text.remedy
    case .nothingToReplay(let found, let expected, let remedy):
      "nothing to replay: found \(found), expected \(expected); \(remedy)"
    }
  }
}

/// Where and how a text given by the user is wrong, and what to try.
public struct BadText: Hashable, Sendable {
  /// What the text is: `faults`, `mask`, `policy`.
  public var what: String
  /// The place of the fault, from 1.
  public var column: Int
  /// What was found there.
  public var found: String
  /// What was expected.
  public var expected: String
  /// What the user can try.
  public var remedy: String

  /// Makes a description.
  public init(what: String, column: Int, found: String, expected: String, remedy: String) {
    self.what = what
    self.column = column
    self.found = found
    self.expected = expected
    self.remedy = remedy
  }
}
