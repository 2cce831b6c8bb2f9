/// Bytes that were found to be personal data, to be found again wherever they stand.
struct KnownValues {
  private var patterns: [Pattern] = []
  /// The patterns by their first two bytes, longest first.
  private var byStart: [UInt16: [Int]] = [:]
  private var known: Set<[UInt8]> = []

  private struct Pattern {
    var bytes: [UInt8]
    var replacement: [UInt8]
    var isTextOnly: Bool
  }

  /// Shorter values stand elsewhere by chance.
  private static let shortestNumber = 4
  private static let shortestText = 8

  /// Adds the forms in which a value may stand elsewhere.
  mutating func add(_ datum: PersonalDatum, replacement: [UInt8]) {
    let bytes = datum.content.bytes
    switch (datum.kind, datum.form) {
    case (.uid, _): addIdentifier(bytes, replacement)
    case (.cardNumber, .packedDigits), (.cardNumber, .characters):
      addCardNumber(datum.value, like: datum, replacement)
    case (.trackData, _):
      add(bytes, replacement, least: Self.shortestNumber)
      addHex(bytes, replacement)
      addNumberOfTrack(datum, replacement)
    case (.expiryDate, _), (_, .packedDigits): break
    case (_, .binary):
      add(bytes, replacement, least: Self.shortestText)
    case (.machineReadableZone, _):
      add(bytes, replacement, least: Self.shortestText)
      guard let layout = MachineReadableZone(datum.value)?.layout else { return }
      for start in stride(from: 0, to: bytes.count, by: layout.lineLength) {
        let line = start..<min(start + layout.lineLength, bytes.count)
        add(Array(bytes[line]), Array(replacement[line]), least: Self.shortestText)
      }
      if let number = layout.number {
        let end = bytes[number].firstIndex(of: 0x3C) ?? number.upperBound
        let field = number.lowerBound..<end
        add(Array(bytes[field]), Array(replacement[field]), least: Self.shortestText)
      }
    case (_, .characters): add(bytes, replacement, least: Self.shortestText)
    }
  }

  private mutating func addCardNumber(
    _ value: [UInt8], like datum: PersonalDatum, _ replacement: [UInt8]
  ) {
    let made =
      datum.form == .packedDigits ? PackedDigits.characters(replacement) : replacement
    let pairs = zip(value, made).filter { Characters.isDigit($0.0) }
    addDigits(pairs.map(\.0), pairs.map(\.1))
  }

  private mutating func addNumberOfTrack(_ datum: PersonalDatum, _ replacement: [UInt8]) {
    guard let number = TrackData.parts(of: datum.value)?.number else { return }
    let made =
      datum.form == .packedDigits ? PackedDigits.characters(replacement) : replacement
    addDigits(Array(datum.value[number]), Array(made[number]))
  }

  /// Digits as characters, and packed with `F` behind where their number is odd.
  private mutating func addDigits(_ digits: [UInt8], _ made: [UInt8]) {
    guard digits.count >= Self.shortestText else { return }
    add(digits, made, least: Self.shortestText)
    func pack(_ characters: [UInt8]) -> [UInt8] {
      let room = [UInt8](repeating: 0, count: characters.count / 2)
      let even = PackedDigits.packed(Array(characters.prefix(room.count * 2)), like: room)
      return characters.count % 2 == 0
        ? even : even + [(characters[characters.count - 1] - 0x30) << 4 | 0x0F]
    }
    add(pack(digits), pack(made), least: Self.shortestNumber)
  }

  private mutating func addIdentifier(_ bytes: [UInt8], _ made: [UInt8]) {
    add(bytes, made, least: Self.shortestNumber)
    addHex(bytes, made)
    if bytes.count == 8 { add(bytes.reversed(), made.reversed(), least: Self.shortestNumber) }
    guard bytes.count == 7 else { return }
    // Parts of the cascade, and pages 0 to 2 of a Type 2 tag with both check bytes.
    func parts(_ uid: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
      ([0x88] + uid[..<3], Array(uid[3...]))
    }
    func pages(_ uid: [UInt8]) -> [UInt8] {
      let (first, second) = parts(uid)
      return uid[..<3] + [first.reduce(0, ^)] + second + [second.reduce(0, ^)]
    }
    add(parts(bytes).first, parts(made).first, least: Self.shortestNumber)
    add(parts(bytes).second, parts(made).second, least: Self.shortestNumber)
    add(pages(bytes), pages(made), least: Self.shortestNumber)
    let firstPage = Array(pages(bytes)[..<4])
    add(firstPage, Array(pages(made)[..<4]), least: Self.shortestNumber)
  }

  /// Bytes as words print them: with and without blanks, in capitals and small letters.
  private mutating func addHex(_ bytes: [UInt8], _ made: [UInt8]) {
    for isUpper in [true, false] {
      for blank in ["", " ", ":"] {
        func text(_ bytes: [UInt8]) -> [UInt8] {
          let pairs = bytes.map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: isUpper)
          }
          return Array(pairs.joined(separator: blank).utf8)
        }
        add(text(bytes), text(made), least: Self.shortestNumber, isTextOnly: true)
      }
    }
  }

  private mutating func add(
    _ bytes: [UInt8], _ replacement: [UInt8], least: Int, isTextOnly: Bool = false
  ) {
    precondition(bytes.count == replacement.count, "a value keeps its length")
    guard bytes.count >= least, bytes.count >= 2, bytes != replacement,
      known.insert(bytes).inserted
    else { return }
    let start = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    patterns.append(
      Pattern(bytes: bytes, replacement: replacement, isTextOnly: isTextOnly))
    var list = byStart[start] ?? []
    let place = list.firstIndex { patterns[$0].bytes.count < bytes.count } ?? list.count
    list.insert(patterns.count - 1, at: place)
    byStart[start] = list
  }

  var isEmpty: Bool { patterns.isEmpty }

  /// Calls `visit` for each place where a known value stands, with what to write there.
  func find(in view: TracedBytes, isText: Bool, visit: (Range<Int>, [UInt8]) -> Void) {
    let bytes = view.bytes
    var place = 0
    while place + 1 < bytes.count {
      let start = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
      guard let list = byStart[start], let pattern = match(list, bytes, place, isText) else {
        place += 1
        continue
      }
      visit(place..<(place + pattern.bytes.count), pattern.replacement)
      place += pattern.bytes.count
    }
  }

  private func match(
    _ list: [Int], _ bytes: [UInt8], _ place: Int, _ isText: Bool
  ) -> Pattern? {
    for index in list {
      let pattern = patterns[index]
      let end = place + pattern.bytes.count
      if end <= bytes.count, isText || !pattern.isTextOnly,
        bytes[place..<end].elementsEqual(pattern.bytes)
      {
        return pattern
      }
    }
    return nil
  }
}
