import Glibc

/// Wakes a thread that waits on a link, from any other thread or from a signal handler.
///
/// Once signalled it stays so until the link has told its owner by an `interrupted` event.
public final class Interruption: Sendable {
  /// Readable while signalled; for `poll`.
  public let descriptor: Int32
  /// The other end of the pipe.
  let writingEnd: Int32

  /// Makes one that is not signalled.
  ///
  /// - Throws: `HostError.cannotRead` if the system has no descriptor left.
  public init() throws(HostError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotRead(path: "pipe", reason: errnoText(errno)) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must not wait because the pipe is full, nor a link because it is empty.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Wakes who waits, or who waits next.
  public func signal() { Interruption.signal(writingEnd) }

  /// Takes all signals back.
  ///
  /// - Returns: True if there was one.
  public func take() -> Bool {
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    var wasSignalled = false
    while read(descriptor, &bytes, bytes.count) > 0 { wasSignalled = true }
    return wasSignalled
  }

  /// Only write(2), which a signal handler may call (signal-safety(7)).
  static func signal(_ writingEnd: Int32) {
    let before = errno
    var one: UInt8 = 1
    _ = write(writingEnd, &one, 1)
    errno = before
  }
}
