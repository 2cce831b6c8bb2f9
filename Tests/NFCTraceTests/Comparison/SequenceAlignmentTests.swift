import ProtocolTesting
import Testing

@testable import NFCTrace

@Suite("Alignment of two sequences")
struct SequenceAlignmentTests {
  /// The length of the longest common subsequence by the table of dynamic programming.
  private func commonLength(_ first: [Int], _ second: [Int]) -> Int {
    var row = [Int](repeating: 0, count: second.count + 1)
    for left in first {
      var diagonal = 0
      for (index, right) in second.enumerated() {
        let above = row[index + 1]
        row[index + 1] = left == right ? diagonal + 1 : max(above, row[index])
        diagonal = above
      }
    }
    return row[second.count]
  }

  /// Steps walk through both sequences in order, without leaving out or repeating an element.
  private func walk(_ steps: [SequenceAlignment.Step], _ first: [Int], _ second: [Int]) -> Bool {
    var x = 0
    var y = 0
    for step in steps {
      switch step {
      case .both(let left, let right):
        guard left == x, right == y, first[x] == second[y] else { return false }
        x += 1
        y += 1
      case .first(let left):
        guard left == x else { return false }
        x += 1
      case .second(let right):
        guard right == y else { return false }
        y += 1
      }
    }
    return x == first.count && y == second.count
  }

  private func agreed(_ alignment: SequenceAlignment) -> Int {
    alignment.steps.count { step in
      if case .both = step { true } else { false }
    }
  }

  @Test("All pairs of sequences of up to four of two elements are aligned at their longest")
  func exhaustive() {
    var sequences: [[Int]] = [[]]
    for length in 1...4 {
      for bits in 0..<(1 << length) { sequences.append((0..<length).map { bits >> $0 & 1 }) }
    }
    for first in sequences {
      for second in sequences {
        let alignment = SequenceAlignment(first, second)
        #expect(walk(alignment.steps, first, second))
        #expect(agreed(alignment) == commonLength(first, second), "\(first) \(second)")
        #expect(alignment.isShortest)
      }
    }
  }

  @Test("Long sequences with scattered changes are aligned at their longest")
  func scattered() {
    var generator = TestGenerator(seed: 4)
    for _ in 0..<20 {
      let first = (0..<200).map { _ in generator.below(12) }
      var second = first
      for _ in 0..<20 {
        switch generator.below(3) {
        case 0: second[generator.below(second.count)] = generator.below(12)
        case 1: second.remove(at: generator.below(second.count))
        default: second.insert(generator.below(12), at: generator.below(second.count))
        }
      }
      let alignment = SequenceAlignment(first, second)
      #expect(walk(alignment.steps, first, second))
      #expect(agreed(alignment) == commonLength(first, second))
    }
  }

  @Test("At the bound the alignment is the best, one difference beyond it says that it may not be")
  func bound() {
    let second = [9, 1, 2]
    let first = [1, 2] + [Int](repeating: 5, count: 3)
    #expect(SequenceAlignment(first, second, maximumEdits: 4).isShortest)
    let cut = SequenceAlignment(first, second, maximumEdits: 3)
    #expect(!cut.isShortest)
    #expect(walk(cut.steps, first, second))
  }

  @Test("Sequences without anything in common end, whatever the bound")
  func strangers() {
    let first = [Int](0..<3_000)
    let second = [Int](3_000..<5_000)
    for bound in [1, 7, 512] {
      let alignment = SequenceAlignment(first, second, maximumEdits: bound)
      #expect(walk(alignment.steps, first, second))
      #expect(agreed(alignment) == 0)
    }
  }
}
