import Exploration
import NFCProtocols
import Replay
import Testing

/// Picks the last possibility each time and remembers how many there were.
struct LastDecisions: Decisions {
  var counts: [Int] = []
  mutating func choose(_ label: StaticString, count: Int) -> Int {
    counts.append(count)
    return count - 1
  }
}

@Suite struct EventQueueTests {
  @Test func earlierEventsComeFirstAndEqualOnesInOrderOfArrival() {
    var queue = EventQueue<Int>()
    for (payload, time) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 10), (6, 0)] {
      queue.add(payload, at: VirtualInstant(Nanoseconds(Int64(time))))
    }
    var calm = CalmDecisions()
    var order: [Int] = []
    while let next = queue.takeNext(decisions: &calm, where: { _ in true }) {
      order.append(next.payload)
    }
    #expect(order == [6, 2, 4, 5, 3, 1])
  }

  @Test func tiesAreAChoiceAndSingleEventsAreNot() {
    var queue = EventQueue<Int>()
    for payload in 1...3 { queue.add(payload, at: .start) }
    queue.add(4, at: VirtualInstant(Nanoseconds(1)))
    var last = LastDecisions()
    var order: [Int] = []
    while let next = queue.takeNext(decisions: &last, where: { _ in true }) {
      order.append(next.payload)
    }
    #expect(order == [3, 2, 1, 4])
    #expect(last.counts == [3, 2])
  }

  @Test func overtakenEventsAreNoChoice() {
    var queue = EventQueue<Int>()
    for payload in 1...4 { queue.add(payload, at: .start) }
    var last = LastDecisions()
    let next = queue.takeNext(decisions: &last, where: { $0 == 3 })
    #expect(next?.payload == 3)
    #expect(last.counts.isEmpty)
    #expect(queue.count == 0)
  }

  @Test func thousandsOfEventsStayInOrder() {
    var queue = EventQueue<Int64>()
    var state: UInt64 = 1
    for _ in 0..<5_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let time = Int64(state >> 40)
      queue.add(time, at: VirtualInstant(Nanoseconds(time)))
    }
    var previous = Int64.min
    while let next = queue.takeOldest() {
      #expect(next.payload >= previous)
      previous = next.payload
    }
  }
}
