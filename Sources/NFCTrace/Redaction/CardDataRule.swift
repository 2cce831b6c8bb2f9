/// Finds personal data in the data objects of payment cards and travel documents.
///
/// Tags: EMV Book 3, annex A; ICAO 9303-10, 4.7.
struct CardDataRule {
  private let view: TracedBytes
  private var found: [PersonalDatum] = []

  /// Templates may lie in each other, but not deeper than this in any card.
  private static let deepestTemplate = 8
  /// Shorter values than this are no certificate: the shortest EMV key has 64 bytes.
  private static let shortestCertificate = 64

  private init(_ view: TracedBytes) { self.view = view }

  /// The personal data in bytes that are data objects; nothing if they are not.
  static func find(in view: TracedBytes, allowsCut: Bool) -> [PersonalDatum] {
    var rule = CardDataRule(view)
    if allowsCut {
      // A file holds one object, and often less of it was read than there is.
      guard let first = TLVItem(view.bytes, at: 0, end: view.count, allowsCut: true),
        (0x60...0x7F).contains(first.tag)
      else { return [] }
      rule.look(at: first, path: [], allowsCut: true)
    } else {
      rule.look(in: 0..<view.count, path: [], allowsCut: false)
    }
    return rule.found
  }

  private mutating func look(in range: Range<Int>, path: [UInt32], allowsCut: Bool) {
    guard path.count < Self.deepestTemplate,
      let items = TLVItem.list(view.bytes, in: range, allowsCut: allowsCut)
    else { return }
    for item in items { look(at: item, path: path, allowsCut: allowsCut) }
  }

  private mutating func look(at item: TLVItem, path: [UInt32], allowsCut: Bool) {
    if item.isConstructed, item.tag != 0x7F2E {
      return look(in: item.value, path: path + [item.tag], allowsCut: allowsCut)
    }
    guard !item.value.isEmpty else { return }
    let content = view[item.value]
    switch item.tag {
    case 0x5A:
      if let digits = PackedDigits.number(content.bytes), (8...19).contains(digits.count) {
        add(.cardNumber, .packedDigits, content, item)
      }
    case 0x57, 0x9F6B:
      if TrackData.parts(of: PackedDigits.characters(content.bytes)) != nil {
        add(.trackData, .packedDigits, content, item)
      }
    case 0x56:
      if TrackData.parts(of: content.bytes) != nil { add(.trackData, .characters, content, item) }
    case 0x5F20, 0x9F0B:
      if content.bytes.allSatisfy(Characters.isPrintable),
        content.bytes.contains(where: Characters.isLetter)
      {
        add(.holderName, .characters, content, item)
      }
    case 0x5F24 where Self.isCalendarDay(content.bytes):
      add(.expiryDate, .packedDigits, content, item)
    case 0x9F24 where content.count == 29 && content.bytes.allSatisfy(Characters.isPrintable):
      add(.accountReference, .characters, content, item)
    case 0x93, 0x9F2D, 0x9F46:
      if content.count >= Self.shortestCertificate {
        add(.cardCertificate, .binary, content, item)
      }
    default:
      document(item, content, path)
      if let digits = PackedDigits.number(content.bytes), CardNumber.isPlausible(digits) {
        add(.cardNumber, .packedDigits, content, item)
      }
    }
  }

  private mutating func document(_ item: TLVItem, _ content: TracedBytes, _ path: [UInt32]) {
    switch (path.first, item.tag) {
    case (_, 0x5F1F):
      if MachineReadableZone(content.bytes) != nil {
        add(.machineReadableZone, .characters, content, item)
      }
    case (0x6B, 0x5F0E), (0x6B, 0x5F0F), (0x6B, 0x5F10), (0x6B, 0x5F11), (0x6B, 0x5F12),
      (0x6B, 0x5F13), (0x6B, 0x5F14), (0x6B, 0x5F15), (0x6B, 0x5F18), (0x6B, 0x5F2B),
      (0x6B, 0x5F42), (0x6C, 0x5F1A):
      let isText = content.bytes.allSatisfy { $0 >= 0x20 }
      add(.documentDetails, isText ? .characters : .packedDigits, content, item)
    case (0x75, 0x5F2E), (0x75, 0x7F2E), (0x63, 0x5F2E), (0x63, 0x7F2E), (0x76, 0x5F2E),
      (0x76, 0x7F2E), (0x65, 0x5F40), (0x67, 0x5F43), (0x6B, 0x5F16):
      add(.biometrics, .binary, content, item)
    default: break
    }
  }

  /// Six packed digits that are a day.
  private static func isCalendarDay(_ bytes: [UInt8]) -> Bool {
    guard let digits = PackedDigits.number(bytes), digits.count == 6 else { return false }
    return (1...12).contains(digits[2] * 10 + digits[3])
      && (1...31).contains(digits[4] * 10 + digits[5])
  }

  private mutating func add(
    _ kind: PersonalDataKind, _ form: ValueForm, _ content: TracedBytes, _ item: TLVItem
  ) {
    let tag = String(item.tag, radix: 16, uppercase: true)
    found.append(
      PersonalDatum(kind: kind, form: form, content: content, location: "tag \(tag)"))
  }
}

/// Classes of ASCII characters.
enum Characters {
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & ~0x20) }
  static func isHexLetter(_ byte: UInt8) -> Bool { (0x41...0x46).contains(byte & ~0x20) }
  static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
