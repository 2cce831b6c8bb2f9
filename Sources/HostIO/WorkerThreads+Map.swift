import Synchronization

extension WorkerThreads {
  /// The results of `work` for each number below `count`, in the order of the numbers.
  public static func map<Result: Sendable>(
    count: Int, threads: Int, work: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    let slots = Slots<Result>(count: count)
    run(count: count, threads: threads) { number in slots.put(work(number), at: number) }
    return slots.taken
  }

  /// Where the threads put their results; the lock is held for one assignment only.
  private final class Slots<Result: Sendable>: Sendable {
    private let values: Mutex<[Result?]>
    init(count: Int) { values = Mutex([Result?](repeating: nil, count: count)) }
    func put(_ value: Result, at index: Int) { values.withLock { $0[index] = value } }
    var taken: [Result] { values.withLock { $0.compactMap { $0 } } }
  }
}
