public import NFCTrace
public import Replay
public import TagAccess

/// Why a test could not go on talking to a recording.
public enum TapError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `Tap.current` was asked for outside a test with the trait `.replay(…)`.
  case noRecording
  /// The recording is not where it was said to be; the places that were looked at.
  case fileNotFound(String, lookedIn: [String])
  /// The recording cannot be read.
  case unreadable(String, reason: String)
  /// The trace is damaged or of an unknown format.
  case badTrace(String, TraceError)
  /// Faults, masks, policy or trace do not allow this replay.
  case replay(ReplayError)
  /// Code and recording disagree; the text is the whole report.
  case diverged(report: String)
  /// The card was lost, as a reader sees it.
  case lost(TagAccessError)
  /// The run ended before there was an answer.
  case ended(String)
  /// The test used its recording in two ways at once.
  case alreadyInUse

  /// The error in words, with what to do.
  public var description: String {
    switch self {
    case .noRecording:
      "there is no recording here: give the test the trait .replay(\"captures/….retap\")"
    case .fileNotFound(let path, let places):
      "no recording \(path); looked in \(places.joined(separator: ", "))"
    case .unreadable(let path, let reason): "\(path): \(reason)"
    case .badTrace(let path, let error): "\(path): \(error)"
    case .replay(let error): error.message
    case .diverged(let report): report
    case .lost(let error): error.message
    case .ended(let reason): reason
    case .alreadyInUse:
      "this recording is already being played: read(), transmit() and present() each play it "
        + "from its beginning, so use one of them in a test"
    }
  }

  static func translating<Value>(
    _ work: () throws(ReplayError) -> Value
  ) throws(TapError) -> Value {
    do { return try work() } catch { throw .replay(error) }
  }
}
