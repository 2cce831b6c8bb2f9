/// Makes up values in the place of personal data: of the same length and form, the same for the
/// same value, and recognisable as made up.
///
/// A made-up value carries a number that tells it from others of its kind. Card numbers keep two
/// digits, then come zeros, the number in three digits, and a right check digit; letters are X but
/// for the last two, digits are 0; what is no text is `MADE UP `, over and over.
struct MadeUpValues {
  private var numbers: [Key: Int] = [:]
  private var counts: [PersonalDataKind: Int] = [:]

  private struct Key: Hashable {
    var kind: PersonalDataKind
    var value: [UInt8]
  }

  /// The number of a value, the next one if it is new.
  private mutating func number(of value: [UInt8], _ kind: PersonalDataKind) -> Int {
    let key = Key(kind: kind, value: value)
    if let known = numbers[key] { return known }
    let next = (counts[kind] ?? 0) + 1
    counts[kind] = next
    numbers[key] = next
    return next
  }

  /// What to write in place of the bytes of a datum.
  mutating func replacement(for datum: PersonalDatum) -> [UInt8] {
    let value = datum.value
    switch datum.kind {
    case .trackData:
      guard let parts = TrackData.parts(of: value) else { break }
      let card = number(of: Array(value[parts.number]), .cardNumber)
      let name = parts.name.map { number(of: Array(value[$0]), .holderName) }
      return Self.write(Self.track(value, parts, card: card, name: name ?? 0), into: datum)
    case .cardNumber, .phone:
      let digits = value.filter(Characters.isDigit)
      return Self.make(datum, number: number(of: digits, datum.kind))
    case .machineReadableZone:
      let field = MachineReadableZone(value)?.layout.number.map { Array(value[$0]) }
      return Self.make(datum, number: number(of: field ?? value, datum.kind))
    default: break
    }
    return Self.make(datum, number: number(of: value, datum.kind))
  }

  /// True for a value as this type makes them.
  static func isMadeUp(_ datum: PersonalDatum) -> Bool {
    let value = datum.value
    if datum.kind == .trackData, let parts = TrackData.parts(of: value) {
      let card = Self.number(inDigits: value[parts.number].dropLast())
      let name = parts.name.map { Self.number(inText: Array(value[$0])) } ?? 0
      return track(value, parts, card: card, name: name) == value
    }
    let number: Int
    switch datum.kind {
    case .cardNumber:
      number = Self.number(inDigits: value.filter(Characters.isDigit).dropLast())
    case .phone: number = Self.number(inDigits: value.filter(Characters.isDigit)[...])
    case .machineReadableZone:
      guard let field = MachineReadableZone(value)?.layout.number else { return false }
      number = Self.number(inDigits: value[field].filter(Characters.isDigit).suffix(2))
    case .uid: number = Self.number(inIdentifier: value)
    default: number = datum.form == .binary ? Int(value.first ?? 0) : Self.number(inText: value)
    }
    return make(datum, number: number) == datum.content.bytes
  }

  /// A made-up value of the form of a datum.
  private static func make(_ datum: PersonalDatum, number: Int) -> [UInt8] {
    let value = datum.value
    let made: [UInt8]
    switch (datum.kind, datum.form) {
    case (.cardNumber, _): made = cardNumber(value, number)
    case (.phone, .characters): made = phone(value, number)
    case (.expiryDate, _): made = Array("491231".utf8)
    case (.machineReadableZone, _): made = zone(value, number)
    case (.uid, _): made = identifier(value, number)
    case (.device, .binary), (.network, .binary):
      made = [UInt8(truncatingIfNeeded: number)] + [UInt8](repeating: 0, count: value.count - 1)
    case (_, .binary):
      let pattern = Array("MADE UP ".utf8)
      made = value.indices.map { pattern[$0 % pattern.count] }
    case (_, .packedDigits):
      made = value.count == 8 ? Array("19000101".utf8) : value.map { _ in 0x30 }
    case (_, .characters): made = text(value, number)
    }
    return write(made, into: datum)
  }

  private static func write(_ made: [UInt8], into datum: PersonalDatum) -> [UInt8] {
    datum.form == .packedDigits ? PackedDigits.packed(made, like: datum.content.bytes) : made
  }
}
