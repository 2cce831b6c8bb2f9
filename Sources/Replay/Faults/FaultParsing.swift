import NFCProtocols

/// One argument of a fault rule as it was written, and its column.
struct FaultArgument {
  var text: String
  var position: Int
}

/// A place in the text of fault rules.
struct FaultCursor {
  let text: [UInt8]
  var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { position >= text.count }

  var foundHere: String {
    guard position < text.count else { return "the end" }
    return "'" + String(decoding: text[position...].prefix(16), as: UTF8.self) + "'"
  }

  mutating func skipBlanks() {
    while position < text.count, text[position] == 0x20 || text[position] == 0x09 { position += 1 }
  }

  mutating func skipSeparators() {
    while position < text.count, [0x20, 0x09, 0x0A, 0x0D, 0x3B].contains(text[position]) {
      position += 1
    }
  }

  mutating func take(_ character: UInt8) -> Bool {
    skipBlanks()
    guard position < text.count, text[position] == character else { return false }
    position += 1
    return true
  }

  /// The lower-case letters from here on, and `extra` between them.
  mutating func takeWord(with extra: UInt8 = 0x61) -> String {
    let start = position
    while position < text.count, (0x61...0x7A).contains(text[position]) || text[position] == extra {
      position += 1
    }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  /// Everything up to the next `,` or `)`, without blanks at its ends.
  mutating func takeArgument() -> FaultArgument {
    skipBlanks()
    let start = position
    while position < text.count, text[position] != 0x2C, text[position] != 0x29 { position += 1 }
    var end = position
    while end > start, text[end - 1] == 0x20 { end -= 1 }
    return FaultArgument(
      text: String(decoding: text[start..<end], as: UTF8.self), position: start)
  }

  func error(
    at place: Int? = nil, found: String, expected: String, remedy: String
  ) -> ReplayError {
    .badText(
      BadText(
        what: "faults", column: (place ?? position) + 1, found: found, expected: expected,
        remedy: remedy))
  }
}

/// Turns the arguments of one rule into the rule.
struct FaultBuilder {
  let kind: String
  let source: FaultCursor

  func build(_ arguments: [FaultArgument]) throws(ReplayError) -> FaultRule {
    let address = arguments[0]
    var rule = FaultRule(.drop, exchanges: try exchanges(address))
    if address.text == "reader" { rule.side = .reader }
    var delay: Nanoseconds?
    var bit: Int?
    for argument in arguments.dropFirst() {
      if argument.text == "card" || argument.text == "reader" {
        rule.side = argument.text == "card" ? .card : .reader
      } else if kind == "late", delay == nil, let value = DurationText.parse(argument.text) {
        delay = value
      } else if kind == "corrupt", bit == nil, let value = Int(argument.text), value >= 0 {
        bit = value
      } else {
        throw source.error(
          at: argument.position, found: "'\(argument.text)'", expected: expectedArgument,
          remedy: "write for example \(example)")
      }
    }
    switch kind {
    case "late": rule.effect = .late(try checked(delay, at: address.position))
    case "corrupt": rule.effect = .corrupt(bit: bit)
    case "dup": rule.effect = .duplicate
    default: rule.effect = .drop
    }
    return rule
  }

  private func checked(
    _ delay: Nanoseconds?, at position: Int
  ) throws(ReplayError) -> Nanoseconds {
    guard let delay else {
      throw source.error(
        at: position, found: "no delay", expected: "a delay after the address",
        remedy: "write for example \(example)")
    }
    guard delay <= FaultText.maximumDelay else {
      throw source.error(
        at: position, found: DurationText.exact(delay), expected: "at most 3600s",
        remedy: "use drop(…) for an answer that never comes")
    }
    return delay
  }

  private func exchanges(_ address: FaultArgument) throws(ReplayError) -> FaultRule.Exchanges {
    if address.text == "card" || address.text == "reader" { return .all }
    let text = address.text.hasPrefix("#") ? String(address.text.dropFirst()) : address.text
    guard let first = text.utf8.first, (0x30...0x39).contains(first) else {
      let letters = text.utf8.contains { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
      if letters { return .named(text) }
      throw source.error(
        at: address.position, found: text.isEmpty ? "no address" : "'\(text)'",
        expected: "an exchange number, a range, card, reader or a command name",
        remedy: "write for example \(example)")
    }
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    let number = Int(String(decoding: Array(digits), as: UTF8.self))
    let rest = String(decoding: Array(text.utf8.dropFirst(digits.count)), as: UTF8.self)
    guard let number, number >= 1 else {
      throw source.error(
        at: address.position, found: "'\(text)'", expected: "an exchange number from 1",
        remedy: "exchanges are numbered from 1, as in the report of retap replay")
    }
    if rest.isEmpty { return .numbers(first: number, last: number) }
    if rest == ".." { return .numbers(first: number, last: nil) }
    guard rest.hasPrefix(".."), let last = Int(rest.dropFirst(2)), last >= number else {
      throw source.error(
        at: address.position, found: "'\(text)'", expected: "a range such as 3..5 or 3..",
        remedy: "the last number must not be smaller than the first")
    }
    return .numbers(first: number, last: last)
  }

  private var expectedArgument: String {
    switch kind {
    case "late": "one delay such as +6.2ms, card or reader"
    case "corrupt": "one bit number from 0, card or reader"
    default: "card or reader"
    }
  }

  private var example: String {
    switch kind {
    case "late": "late(14,+6.2ms)"
    case "corrupt": "corrupt(14,3)"
    case "dup": "dup(14)"
    default: "drop(14,reader)"
    }
  }
}
