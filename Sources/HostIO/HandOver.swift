import Glibc

/// A short queue between two threads: one puts items in, the other takes them out in order.
///
/// Who is too fast waits for the other, so that no more than `capacity` items are held.
public final class HandOver<Item: Sendable>: @unchecked Sendable {
  // All below is used only while `lock` is held, which is why the class may be shared.
  private var items: [Item] = []
  private var isClosed = false
  private let capacity: Int
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>

  /// Makes an empty queue for at most `capacity` items.
  public init(capacity: Int) {
    precondition(capacity > 0, "a queue that holds nothing hands nothing over")
    self.capacity = capacity
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
    change = .allocate(capacity: 1)
    change.initialize(to: pthread_cond_t())
    pthread_cond_init(change, nil)
    items.reserveCapacity(capacity)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(lock)
    change.deallocate()
    lock.deallocate()
  }

  /// Puts an item at the end, waiting for room.
  ///
  /// - Returns: False if the queue is closed; the item is then dropped.
  @discardableResult
  public func put(_ item: consuming Item) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while items.count == capacity, !isClosed { pthread_cond_wait(change, lock) }
    guard !isClosed else { return false }
    items.append(item)
    pthread_cond_broadcast(change)
    return true
  }

  /// Takes the first item, waiting for one; `nil` once the queue is closed and empty.
  public func take() -> Item? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while items.isEmpty, !isClosed { pthread_cond_wait(change, lock) }
    guard !items.isEmpty else { return nil }
    pthread_cond_broadcast(change)
    return items.removeFirst()
  }

  /// Ends the hand-over: nothing more is put in, and what is in may still be taken out.
  public func close() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    isClosed = true
    pthread_cond_broadcast(change)
  }
}
