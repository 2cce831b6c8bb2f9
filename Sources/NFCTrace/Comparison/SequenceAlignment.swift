/// Aligns two sequences of numbers by a longest common subsequence.
///
/// The greedy algorithm of E. Myers, "An O(ND) difference algorithm and its variations" (1986): time
/// and memory grow with the number of differences, not with the length of what agrees.
struct SequenceAlignment: Sendable {
  /// One step along both sequences, by index.
  enum Step: Equatable, Sendable {
    /// The same element in both.
    case both(Int, Int)
    /// An element that only the first one has.
    case first(Int)
    /// An element that only the second one has.
    case second(Int)
  }

  /// Differences within which the alignment is the best there is.
  ///
  /// Beyond them the path that has come furthest is kept and the search begins anew behind it:
  /// memory stays below 2 × 512² numbers and time linear, whatever the sequences are.
  static let maximumEdits = 512

  /// The steps in order.
  private(set) var steps: [Step] = []
  /// True if no other alignment has fewer differences.
  private(set) var isShortest = true

  /// Aligns two sequences.
  init(_ first: [Int], _ second: [Int], maximumEdits: Int = SequenceAlignment.maximumEdits) {
    precondition(maximumEdits > 0, "an alignment must be allowed a difference")
    var x = 0
    var y = 0
    var endX = first.count
    var endY = second.count
    while x < endX, y < endY, first[x] == second[y] {
      steps.append(.both(x, y))
      x += 1
      y += 1
    }
    while endX > x, endY > y, first[endX - 1] == second[endY - 1] {
      endX -= 1
      endY -= 1
    }
    while x < endX || y < endY {
      let stretch = Self.stretch(first[x..<endX], second[y..<endY], maximumEdits)
      steps += stretch
      for step in stretch {
        switch step {
        case .both:
          x += 1
          y += 1
        case .first: x += 1
        case .second: y += 1
        }
      }
      if x < endX || y < endY { isShortest = false }
    }
    while x < first.count {
      steps.append(.both(x, y))
      x += 1
      y += 1
    }
  }

  /// The best steps from the beginning of two slices to their ends, or as far as the bound allows.
  private static func stretch(
    _ first: ArraySlice<Int>, _ second: ArraySlice<Int>, _ maximumEdits: Int
  ) -> [Step] {
    let bound = min(maximumEdits, first.count + second.count)
    let offset = bound + 1
    // reach[offset + k]: the furthest index of `first` on diagonal k.
    var reach = [Int](repeating: 0, count: 2 * bound + 3)
    var history: [[Int]] = []
    for edits in 0...bound {
      history.append(Array(reach[offset - edits - 1...offset + edits + 1]))
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let below = reach[offset + diagonal - 1]
        let above = reach[offset + diagonal + 1]
        let isDown = diagonal == -edits || (diagonal != edits && below < above)
        var x = isDown ? above : below + 1
        while x < first.count, x - diagonal < second.count,
          first[first.startIndex + x] == second[second.startIndex + x - diagonal]
        {
          x += 1
        }
        reach[offset + diagonal] = x
        if x == first.count, x - diagonal == second.count {
          return path(history, edits, diagonal, x, first.startIndex, second.startIndex)
        }
      }
    }
    var best = (diagonal: 0, x: 0, progress: -1)
    for diagonal in stride(from: -bound, through: bound, by: 2) {
      let x = reach[offset + diagonal]
      let y = x - diagonal
      guard x <= first.count, y >= 0, y <= second.count, x + y > best.progress else { continue }
      best = (diagonal, x, x + y)
    }
    return path(history, bound, best.diagonal, best.x, first.startIndex, second.startIndex)
  }

  /// Walks back from the point `x` on `diagonal`, which `edits` differences reached.
  private static func path(
    _ history: [[Int]], _ edits: Int, _ diagonal: Int, _ x: Int, _ startX: Int, _ startY: Int
  ) -> [Step] {
    var steps: [Step] = []
    var x = x
    var diagonal = diagonal
    var y = x - diagonal
    for edit in stride(from: edits, to: 0, by: -1) {
      let reach = history[edit]
      let middle = edit + 1
      let below = reach[middle + diagonal - 1]
      let above = reach[middle + diagonal + 1]
      let isDown = diagonal == -edit || (diagonal != edit && below < above)
      let fromX = isDown ? above : below
      let fromDiagonal = isDown ? diagonal + 1 : diagonal - 1
      let landing = isDown ? fromX : fromX + 1
      while x > landing {
        x -= 1
        y -= 1
        steps.append(.both(startX + x, startY + y))
      }
      if isDown {
        y -= 1
        steps.append(.second(startY + y))
      } else {
        x -= 1
        steps.append(.first(startX + x))
      }
      diagonal = fromDiagonal
    }
    while x > 0 {
      x -= 1
      y -= 1
      steps.append(.both(startX + x, startY + y))
    }
    return steps.reversed()
  }
}
