public import HostIO

/// Why a virtual reader cannot be set up or has ended.
public enum VirtualReaderError: Error, Hashable, Sendable {
  /// The system refused something: in which step and why.
  case failed(step: String, reason: String)
  /// A library that the program in front of the reader needs is not installed.
  case missingLibrary(String)
  /// The system refused something around the reader.
  case host(HostError)
}
