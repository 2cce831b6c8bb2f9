extension MadeUpValues {
  /// Digits with a number as their last three, other characters where they were.
  private static func digits(
    like value: [UInt8], keeping kept: Int, _ number: Int, checkDigit: Bool
  ) -> [UInt8] {
    var made = value
    let places = value.indices.filter { Characters.isDigit(value[$0]) }
    let numbered = checkDigit ? places.dropLast() : places[...]
    for place in numbered.dropFirst(kept) { made[place] = 0x30 }
    var rest = number
    for place in numbered.dropFirst(kept).suffix(3).reversed() {
      made[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
    if checkDigit, let last = places.last {
      let digits = numbered.map { made[$0] - 0x30 }
      made[last] = CardNumber.checkDigit(of: digits[...]) + 0x30
    }
    return made
  }

  /// A card number: two digits of the old one, by which programs know the scheme.
  static func cardNumber(_ value: [UInt8], _ number: Int) -> [UInt8] {
    digits(like: value, keeping: 2, number, checkDigit: true)
  }

  static func phone(_ value: [UInt8], _ number: Int) -> [UInt8] {
    digits(like: value, keeping: 0, number, checkDigit: false)
  }

  static func track(
    _ value: [UInt8], _ parts: TrackData.Parts, card: Int, name: Int
  ) -> [UInt8] {
    var made = value
    made.replaceSubrange(parts.number, with: cardNumber(Array(value[parts.number]), card))
    if let range = parts.name {
      made.replaceSubrange(range, with: text(Array(value[range]), name))
    }
    if let range = parts.expiry { made.replaceSubrange(range, with: Array("4912".utf8)) }
    for place in parts.discretionary {
      if Characters.isDigit(value[place]) { made[place] = 0x30 }
      if Characters.isLetter(value[place]) { made[place] = 0x58 }
    }
    return made
  }

  /// Text: letters X or x, digits 0, the number in the last two of them.
  static func text(_ value: [UInt8], _ number: Int) -> [UInt8] {
    var made = value
    let places = value.indices.filter { isReplaceable(value[$0]) }
    for place in places { made[place] = cover(value[place], digit: nil) }
    if places.count >= shortestNumberedText {
      made[places[places.count - 2]] = cover(
        value[places[places.count - 2]], digit: UInt8(number / 10 % 10))
      made[places[places.count - 1]] = cover(
        value[places[places.count - 1]], digit: UInt8(number % 10))
    }
    return made
  }

  /// Shorter texts have no room for a number.
  private static let shortestNumberedText = 4

  private static func isReplaceable(_ byte: UInt8) -> Bool {
    Characters.isLetter(byte) || Characters.isDigit(byte) || byte >= 0x80
  }

  private static func cover(_ byte: UInt8, digit: UInt8?) -> UInt8 {
    switch byte {
    case 0x30...0x39: 0x30 + (digit ?? 0)
    case 0x41...0x5A: digit.map { 0x41 + $0 } ?? 0x58
    default: digit.map { 0x61 + $0 } ?? 0x78
    }
  }

  /// A zone: names X, the number of the document 0 with the number behind, all check digits right.
  static func zone(_ value: [UInt8], _ number: Int) -> [UInt8] {
    guard let layout = MachineReadableZone(value)?.layout else { return text(value, number) }
    var made = value
    func replace(_ range: Range<Int>?, with make: ([UInt8]) -> [UInt8]) {
      guard let range else { return }
      made.replaceSubrange(range, with: make(Array(value[range])))
    }
    func day(_ text: StaticString) -> ([UInt8]) -> [UInt8] {
      { old in zip(old, "\(text)".utf8).map { Characters.isDigit($0) ? $1 : $0 } }
    }
    func blank(_ old: [UInt8]) -> [UInt8] {
      old.map { Characters.isDigit($0) ? 0x30 : $0 == 0x3C ? 0x3C : 0x58 }
    }
    replace(layout.name) { text($0, number) }
    replace(layout.nationality, with: blank)
    replace(layout.birth, with: day("000101"))
    replace(layout.expiry, with: day("491231"))
    if let sex = layout.sex { made[sex] = 0x3C }
    for range in layout.optional { replace(range, with: blank) }
    replace(layout.number) { old in
      var field = blank(old)
      let places = field.indices.filter { field[$0] != 0x3C }.suffix(2)
      for (place, digit) in zip(places, [number / 10 % 10, number % 10].suffix(places.count)) {
        field[place] = 0x30 + UInt8(digit)
      }
      return field
    }
    for check in layout.checks where Characters.isDigit(made[check.digit]) {
      made[check.digit] = MachineReadableZone.checkDigit(of: check.covered, in: made)
    }
    return made
  }

  /// An identifier: the first byte stays, which tells the maker or that it is random.
  static func identifier(_ value: [UInt8], _ number: Int) -> [UInt8] {
    var made = [UInt8](repeating: 0, count: value.count)
    // ISO/IEC 15693-3, 4.1: sent from the last byte on, which is E0 and the maker.
    let isReversed = value.count == 8 && value[7] == 0xE0
    if isReversed {
      made[7] = value[7]
      made[6] = value[6]
      made[0] = UInt8(truncatingIfNeeded: number)
      made[1] = UInt8(truncatingIfNeeded: number >> 8)
    } else {
      made[0] = value[0]
      made[value.count - 1] = UInt8(truncatingIfNeeded: number)
      made[value.count - 2] = UInt8(truncatingIfNeeded: number >> 8)
    }
    return made
  }

  // MARK: Numbers in made-up values

  static func number(inDigits digits: ArraySlice<UInt8>) -> Int {
    digits.suffix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }

  static func number(inText value: [UInt8]) -> Int {
    let places = value.indices.filter { isReplaceable(value[$0]) }
    guard places.count >= shortestNumberedText else { return 0 }
    return places.suffix(2).reduce(0) { sum, place in
      let byte = value[place]
      let digit = Characters.isDigit(byte) ? byte - 0x30 : (byte | 0x20) &- 0x61
      return sum * 10 + Int(digit)
    }
  }

  static func number(inIdentifier value: [UInt8]) -> Int {
    guard value.count >= 4 else { return 0 }
    let isReversed = value.count == 8 && value[7] == 0xE0
    return isReversed
      ? Int(value[0]) | Int(value[1]) << 8
      : Int(value[value.count - 1]) | Int(value[value.count - 2]) << 8
  }
}
