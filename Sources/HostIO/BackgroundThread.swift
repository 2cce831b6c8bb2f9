import Glibc

/// A thread of its own for one piece of work; letting go of it waits for the end of the work.
public struct BackgroundThread: ~Copyable {
  private let handle: pthread_t

  /// Starts the work, or returns `nil` if the system has no thread left.
  public init?(_ work: @escaping @Sendable () -> Void) {
    guard let handle = WorkerThreads.start(work) else { return nil }
    self.handle = handle
  }

  deinit { pthread_join(handle, nil) }
}
