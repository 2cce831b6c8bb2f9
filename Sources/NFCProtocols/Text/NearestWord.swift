/// The nearest of some known words to a misspelt one, for messages that help.
public enum NearestWord {
  /// Longest word that is compared, in bytes: nothing longer is a keyword of ours.
  public static let longestWord = 64

  /// The candidate with the fewest slips of the pen from `word`, or `nil` if none is near.
  ///
  /// A slip is a wrong, missing, surplus or swapped letter. Near means at most one slip for three
  /// letters of the longer word. Of equally near candidates the first wins.
  public static func guess(for word: String, among candidates: [String]) -> String? {
    let typed = Array(word.utf8)
    guard !typed.isEmpty, typed.count <= longestWord else { return nil }
    var best: (word: String, slips: Int)?
    for candidate in candidates {
      let known = Array(candidate.utf8)
      let slips = slips(from: typed, to: known)
      guard slips <= max(typed.count, known.count) / 3 else { continue }
      if let found = best, found.slips <= slips { continue }
      best = (candidate, slips)
    }
    return best?.word
  }

  /// The Damerau-Levenshtein distance (optimal string alignment) of two words.
  static func slips(from typed: [UInt8], to known: [UInt8]) -> Int {
    guard known.count <= longestWord else { return Int.max }
    var beforeLast: [Int] = []
    var last = Array(0...known.count)
    for (row, letter) in typed.enumerated() {
      var current = [row + 1]
      for (column, other) in known.enumerated() {
        var cost = min(current[column], last[column + 1]) + 1
        cost = min(cost, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == known[column - 1], typed[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[known.count]
  }
}
