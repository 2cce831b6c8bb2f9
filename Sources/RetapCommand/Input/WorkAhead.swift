import HostIO

/// The items that some work makes one after the other, made ahead on a thread of its own.
///
/// Items, order and errors are those of the work itself. Items go back to the thread when they are
/// used, so that memory is freed where it was allocated.
struct WorkAhead<Item: Sendable>: ~Copyable {
  private let source: Source
  private let empty: @Sendable () -> Item
  private var thread: BackgroundThread?

  /// How many items are on their way at once.
  private static var itemsAhead: Int { 3 }

  /// Begins to work.
  ///
  /// - Parameters:
  ///   - hasThread: False to work only when the next item is asked for.
  ///   - empty: An item for the work to fill.
  ///   - work: Makes the next item in the place of a used one; false after the last one.
  init(
    hasThread: Bool, empty: @escaping @Sendable () -> Item,
    work: @escaping (inout Item) throws(CommandError) -> Bool
  ) {
    let source = Source(work, capacity: Self.itemsAhead)
    self.source = source
    self.empty = empty
    guard hasThread else { return }
    for _ in 0..<Self.itemsAhead - 1 { source.used.put(empty()) }
    thread = BackgroundThread { source.run() }
  }

  /// The next item in the place of the used one; false at the end.
  mutating func next(into item: inout Item) throws(CommandError) -> Bool {
    if thread == nil { return try source.work(&item) }
    // Moved, not copied: the thread is to find nobody else at the item's memory.
    var used = empty()
    swap(&used, &item)
    source.used.put(consume used)
    guard let ready = source.ready.take() else {
      // The thread has ended; its results are ours.
      thread = nil
      if let last = source.last { item = last }
      if let error = source.error { throw error }
      return false
    }
    item = ready
    return true
  }

  deinit {
    // Wakes the thread, so that waiting for its end is short.
    source.used.close()
    source.ready.close()
  }

  /// What both threads use: the work belongs to the second one as long as it runs, and its results
  /// are looked at when it has ended.
  private final class Source: @unchecked Sendable {
    let work: (inout Item) throws(CommandError) -> Bool
    var last: Item?
    var error: CommandError?
    let used: HandOver<Item>
    let ready: HandOver<Item>

    init(_ work: @escaping (inout Item) throws(CommandError) -> Bool, capacity: Int) {
      self.work = work
      used = HandOver(capacity: capacity)
      ready = HandOver(capacity: capacity)
    }

    func run() {
      defer { ready.close() }
      while var item = used.take() {
        do throws(CommandError) {
          guard try work(&item) else {
            last = item
            return
          }
        } catch {
          self.error = error
          return
        }
        guard ready.put(consume item) else { return }
      }
    }
  }
}
