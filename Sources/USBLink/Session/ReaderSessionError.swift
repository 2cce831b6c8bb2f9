public import HostIO
public import PN53x

/// Why a session with a reader did not do what was asked.
public enum ReaderSessionError: Error, Hashable, Sendable {
  /// The link has ended or could not be had.
  case link(HostLinkError)
  /// A command failed; the session goes on.
  case command(CommandFailure)
  /// Somebody interrupted the wait; what the chip was doing was aborted.
  case interrupted

  /// What went wrong and what to try, for people.
  public var message: String {
    switch self {
    case .link(let error): error.message
    case .command(let failure): failure.message
    case .interrupted: "interrupted"
    }
  }
}
