/// Why the operating system did not do what was asked.
public enum HostError: Error, Hashable, Sendable {
  /// A file or folder could not be opened, read or listed.
  case cannotRead(path: String, reason: String)
  /// A file could not be written, flushed or renamed.
  case cannotWrite(path: String, reason: String)
  /// The reader of our output has gone (`| head`); nothing is wrong.
  case outputClosed
  /// A program could not be started.
  case cannotStart(program: String, reason: String)
}
