import HostIO
import Testing

/// The queue between two threads.
@Suite struct HandOverTests {
  @Test("Items come out in the order in which another thread put them in", arguments: [1, 2, 7])
  func order(capacity: Int) {
    let queue = HandOver<Int>(capacity: capacity)
    let thread = BackgroundThread {
      for number in 0..<1_000 { queue.put(number) }
      queue.close()
    }
    var taken: [Int] = []
    while let number = queue.take() { taken.append(number) }
    #expect(taken == Array(0..<1_000))
    let hasStarted = thread != nil
    #expect(hasStarted)
  }

  @Test("What was put in before the end may still be taken; nothing is put in after it")
  func end() {
    let queue = HandOver<String>(capacity: 2)
    #expect(queue.put("first"))
    #expect(queue.put("second"))
    queue.close()
    #expect(!queue.put("late"))
    #expect(queue.take() == "first")
    #expect(queue.take() == "second")
    #expect(queue.take() == nil)
  }

  @Test("The end wakes a thread that waits for room")
  func endWakesWriter() {
    let queue = HandOver<Int>(capacity: 1)
    let outcome = HandOver<Bool>(capacity: 2)
    do {
      let thread = BackgroundThread {
        outcome.put(queue.put(1))
        outcome.put(queue.put(2))
      }
      // The first item is in; the second one finds no room, now or after the end.
      #expect(outcome.take() == true)
      queue.close()
      let hasStarted = thread != nil
      #expect(hasStarted)
    }
    #expect(outcome.take() == false)
  }

  @Test("The end wakes a thread that waits for an item")
  func endWakesReader() {
    let queue = HandOver<Int>(capacity: 1)
    let outcome = HandOver<Bool>(capacity: 1)
    do {
      let thread = BackgroundThread { outcome.put(queue.take() == nil) }
      queue.close()
      let hasStarted = thread != nil
      #expect(hasStarted)
    }
    #expect(outcome.take() == true)
  }

  @Test("Letting go of a thread waits for the end of its work")
  func waits() {
    let queue = HandOver<Int>(capacity: 100)
    do {
      let thread = BackgroundThread { for number in 0..<100 { queue.put(number) } }
      let hasStarted = thread != nil
      #expect(hasStarted)
    }
    queue.close()
    var count = 0
    while queue.take() != nil { count += 1 }
    #expect(count == 100)
  }
}
