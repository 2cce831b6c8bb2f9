public import Exploration
public import NFCProtocols

/// What is going to happen in a run, ordered by time and, at one instant, by order of arrival.
///
/// Adding and taking cost O(log n). Two events of one instant are a choice: `Decisions` picks,
/// and choice 0 is the oldest of them.
public struct EventQueue<Payload: Sendable>: Sendable {
  private struct Entry: Sendable {
    var time: Int64
    var sequence: Int
    var payload: Payload

    @inline(__always)
    func isBefore(_ other: Entry) -> Bool {
      time != other.time ? time < other.time : sequence < other.sequence
    }
  }

  private var heap: [Entry] = []
  private var ties: [Entry] = []
  private var nextSequence = 0

  /// Makes an empty queue.
  public init() {}

  /// The number of waiting events.
  public var count: Int { heap.count }

  /// When the next event happens, or `nil` if there is none.
  public var nextInstant: VirtualInstant? {
    heap.first.map { VirtualInstant(Nanoseconds($0.time)) }
  }

  /// The payload of the oldest event, or `nil` if there is none.
  public var first: Payload? { heap.first?.payload }

  /// When the first of the events happens for which `isMeant` is true; O(n).
  public func earliestInstant(where isMeant: (Payload) -> Bool) -> VirtualInstant? {
    heap.filter { isMeant($0.payload) }.map(\.time).min().map {
      VirtualInstant(Nanoseconds($0))
    }
  }

  /// Adds an event.
  public mutating func add(_ payload: Payload, at instant: VirtualInstant) {
    heap.append(
      Entry(time: instant.sinceStart.count, sequence: nextSequence, payload: payload))
    nextSequence += 1
    siftUp(from: heap.count - 1)
  }

  /// Takes the oldest event without asking for a choice.
  public mutating func takeOldest() -> (instant: VirtualInstant, payload: Payload)? {
    guard let entry = removeFirst() else { return nil }
    return (VirtualInstant(Nanoseconds(entry.time)), entry.payload)
  }

  /// Takes the next event; where several happen at one instant, `decisions` picks which goes first.
  ///
  /// - Parameter isLive: Events for which this is false have been overtaken and are dropped.
  public mutating func takeNext(
    decisions: inout some Decisions, where isLive: (Payload) -> Bool
  ) -> (instant: VirtualInstant, payload: Payload, choices: Int, chosen: Int)? {
    var candidate: Entry?
    while let entry = removeFirst() {
      if isLive(entry.payload) {
        candidate = entry
        break
      }
    }
    guard let oldest = candidate else { return nil }
    guard let next = heap.first, next.time == oldest.time else {
      return (VirtualInstant(Nanoseconds(oldest.time)), oldest.payload, 1, 0)
    }
    ties.removeAll(keepingCapacity: true)
    ties.append(oldest)
    while let next = heap.first, next.time == oldest.time, let entry = removeFirst() {
      if isLive(entry.payload) { ties.append(entry) }
    }
    let choices = ties.count
    let chosen = choices > 1 ? decisions.choose("next", count: choices) : 0
    precondition(ties.indices.contains(chosen), "a decision lies within its count")
    for (index, entry) in ties.enumerated() where index != chosen {
      heap.append(entry)
      siftUp(from: heap.count - 1)
    }
    return (VirtualInstant(Nanoseconds(oldest.time)), ties[chosen].payload, choices, chosen)
  }

  private mutating func removeFirst() -> Entry? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      siftDown()
    }
    return first
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let right = left + 1
      let least = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
      guard heap[least].isBefore(heap[parent]) else { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}
