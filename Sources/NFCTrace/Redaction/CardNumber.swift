/// Rules on the numbers of payment cards (ISO/IEC 7812-1).
enum CardNumber {
  /// The lengths that are looked for outside of tags, in digits.
  static let lengths = 13...19

  /// True if the check digit at the end fits (ISO/IEC 7812-1, annex B).
  static func isLuhnValid(_ digits: [UInt8]) -> Bool {
    guard let last = digits.last else { return false }
    return checkDigit(of: digits.dropLast()) == last
  }

  /// The check digit behind some digits.
  static func checkDigit(of digits: ArraySlice<UInt8>) -> UInt8 {
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() {
      let doubled = index % 2 == 0 ? Int(digit) * 2 : Int(digit)
      sum += doubled > 9 ? doubled - 9 : doubled
    }
    return UInt8((10 - sum % 10) % 10)
  }

  /// True for a number with a right check digit, and a beginning and length that schemes issue.
  ///
  /// Outside of tags a check digit alone would take one number in ten for a card number.
  static func isPlausible(_ digits: [UInt8]) -> Bool {
    guard lengths.contains(digits.count) else { return false }
    let start = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) }
    let fits: Bool
    switch start {
    case 4000...4999: fits = [13, 16, 19].contains(digits.count)
    case 5100...5599, 2221...2720: fits = digits.count == 16
    case 3400...3499, 3700...3799: fits = digits.count == 15
    case 3000...3059, 3095, 3600...3699, 3800...3999: fits = (14...19).contains(digits.count)
    case 3528...3589: fits = (16...19).contains(digits.count)
    case 6011, 6200...6299, 6440...6599: fits = (16...19).contains(digits.count)
    case 5000...5099, 5600...5899, 6300...6399, 6700...6799:
      fits = (16...19).contains(digits.count)
    default: fits = false
    }
    return fits && isLuhnValid(digits)
  }
}

/// Track 1 and track 2 (ISO/IEC 7813) as chips and readers give them.
enum TrackData {
  /// The parts of a track that personal data stand in, as ranges of its characters.
  struct Parts {
    var number: Range<Int>
    var name: Range<Int>?
    var expiry: Range<Int>?
    /// What the issuer put behind the service code.
    var discretionary: Range<Int>
  }

  /// Takes a track apart: `number D YYMM …` in digits, or `B number ^ name ^ YYMM …`.
  static func parts(of characters: [UInt8]) -> Parts? {
    let start = characters.first == 0x42 ? 1 : 0
    let separators: [UInt8] = start == 1 ? [0x5E] : [0x44, 0x3D]
    guard
      let first = characters[start...].firstIndex(where: { separators.contains($0) }),
      (8...19).contains(first - start),
      characters[start..<first].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    var name: Range<Int>?
    var place = first + 1
    if start == 1 {
      guard let second = characters[place...].firstIndex(of: 0x5E) else { return nil }
      name = place..<second
      place = second + 1
    }
    let rest = place..<characters.count
    let isDated = characters[rest].prefix(4).count { (0x30...0x39).contains($0) } == 4
    // The date may be left out; then a separator stands in its place.
    let expiry = isDated ? place..<(place + 4) : nil
    let behindService = min(place + (isDated ? 7 : 1), characters.count)
    return Parts(
      number: start..<first, name: name, expiry: expiry,
      discretionary: behindService..<characters.count)
  }

  /// The bytes of a track 2 in packed digits that begins at `start`; 0 if none does.
  static func length(ofPacked bytes: [UInt8], at start: Int, end: Int) -> Int {
    // 19 digits, the separator, and at least date and service code.
    var digits: [UInt8] = []
    var place = start * 2
    func nibble(_ index: Int) -> UInt8 {
      index % 2 == 0 ? bytes[index / 2] >> 4 : bytes[index / 2] & 0x0F
    }
    while place < end * 2, nibble(place) < 10, digits.count <= 19 {
      digits.append(nibble(place))
      place += 1
    }
    guard place < end * 2, nibble(place) == 0x0D, CardNumber.isPlausible(digits) else { return 0 }
    place += 1
    var behind: [UInt8] = []
    while place < end * 2, nibble(place) < 10, behind.count <= 24 {
      behind.append(nibble(place))
      place += 1
    }
    guard behind.count >= 7, (1...12).contains(Int(behind[2]) * 10 + Int(behind[3])) else {
      return 0
    }
    if place % 2 == 1 {
      guard nibble(place) == 0x0F else { return 0 }
      place += 1
    }
    return place / 2 - start
  }
}
