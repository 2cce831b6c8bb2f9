/// Finds personal data in characters, wherever they stand: between other bytes, too.
struct TextRule {
  private let view: TracedBytes
  private let context: Context
  private var found: [PersonalDatum] = []

  /// What is known of the bytes.
  enum Context {
    /// Nothing: they may be anything.
    case unknown
    /// They are words of a person or a program: blanks part the digits of a card number.
    case words
    /// They are words of a person, in which `+` and digits are a phone number.
    case message
  }

  private init(_ view: TracedBytes, _ context: Context) {
    self.view = view
    self.context = context
  }

  /// The personal data that there are.
  static func find(in view: TracedBytes, _ context: Context) -> [PersonalDatum] {
    var rule = TextRule(view, context)
    rule.run()
    return rule.found
  }

  private mutating func run() {
    for zone in MachineReadableZone.find(in: view) {
      found.append(
        PersonalDatum(
          kind: .machineReadableZone, form: .characters, content: zone, location: "characters"))
    }
    let bytes = view.bytes
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case 0x40: email(at: place)
      case 0x42, 0x62:
        if let end = contact(at: place) { place = end - 1 } else { firstTrack(at: place) }
      case 0x2B where context == .message: phone(at: place, leastDigits: 8)
      case 0x3A: phoneAddress(colon: place)
      case 0x30...0x39: place = number(at: place) - 1
      default: break
      }
      place += 1
    }
  }

  private mutating func add(
    _ kind: PersonalDataKind, _ range: Range<Int>, _ location: String = "characters"
  ) {
    found.append(
      PersonalDatum(kind: kind, form: .characters, content: view[range], location: location))
  }

  // MARK: Addresses

  private mutating func email(at sign: Int) {
    let bytes = view.bytes
    var start = sign
    while start > 0, Self.isLocalPart(bytes[start - 1]), sign - start < 64 { start -= 1 }
    var end = sign + 1
    while end < bytes.count, Self.isDomain(bytes[end]), end - sign < 255 { end += 1 }
    while end > sign, bytes[end - 1] == 0x2E || bytes[end - 1] == 0x2D { end -= 1 }
    guard let dot = bytes[sign..<end].lastIndex(of: 0x2E) else { return }
    let top = bytes[(dot + 1)..<end]
    // Shorter ones appear by chance between other bytes.
    guard sign - start >= (context == .unknown ? 2 : 1), dot - sign > 2, top.count >= 2,
      top.allSatisfy(Characters.isLetter)
    else { return }
    add(.email, start..<end)
  }

  private static func isLocalPart(_ byte: UInt8) -> Bool {
    Characters.isLetter(byte) || Characters.isDigit(byte)
      || [0x2E, 0x5F, 0x25, 0x2B, 0x2D].contains(byte)
  }

  private static func isDomain(_ byte: UInt8) -> Bool {
    Characters.isLetter(byte) || Characters.isDigit(byte) || byte == 0x2E || byte == 0x2D
  }

  /// `tel:` and `sms:` and what stands behind (RFC 3966, RFC 5724), also in capitals.
  private mutating func phoneAddress(colon: Int) {
    guard colon >= 3 else { return }
    let scheme = view.bytes[(colon - 3)..<colon].map { $0 | 0x20 }
    guard scheme == Array("tel".utf8) || scheme == Array("sms".utf8) else { return }
    phone(at: colon + 1, leastDigits: 3)
  }

  private mutating func phone(at start: Int, leastDigits: Int) {
    guard let end = Self.endOfPhone(view.bytes, from: start, leastDigits: leastDigits) else {
      return
    }
    add(.phone, start..<end)
  }

  /// Where a phone number that begins at `start` ends, or `nil` if there is none.
  static func endOfPhone(_ bytes: [UInt8], from start: Int, leastDigits: Int) -> Int? {
    var place = start
    var digits = 0
    var end = start
    if place < bytes.count, bytes[place] == 0x2B { place += 1 }
    // At most 15 digits (ITU-T E.164), with blanks, points, dashes and brackets between them.
    while place < bytes.count, digits < 15 {
      if Characters.isDigit(bytes[place]) {
        digits += 1
        end = place + 1
      } else if ![0x20, 0x2D, 0x2E, 0x28, 0x29, 0x2F].contains(bytes[place]) {
        break
      }
      place += 1
    }
    return digits >= leastDigits ? end : nil
  }

  // MARK: Cards

  /// Looks at the number that begins at `start`, and gives the place behind it.
  private mutating func number(at start: Int) -> Int {
    let bytes = view.bytes
    var end = start
    while end < bytes.count, Characters.isDigit(bytes[end]) { end += 1 }
    let isBounded =
      (start == 0 || !Characters.isHexLetter(bytes[start - 1]) || bytes[start - 1] == 0x42)
      && (end == bytes.count || !Characters.isHexLetter(bytes[end]))
    if end - start >= CardNumber.lengths.lowerBound {
      if end < bytes.count, bytes[end] == 0x3D || bytes[end] == 0x44 {
        if let track = secondTrack(start, separator: end) { return track }
      }
      if isBounded, CardNumber.isPlausible(bytes[start..<end].map { $0 - 0x30 }) {
        add(.cardNumber, start..<end)
      }
      return end
    }
    if context != .unknown, isBounded { return groupedNumber(start, firstEnd: end) ?? end }
    return end
  }

  /// A card number in groups of digits, as it is printed.
  private mutating func groupedNumber(_ start: Int, firstEnd: Int) -> Int? {
    let bytes = view.bytes
    guard firstEnd - start == 4, firstEnd < bytes.count,
      bytes[firstEnd] == 0x20 || bytes[firstEnd] == 0x2D
    else { return nil }
    let separator = bytes[firstEnd]
    var digits: [UInt8] = []
    var place = start
    var end = start
    while place < bytes.count, digits.count <= CardNumber.lengths.upperBound {
      if Characters.isDigit(bytes[place]) {
        digits.append(bytes[place] - 0x30)
        end = place + 1
      } else if bytes[place] != separator || place > 0 && bytes[place - 1] == separator {
        break
      }
      place += 1
    }
    guard CardNumber.isPlausible(digits) else { return nil }
    add(.cardNumber, start..<end)
    return end
  }

  /// Track 2 in characters.
  private mutating func secondTrack(_ start: Int, separator: Int) -> Int? {
    let bytes = view.bytes
    var end = separator + 1
    while end < bytes.count, Characters.isDigit(bytes[end]), end - separator <= 24 { end += 1 }
    guard end - separator > 7, CardNumber.isPlausible(bytes[start..<separator].map { $0 - 0x30 })
    else { return nil }
    add(.trackData, start..<end)
    return end
  }

  /// Track 1: `B`, a card number, `^`, a name, `^`, a date.
  private mutating func firstTrack(at start: Int) {
    let bytes = view.bytes
    guard bytes[start] == 0x42, start + 1 < bytes.count, Characters.isDigit(bytes[start + 1])
    else { return }
    var end = start
    // ISO/IEC 7813: at most 79 characters.
    while end < bytes.count, end - start < 79, Characters.isPrintable(bytes[end]),
      bytes[end] != 0x3F
    {
      end += 1
    }
    let characters = Array(bytes[start..<end])
    guard let parts = TrackData.parts(of: characters), parts.expiry != nil,
      CardNumber.isPlausible(characters[parts.number].map { $0 - 0x30 })
    else { return }
    add(.trackData, start..<end)
  }

  // MARK: Contacts

  /// Looks at a vCard that begins at `start` (RFC 6350), and gives the place behind it.
  private mutating func contact(at start: Int) -> Int? {
    let bytes = view.bytes
    let begin = Array("begin:vcard".utf8)
    guard start + begin.count <= bytes.count,
      bytes[start..<(start + begin.count)].map({ $0 | 0x20 }) == begin.map({ $0 | 0x20 })
    else { return nil }
    var place = start + begin.count
    while place < bytes.count {
      var end = place
      while end < bytes.count, bytes[end] >= 0x20 || bytes[end] == 0x09 { end += 1 }
      let line = place..<end
      if contactLine(line) { return end }
      // What is neither a character nor a line end is no longer the vCard.
      guard end < bytes.count, bytes[end] == 0x0D || bytes[end] == 0x0A else { return end }
      place = end + 1
    }
    return place
  }

  /// The properties of a vCard that say nothing of a person.
  private static let impersonal = ["VERSION", "BEGIN", "KIND", "PRODID", "REV"]

  /// Takes one line of a vCard; true for its last one.
  private mutating func contactLine(_ line: Range<Int>) -> Bool {
    let bytes = view.bytes
    guard !line.isEmpty else { return false }
    let isFolded = bytes[line.lowerBound] == 0x20 || bytes[line.lowerBound] == 0x09
    guard let colon = isFolded ? line.lowerBound : bytes[line].firstIndex(of: 0x3A) else {
      return false
    }
    let head = bytes[line.lowerBound..<colon].prefix { $0 != 0x3B }
    let name = String(decoding: head, as: UTF8.self).uppercased()
    if name == "END" { return true }
    guard !Self.impersonal.contains(name), colon + 1 < line.upperBound else { return false }
    var value = (colon + 1)..<line.upperBound
    let kind: PersonalDataKind
    switch name.split(separator: ".").last ?? "" {
    case "TEL":
      kind = .phone
      if bytes[value].starts(with: Array("tel:".utf8)) { value = (colon + 5)..<line.upperBound }
    case "EMAIL": kind = .email
    default: kind = .contact
    }
    if !value.isEmpty { add(kind, value, "vCard \(name.isEmpty ? "line" : name)") }
    return false
  }
}
