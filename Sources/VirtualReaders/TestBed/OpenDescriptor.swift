import Glibc

/// A file descriptor that is closed with its last owner; a class, since lists hold it.
final class OpenDescriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }
}

/// The error of the last system call, as ours.
func systemFailure(_ step: String) -> VirtualReaderError {
  let number = errno
  let words = strerror(number).map { String(cString: $0) }
  return .failed(step: step, reason: words ?? "error \(number)")
}

/// Keeps a descriptor out of child processes and lets no call on it wait.
func setUp(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}
