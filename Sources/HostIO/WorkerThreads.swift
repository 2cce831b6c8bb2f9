import Glibc
import Synchronization

/// A fixed number of threads that work through numbered items; for commands on many files.
public enum WorkerThreads {
  /// How many processors this process may use.
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Calls `work` once for each number below `count`, on up to `threads` threads, and waits.
  ///
  /// Items are taken in order, so results that are put in place by number keep their order.
  public static func run(
    count: Int, threads: Int, work: @escaping @Sendable (Int) -> Void
  ) {
    let next = Counter()
    let body: @Sendable () -> Void = {
      while true {
        let item = next.take()
        if item >= count { return }
        work(item)
      }
    }
    let extra = min(threads, count) - 1
    var handles: [pthread_t] = []
    for _ in 0..<max(0, extra) {
      if let handle = start(body) { handles.append(handle) }
    }
    body()
    for handle in handles { pthread_join(handle, nil) }
  }

  static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let box = Unmanaged.passRetained(Body(body))
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if status == 0 { return handle }
    box.release()
    return nil
  }

  /// Carries a closure through the C call that starts a thread.
  private final class Body: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func take() -> Int { value.add(1, ordering: .relaxed).oldValue }
  }
}
