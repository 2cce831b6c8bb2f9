/// The machine readable zone of a travel document, or one line of it (ICAO 9303-3 to 9303-7).
struct MachineReadableZone {
  /// What the characters mean.
  let layout: Layout

  /// The places of the fields, counted from the start of the zone without line ends.
  struct Layout: Sendable {
    var length: Int
    var lineLength: Int
    var name: Range<Int>?
    var number: Range<Int>?
    var nationality: Range<Int>?
    var birth: Range<Int>?
    var sex: Int?
    var expiry: Range<Int>?
    var optional: [Range<Int>] = []
    /// What is checked by the digit at which place, the sum over all at last.
    var checks: [(covered: [Range<Int>], digit: Int)] = []
    /// True if the first two characters name a kind of document and the next three a state.
    var beginsDocument: Bool
  }

  /// All layouts, whole zones before single lines.
  static let layouts = [td3, td1, td2, visaA, visaB, td3SecondLine, td2SecondLine]

  private static let td3 = Layout(
    length: 88, lineLength: 44, name: 5..<44, number: 44..<53, nationality: 54..<57,
    birth: 57..<63, sex: 64, expiry: 65..<71, optional: [72..<86],
    checks: [
      ([44..<53], 53), ([57..<63], 63), ([65..<71], 71), ([72..<86], 86),
      ([44..<54, 57..<64, 65..<87], 87),
    ], beginsDocument: true)

  private static let td2 = Layout(
    length: 72, lineLength: 36, name: 5..<36, number: 36..<45, nationality: 46..<49,
    birth: 49..<55, sex: 56, expiry: 57..<63, optional: [64..<71],
    checks: [
      ([36..<45], 45), ([49..<55], 55), ([57..<63], 63), ([36..<46, 49..<56, 57..<71], 71),
    ], beginsDocument: true)

  private static let td1 = Layout(
    length: 90, lineLength: 30, name: 60..<90, number: 5..<14, nationality: 45..<48,
    birth: 30..<36, sex: 37, expiry: 38..<44, optional: [15..<30, 48..<59],
    checks: [
      ([5..<14], 14), ([30..<36], 36), ([38..<44], 44),
      ([5..<30, 30..<37, 38..<45, 48..<59], 59),
    ], beginsDocument: true)

  private static let visaA = Layout(
    length: 88, lineLength: 44, name: 5..<44, number: 44..<53, nationality: 54..<57,
    birth: 57..<63, sex: 64, expiry: 65..<71, optional: [72..<88],
    checks: [([44..<53], 53), ([57..<63], 63), ([65..<71], 71)], beginsDocument: true)

  private static let visaB = Layout(
    length: 72, lineLength: 36, name: 5..<36, number: 36..<45, nationality: 46..<49,
    birth: 49..<55, sex: 56, expiry: 57..<63, optional: [64..<72],
    checks: [([36..<45], 45), ([49..<55], 55), ([57..<63], 63)], beginsDocument: true)

  private static let td3SecondLine = Layout(
    length: 44, lineLength: 44, number: 0..<9, nationality: 10..<13, birth: 13..<19, sex: 20,
    expiry: 21..<27, optional: [28..<42],
    checks: [
      ([0..<9], 9), ([13..<19], 19), ([21..<27], 27), ([28..<42], 42),
      ([0..<10, 13..<20, 21..<43], 43),
    ], beginsDocument: false)

  private static let td2SecondLine = Layout(
    length: 36, lineLength: 36, number: 0..<9, nationality: 10..<13, birth: 13..<19, sex: 20,
    expiry: 21..<27, optional: [28..<35],
    checks: [
      ([0..<9], 9), ([13..<19], 19), ([21..<27], 27), ([0..<10, 13..<20, 21..<35], 35),
    ], beginsDocument: false)

  /// Recognises a zone that takes all of `characters`.
  init?(_ characters: [UInt8]) {
    guard characters.allSatisfy(Self.isCharacter),
      let layout = Self.layouts.first(where: { Self.fits(characters, $0) })
    else { return nil }
    self.layout = layout
  }

  /// True for `A` to `Z`, digits and the filler `<`.
  static func isCharacter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || Characters.isDigit(byte) || byte == 0x3C
  }

  private static func fits(_ characters: [UInt8], _ layout: Layout) -> Bool {
    guard characters.count == layout.length else { return false }
    let checksFit = layout.checks.prefix(3).allSatisfy { check in
      // A number that is longer than its field has a filler in place of its check digit.
      characters[check.digit] == 0x3C && check.covered.first == layout.number
        || checkDigit(of: check.covered, in: characters) == characters[check.digit]
    }
    guard layout.beginsDocument else {
      return checksFit && isDay(characters, layout.birth) && isDay(characters, layout.expiry)
        && layout.nationality.map { !characters[$0].contains(where: Characters.isDigit) } ?? false
    }
    let isDocument =
      // A visa has no digit over the whole second line, all others have one.
      [0x50, 0x49, 0x41, 0x43, 0x56].contains(characters[0])
      && (characters[0] == 0x56) == (layout.checks.count == 3)
      && characters[2..<5].allSatisfy { !Characters.isDigit($0) }
    guard isDocument, let name = layout.name else { return false }
    // Like a zone even with wrong check digits, if names and days stand where they should.
    let isNamed = zip(characters[name], characters[name].dropFirst()).contains { $0 == (60, 60) }
    return checksFit
      || isNamed && isDay(characters, layout.birth) && isDay(characters, layout.expiry)
  }

  private static func isDay(_ characters: [UInt8], _ range: Range<Int>?) -> Bool {
    guard let range else { return false }
    return characters[range].allSatisfy { Characters.isDigit($0) || $0 == 0x3C }
      && characters[range].contains(where: Characters.isDigit)
  }

  /// The check digit of ICAO 9303-3, 4.9: weights 7, 3, 1.
  static func checkDigit(of ranges: [Range<Int>], in characters: [UInt8]) -> UInt8 {
    let weights = [7, 3, 1]
    var sum = 0
    for (index, character) in ranges.flatMap({ characters[$0] }).enumerated() {
      let value: Int
      switch character {
      case 0x30...0x39: value = Int(character) - 0x30
      case 0x41...0x5A: value = Int(character) - 0x37
      default: value = 0
      }
      sum += value * weights[index % 3]
    }
    return UInt8(sum % 10) + 0x30
  }

  /// The zones in a stretch of bytes; line ends between the lines are left out.
  static func find(in view: TracedBytes) -> [TracedBytes] {
    var lines: [Range<Int>] = []
    var start: Int?
    for index in 0...view.count {
      let isInside = index < view.count && isCharacter(view.bytes[index])
      if isInside, start == nil { start = index }
      if !isInside, let first = start {
        if index - first >= 30 { lines.append(first..<index) }
        start = nil
      }
    }
    var found: [TracedBytes] = []
    var next = 0
    while next < lines.count {
      next += take(lines[next...], of: view, &found)
    }
    return found
  }

  /// Looks for a zone that begins in the first of some lines, and gives how many it takes.
  private static func take(
    _ lines: ArraySlice<Range<Int>>, of view: TracedBytes, _ found: inout [TracedBytes]
  ) -> Int {
    var joined = TracedBytes()
    var ends = 0
    var candidates: [(count: Int, zone: TracedBytes)] = []
    for (index, line) in lines.prefix(3).enumerated() {
      // Lines of one zone are parted by a line end only.
      guard index == 0 || line.lowerBound - ends <= 2 else { break }
      joined.append(view[line])
      ends = line.upperBound
      candidates.append((index + 1, joined))
    }
    for candidate in candidates.reversed() {
      for layout in layouts where candidate.count == 1 || candidate.zone.count == layout.length {
        var offset = 0
        while offset + layout.length <= candidate.zone.count {
          let zone = candidate.zone[offset..<(offset + layout.length)]
          if fits(zone.bytes, layout) {
            found.append(zone)
            return candidate.count
          }
          offset += 1
        }
      }
    }
    return 1
  }
}
