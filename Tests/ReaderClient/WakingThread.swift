import Glibc
import HostIO

/// Signals an interruption a while later, from a thread of its own that nobody waits for.
enum WakingThread {
  private final class Order: Sendable {
    let interruption: Interruption
    let delay: UInt32

    init(_ interruption: Interruption, _ delay: UInt32) {
      self.interruption = interruption
      self.delay = delay
    }
  }

  /// - Returns: False if the system has no thread left.
  static func start(_ interruption: Interruption, after milliseconds: UInt32) -> Bool {
    let order = Unmanaged.passRetained(Order(interruption, milliseconds))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let order = Unmanaged<Order>.fromOpaque(argument).takeRetainedValue()
        usleep(order.delay * 1_000)
        order.interruption.signal()
        return nil
      }, order.toOpaque())
    if status == 0 { pthread_detach(thread) } else { order.release() }
    return status == 0
  }
}
