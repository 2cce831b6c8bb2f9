import Glibc
public import NFCProtocols

/// The clock of the machine that never goes back; for pacing and for measuring our own speed.
public enum MonotonicClock {
  /// The time since some fixed point.
  public static func now() -> Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
