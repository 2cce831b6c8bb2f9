/// Why a virtual reader cannot be set up or has ended.
public enum VirtualReaderError: Error, Hashable, Sendable {
  /// The system refused something: in which step and why.
  case failed(step: String, reason: String)
}
