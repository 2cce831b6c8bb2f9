public import Glibc
public import NFCProtocols

/// Waits for one of a few descriptors, with a deadline on `MonotonicClock`.
public enum DescriptorWait {
  /// What a wait can come to.
  public enum Outcome: Hashable, Sendable {
    /// At least one is ready; `revents` tell which.
    case ready
    /// The deadline passed first.
    case deadlinePassed
  }

  /// Waits until one is ready, until the deadline, or for ever.
  ///
  /// A signal does not end the wait.
  ///
  /// poll(2) counts milliseconds; the wait is never shorter than asked and up to 1 ms longer.
  public static func wait(for descriptors: inout [pollfd], until deadline: Nanoseconds?) -> Outcome
  {
    while true {
      let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: deadline))
      if count == 0 { return .deadlinePassed }
      if count > 0 || errno != EINTR { return .ready }
    }
  }

  /// The rest of the time, rounded up; -1 is for ever.
  private static func milliseconds(until deadline: Nanoseconds?) -> Int32 {
    guard let deadline else { return -1 }
    let left = max(0, (deadline - MonotonicClock.now()).count)
    return Int32(clamping: (left + 999_999) / 1_000_000)
  }
}
