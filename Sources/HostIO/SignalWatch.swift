import Glibc
import Synchronization

/// Turns the first SIGINT or SIGTERM into an interruption; the second ends the process as usual.
///
/// There is one at a time in a process; the old handlers come back when it goes.
public struct SignalWatch: ~Copyable {
  private let interruption: Interruption
  private var oldInterrupt = sigaction()
  private var oldTerminate = sigaction()

  /// Where the handler writes; a handler has no other way to be told.
  private static let descriptor = Atomic<Int32>(-1)

  /// Begins to watch.
  public init(_ interruption: Interruption) {
    self.interruption = interruption
    SignalWatch.descriptor.store(interruption.writingEnd, ordering: .releasing)
    var action = sigaction()
    sigemptyset(&action.sa_mask)
    // SA_RESETHAND: somebody who presses Ctrl-C again does not want to wait.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    action.__sigaction_handler.sa_handler = { _ in
      let descriptor = SignalWatch.descriptor.load(ordering: .acquiring)
      if descriptor >= 0 { Interruption.signal(descriptor) }
    }
    sigaction(SIGINT, &action, &oldInterrupt)
    sigaction(SIGTERM, &action, &oldTerminate)
  }

  deinit {
    var interrupt = oldInterrupt
    var terminate = oldTerminate
    sigaction(SIGINT, &interrupt, nil)
    sigaction(SIGTERM, &terminate, nil)
    SignalWatch.descriptor.store(-1, ordering: .releasing)
  }
}
