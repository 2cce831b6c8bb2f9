import NFCProtocols

/// Finds the word that a user most likely meant.
public enum NearGuess {
  /// The nearest candidate, or `nil` if none is near.
  ///
  /// Near is a slip of the pen (see `NearestWord`), or three letters or more that a candidate
  /// begins with.
  public static func best(for word: String, among candidates: [String]) -> String? {
    if let nearest = NearestWord.guess(for: word, among: candidates) { return nearest }
    return word.utf8.count >= 3 ? candidates.first { $0.hasPrefix(word) } : nil
  }
}
