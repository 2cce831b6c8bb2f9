import NFCProtocols

/// Walks along one line of a trace, word by word.
struct LineScanner {
  /// The line without its line feed.
  let bytes: ArraySlice<UInt8>
  /// Where the next character stands.
  var index: Int
  /// The place of the line, for messages.
  let place: BadInput.Place

  init(_ bytes: ArraySlice<UInt8>, at place: BadInput.Place) {
    self.bytes = bytes
    index = bytes.startIndex
    self.place = place
  }

  /// True if only blanks are left.
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return index == bytes.endIndex
  }

  /// Passes over blanks and tabs.
  mutating func skipBlanks() {
    while index < bytes.endIndex, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
  }

  /// The next character after blanks, which is not taken.
  mutating func peek() -> UInt8? {
    skipBlanks()
    return index < bytes.endIndex ? bytes[index] : nil
  }

  /// Takes the next word, which ends at a blank or a comment; empty at the end of the line.
  mutating func word() -> ArraySlice<UInt8> {
    skipBlanks()
    let start = index
    while index < bytes.endIndex, bytes[index] != 0x20, bytes[index] != 0x09, bytes[index] != 0x3B {
      index += 1
    }
    return bytes[start..<index]
  }

  /// Takes all that is left, without blanks at either end.
  mutating func rest() -> ArraySlice<UInt8> {
    skipBlanks()
    let content = bytes[index...]
    index = bytes.endIndex
    return content.trimmingBlanks()
  }

  /// A fault in this line.
  func fault(_ found: String, expected: String, remedy: String) -> TraceError {
    .badInput(BadInput(at: place, found: found, expected: expected, remedy: remedy))
  }

  /// A fault at a word, which is quoted and cut to a readable length.
  func fault(
    at word: ArraySlice<UInt8>, expected: String, remedy: String
  ) -> TraceError {
    fault(word.isEmpty ? "the end of the line" : word.quoted, expected: expected, remedy: remedy)
  }

  /// A fault at a misspelt word, with the nearest known one as remedy.
  func unknown(
    _ word: ArraySlice<UInt8>, what: String, known: [String]
  ) -> TraceError {
    let list = known.joined(separator: ", ")
    guard let guess = NearestWord.guess(for: word.text, among: known) else {
      return fault(
        at: word, expected: "\(what): \(list)",
        remedy: "see docs/trace-format.md for what a line may hold")
    }
    return fault(at: word, expected: "\(what)", remedy: "did you mean `\(guess)`?")
  }
}

extension ArraySlice<UInt8> {
  /// The characters as a string; the line was checked to be UTF-8.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The characters in quotation marks, cut to 40 for messages.
  var quoted: String {
    let shown = text
    return shown.count <= 40 ? "`\(shown)`" : "`\(shown.prefix(40))…`"
  }

  /// Without blanks and tabs at either end.
  func trimmingBlanks() -> ArraySlice<UInt8> {
    var start = startIndex
    var end = endIndex
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return self[start..<end]
  }

  /// True if the characters are those of `literal`.
  func isWord(_ literal: StaticString) -> Bool { begins(with: literal, length: count) }

  /// True if the first `length` characters are those of `literal`, no more and no fewer.
  func begins(with literal: StaticString, length: Int) -> Bool {
    guard length == literal.utf8CodeUnitCount, length <= count else { return false }
    return literal.withUTF8Buffer { characters in
      for offset in 0..<length where unsafe self[startIndex + offset] != characters[offset] {
        return false
      }
      return true
    }
  }

  /// The number of up to 18 decimal digits, or `nil` if it is anything else.
  var number: Int? {
    guard (1...18).contains(count) else { return nil }
    var value = 0
    for digit in self {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }
}
