/// A piece of personal data in a trace: what it is, its bytes, and where they stand.
struct PersonalDatum: Sendable {
  var kind: PersonalDataKind
  var form: ValueForm
  var content: TracedBytes
  /// Where it was found, in words: `tag 5A`, `vCard`.
  var location: String

  /// The characters or digits of the value, by which equal values are known to be equal.
  var value: [UInt8] {
    switch form {
    case .packedDigits: PackedDigits.characters(content.bytes)
    case .characters, .binary: content.bytes
    }
  }
}

/// Digits packed two a byte (compressed numeric, EMV Book 3, 4.3).
enum PackedDigits {
  /// The digits as characters; the separator of tracks as `D`; padding `F` is left out.
  static func characters(_ bytes: [UInt8]) -> [UInt8] {
    nibbles(bytes).filter { $0 != 0x0F }.map { $0 < 10 ? $0 + 0x30 : $0 + 0x37 }
  }

  /// Puts characters in place of the nibbles that are no padding.
  static func packed(_ characters: [UInt8], like bytes: [UInt8]) -> [UInt8] {
    var rest = characters[...]
    let replaced = nibbles(bytes).map { nibble in
      guard nibble != 0x0F, let character = rest.popFirst() else { return nibble }
      return character < 0x3A ? character - 0x30 : character - 0x37
    }
    return stride(from: 0, to: replaced.count, by: 2).map {
      replaced[$0] << 4 | replaced[$0 + 1]
    }
  }

  static func nibbles(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
  }

  /// The digits of a number that fills a field, with `F` behind or zeros in front as padding;
  /// `nil` if there is anything else.
  static func number(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    let all = nibbles(bytes)
    let end = all.lastIndex { $0 != 0x0F }.map { $0 + 1 } ?? 0
    guard all[..<end].allSatisfy({ $0 < 10 }) else { return nil }
    return Array(all[..<end])
  }
}
