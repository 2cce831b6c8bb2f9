/// Finds the word that a user most likely meant.
public enum NearGuess {
  /// The nearest candidate, or `nil` if none is near.
  ///
  /// Near is an edit distance of at most a third of the word, and at least 1; a candidate that
  /// begins with the word (three letters or more) counts as near too.
  public static func best(for word: String, among candidates: [String]) -> String? {
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
      let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
      if distance < best?.distance ?? Int.max { best = (distance, candidate) }
    }
    if let best, best.distance <= max(1, word.utf8.count / 3) { return best.candidate }
    return word.utf8.count >= 3 ? candidates.first { $0.hasPrefix(word) } : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two words.
  static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
