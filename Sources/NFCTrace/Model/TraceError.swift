/// Why a trace could not be read or written.
public enum TraceError: Error, Hashable, Sendable {
  /// The input is not what it should be.
  case badInput(BadInput)
  /// The trace is of a format version that this program does not know.
  case newerVersion(found: Int, newestKnown: Int)
  /// The event cannot be said in the format that is being written.
  case cannotExpress(what: String, format: String, remedy: String)
}

/// Where and how an input is wrong, and what to try.
public struct BadInput: Hashable, Sendable {
  /// The place of the fault.
  public var place: Place
  /// What was found there.
  public var found: String
  /// What was expected.
  public var expected: String
  /// What the user can try.
  public var remedy: String

  /// Makes a description of a fault.
  public init(at place: Place, found: String, expected: String, remedy: String) {
    self.place = place
    self.found = found
    self.expected = expected
    self.remedy = remedy
  }

  /// A place in an input.
  public enum Place: Hashable, Sendable {
    /// Byte offset from the start of the input, from 0.
    case byte(Int)
    /// Line of a text, from 1.
    case line(Int)
  }
}
