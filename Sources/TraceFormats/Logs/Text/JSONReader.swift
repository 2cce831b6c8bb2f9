/// Reads JSON (RFC 8259) value by value, with numbers kept as they are written.
///
/// Foundation's decoder makes a `Double` of every number, which loses nanoseconds, and names no
/// place in its errors.
struct JSONReader {
  /// How deep arrays and objects may be nested; trace files nest three deep.
  static let maximumDepth = 64

  private let bytes: [UInt8]
  /// The offset of the next byte.
  private(set) var offset = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// What is wrong, and where.
  struct Fault: Error, Equatable {
    var offset: Int
    var expected: String
  }

  /// A value.
  enum Value: Equatable {
    case null
    case boolean(Bool)
    /// The text of a number.
    case number(String)
    case string(String)
    case array([Value])
    case object([Member])
  }

  /// A member of an object.
  struct Member: Equatable {
    var key: String
    var value: Value
  }

  /// The kind of the next value, by its first byte.
  mutating func nextByte() -> UInt8? {
    skipBlanks()
    return offset < bytes.count ? bytes[offset] : nil
  }

  /// Reads an object, giving each key to `body`, which must read the value.
  mutating func forEachMember(
    _ body: (String, inout JSONReader) throws(Fault) -> Void
  ) throws(Fault) {
    try open(0x7B, "an object")
    if close(0x7D) { return }
    repeat {
      skipBlanks()
      let key = try readString()
      skipBlanks()
      guard take(0x3A) else { throw fault("a colon") }
      try body(key, &self)
      skipBlanks()
    } while take(0x2C)
    guard close(0x7D) else { throw fault("a comma or a closing brace") }
  }

  /// Reads an array; `body` must read each element.
  mutating func forEachElement(
    _ body: (inout JSONReader) throws(Fault) -> Void
  ) throws(Fault) {
    try open(0x5B, "an array")
    if close(0x5D) { return }
    repeat {
      try body(&self)
      skipBlanks()
    } while take(0x2C)
    guard close(0x5D) else { throw fault("a comma or a closing bracket") }
  }

  /// Reads any value.
  mutating func readValue() throws(Fault) -> Value {
    switch nextByte() {
    case 0x7B:
      var members: [Member] = []
      try forEachMember { (key, reader) throws(Fault) in
        members.append(Member(key: key, value: try reader.readValue()))
      }
      return .object(members)
    case 0x5B:
      var elements: [Value] = []
      try forEachElement { (reader) throws(Fault) in elements.append(try reader.readValue()) }
      return .array(elements)
    case 0x22: return .string(try readString())
    case 0x74: return try literal("true", .boolean(true))
    case 0x66: return try literal("false", .boolean(false))
    case 0x6E: return try literal("null", .null)
    default: return .number(try readNumber())
    }
  }

  /// Fails unless only blanks are left.
  mutating func finish() throws(Fault) {
    if nextByte() != nil { throw fault("the end of the file") }
  }

  private mutating func open(_ mark: UInt8, _ what: String) throws(Fault) {
    skipBlanks()
    guard take(mark) else { throw fault(what) }
    depth += 1
    guard depth <= Self.maximumDepth else { throw fault("at most \(Self.maximumDepth) levels") }
  }

  private mutating func close(_ mark: UInt8) -> Bool {
    skipBlanks()
    guard take(mark) else { return false }
    depth -= 1
    return true
  }

  private mutating func skipBlanks() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func literal(_ text: StaticString, _ value: Value) throws(Fault) -> Value {
    let end = offset + text.utf8CodeUnitCount
    let fits =
      end <= bytes.count
      && text.withUTF8Buffer { bytes[offset..<end].elementsEqual($0) }
    guard fits else { throw fault("a value") }
    offset = end
    return value
  }

  private mutating func readNumber() throws(Fault) -> String {
    let start = offset
    _ = take(0x2D)
    let whole = try takeDigits()
    guard whole == 1 || bytes[offset - whole] != 0x30 else { throw fault("no leading zero") }
    if take(0x2E) { _ = try takeDigits() }
    if take(0x65) || take(0x45) {
      if !take(0x2B) { _ = take(0x2D) }
      _ = try takeDigits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func takeDigits() throws(Fault) -> Int {
    let start = offset
    while offset < bytes.count, LogText.isDigit(bytes[offset]) { offset += 1 }
    guard offset > start else { throw fault("a value") }
    return offset - start
  }

  private mutating func readString() throws(Fault) -> String {
    guard take(0x22) else { throw fault("a string") }
    var content: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case 0x22: return String(decoding: content, as: UTF8.self)
      case 0x5C: try readEscape(into: &content)
      case 0..<0x20:
        offset -= 1
        throw fault("no control character in a string")
      default: content.append(byte)
      }
    }
    throw fault("the end of a string")
  }

  private mutating func readEscape(into content: inout [UInt8]) throws(Fault) {
    guard offset < bytes.count else { throw fault("an escape") }
    let byte = bytes[offset]
    offset += 1
    switch byte {
    case 0x22, 0x5C, 0x2F: content.append(byte)
    case 0x62: content.append(0x08)
    case 0x66: content.append(0x0C)
    case 0x6E: content.append(0x0A)
    case 0x72: content.append(0x0D)
    case 0x74: content.append(0x09)
    case 0x75:
      var scalar = try readCodeUnit()
      if (0xD800..<0xDC00).contains(scalar), take(0x5C) {
        guard take(0x75) else { throw fault("the second half of a surrogate pair") }
        let low = try readCodeUnit()
        guard (0xDC00..<0xE000).contains(low) else { throw fault("a low surrogate") }
        scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
      }
      // Half a pair stands for nothing; strings of Swift cannot hold it.
      let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
      content.append(contentsOf: String(character).utf8)
    default:
      offset -= 1
      throw fault("an escape")
    }
  }

  private mutating func readCodeUnit() throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard offset < bytes.count, let digit = Self.hexDigit(bytes[offset]) else {
        throw fault("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  private func fault(_ expected: String) -> Fault { Fault(offset: offset, expected: expected) }
}

extension [JSONReader.Member] {
  /// The value of a key; the last one counts if there are more.
  subscript(_ key: String) -> JSONReader.Value? {
    last { $0.key == key }?.value
  }
}

/// Decimal numbers as text, without a detour over binary fractions.
enum DecimalText {
  /// `text` × 10^`power`, rounded to the nearest whole number (halves away from zero); `nil` if it
  /// is no number or does not fit.
  static func scaled(_ text: String, power: Int) -> Int64? {
    var digits: [UInt8] = []
    var pointAt: Int?
    var exponent = 0
    var rest = Array(text.utf8)[...]
    let isNegative = rest.first == 0x2D
    if isNegative { rest = rest.dropFirst() }
    while let byte = rest.first, byte != 0x65, byte != 0x45 {
      if byte == 0x2E, pointAt == nil {
        pointAt = digits.count
      } else if LogText.isDigit(byte) {
        digits.append(byte - 0x30)
      } else {
        return nil
      }
      rest = rest.dropFirst()
    }
    if !rest.isEmpty {
      rest = rest.dropFirst()
      let isSmall = rest.first == 0x2D
      if isSmall || rest.first == 0x2B { rest = rest.dropFirst() }
      guard let value = LogText.takeDecimal(from: &rest), rest.isEmpty, value < 10_000
      else { return nil }
      exponent = isSmall ? -Int(value) : Int(value)
    }
    guard !digits.isEmpty else { return nil }
    // Digits in front of this place count; the one behind it rounds.
    let place = (pointAt ?? digits.count) + exponent + power
    guard place >= 0 else { return 0 }
    var magnitude: Int64 = 0
    for index in 0..<place {
      let digit = index < digits.count ? Int64(digits[index]) : 0
      if magnitude == 0, digit == 0, index >= digits.count { return 0 }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      magnitude = sum
    }
    if place < digits.count, digits[place] >= 5 {
      guard magnitude < Int64.max else { return nil }
      magnitude += 1
    }
    return isNegative ? -magnitude : magnitude
  }
}
