import NFCProtocols

/// Small questions about ASCII text in byte slices.
enum LogText {
  /// The longest quotation from an input in an error message, in bytes.
  static let maximumExcerptLength = 60

  /// True for a blank or a tab.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// True for `0`…`9`.
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The text without blanks at both ends.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var result = bytes.drop(while: isBlank)
    while let last = result.last, isBlank(last) { result = result.dropLast() }
    return result
  }

  /// The text as a string on one line: faulty UTF-8 is repaired, control characters become blanks.
  static func string(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  /// The beginning of the text, for error messages.
  static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
    let text = trimmed(bytes)
    if text.count <= maximumExcerptLength { return string(text) }
    return string(text.prefix(maximumExcerptLength)) + "…"
  }

  /// The index where `needle` first occurs in `bytes`.
  static func index(of needle: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let length = needle.utf8CodeUnitCount
    guard length > 0, bytes.count >= length else { return nil }
    return needle.withUTF8Buffer { needle in
      var start = bytes.startIndex
      let last = bytes.endIndex - length
      while start <= last {
        if bytes[start] == needle[0], bytes[start..<start + length].elementsEqual(needle) {
          return start
        }
        start += 1
      }
      return nil
    }
  }

  /// What follows the first `needle` in `bytes`, or `nil` if it does not occur.
  static func rest(after needle: StaticString, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    index(of: needle, in: bytes).map { bytes[($0 + needle.utf8CodeUnitCount)...] }
  }

  /// What follows `prefix`, or `nil` if the text does not begin with it.
  static func rest(
    afterPrefix prefix: StaticString, in bytes: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    let fits = prefix.withUTF8Buffer { bytes.starts(with: $0) }
    return fits ? bytes.dropFirst(prefix.utf8CodeUnitCount) : nil
  }

  /// True if `bytes` has `needle` somewhere, in whatever case; `needle` is lower case.
  static func containsIgnoringCase(_ needle: StaticString, in bytes: ArraySlice<UInt8>) -> Bool {
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    return index(of: needle, in: lower[...]) != nil
  }

  /// True if the text is hexadecimal pairs with any blanks between them, and at least one pair.
  static func isHexPairs(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let pairs = Hexadecimal.bytes(of: bytes) else { return false }
    return !pairs.isEmpty
  }

  /// A decimal number at the front of `bytes`, taken off; `nil` if there is none or too large.
  static func takeDecimal(from bytes: inout ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    var rest = bytes
    guard let first = rest.first, isDigit(first) else { return nil }
    while let digit = rest.first, isDigit(digit) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(digit - 0x30))
      if overflow || carry { return nil }
      value = sum
      rest = rest.dropFirst()
    }
    bytes = rest
    return value
  }

  /// Takes exactly `count` decimal digits off the front of `bytes`.
  static func takeDigits(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> Int64? {
    guard bytes.count >= count, bytes.prefix(count).allSatisfy(isDigit) else { return nil }
    var digits = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return takeDecimal(from: &digits)
  }

  /// Takes `literal` off the front of `bytes`; false if it does not stand there.
  static func take(_ literal: StaticString, from bytes: inout ArraySlice<UInt8>) -> Bool {
    guard let rest = rest(afterPrefix: literal, in: bytes) else { return false }
    bytes = rest
    return true
  }
}
