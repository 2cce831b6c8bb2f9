import NFCProtocols

extension TextBuffer {
  /// Appends a number in groups of three digits with blanks between, right-aligned in `width`.
  mutating func append(grouped number: Int64, width: Int) {
    var magnitude = number.magnitude
    let start = bytes.count
    var digits = 0
    repeat {
      if digits > 0, digits % 3 == 0 { bytes.append(0x20) }
      bytes.append(UInt8(truncatingIfNeeded: magnitude % 10) + 0x30)
      magnitude /= 10
      digits += 1
    } while magnitude > 0
    if number < 0 { bytes.append(0x2D) }
    while bytes.count - start < width { bytes.append(0x20) }
    bytes[start...].reverse()
  }

  /// Appends a length of time exactly: microseconds below 1 ms, else milliseconds.
  mutating func append(duration: Nanoseconds) {
    let magnitude = duration.count.magnitude
    if duration.count < 0 { bytes.append(0x2D) }
    if magnitude < 1_000_000 {
      append(magnitude, decimals: 3)
      append("us")
    } else {
      append(magnitude, decimals: 6)
      append("ms")
    }
  }

  /// Appends `number` / 10^`decimals` without zeros at the end.
  private mutating func append(_ number: UInt64, decimals: Int) {
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale *= 10 }
    append(decimal: Int64(number / scale))
    var rest = number % scale
    guard rest > 0 else { return }
    bytes.append(0x2E)
    while rest > 0 {
      scale /= 10
      bytes.append(UInt8(truncatingIfNeeded: rest / scale) + 0x30)
      rest %= scale
    }
  }
}

/// Reading of times with a unit.
enum TimeText {
  /// The nanoseconds of a text such as `5.121ms`, `-3us` or `12 µs` without the blank.
  ///
  /// - Returns: `nil` if it is no such text, does not fit, or is no whole number of nanoseconds.
  static func nanoseconds(_ text: ArraySlice<UInt8>) -> Int64? {
    var index = text.startIndex
    let isNegative = text.first == 0x2D
    if isNegative { index += 1 }
    var value: Int64 = 0
    var digits = 0
    var decimals = 0
    // Zeros at the end of the fraction say nothing and are added only when a digit follows.
    var zeros = 0
    var isFraction = false
    while index < text.endIndex {
      let character = text[index]
      if character == 0x2E, !isFraction, digits > 0 {
        isFraction = true
        digits = 0
      } else if (0x30...0x39).contains(character) {
        digits += 1
        if isFraction, character == 0x30 {
          zeros += 1
        } else {
          guard let shifted = power(value, zeros), let next = scaled(shifted, adding: character)
          else { return nil }
          value = next
          if isFraction { decimals += zeros + 1 }
          zeros = 0
        }
      } else {
        break
      }
      index += 1
    }
    guard digits > 0, let unit = powerOfTen(ofUnit: text[index...]), decimals <= unit,
      let count = power(value, unit - decimals)
    else { return nil }
    return isNegative ? -count : count
  }

  /// A value with zeros appended, or `nil` if it does not fit.
  private static func power(_ value: Int64, _ zeros: Int) -> Int64? {
    if zeros == 0 || value == 0 { return value }
    var result = value
    for _ in 0..<zeros {
      guard let next = scaled(result, adding: 0x30) else { return nil }
      result = next
    }
    return result
  }

  private static func scaled(_ value: Int64, adding digit: UInt8) -> Int64? {
    let (product, overflows) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit - 0x30))
    return overflows || overflowsToo ? nil : sum
  }

  /// How many decimal places lie between the unit and a nanosecond.
  private static func powerOfTen(ofUnit unit: ArraySlice<UInt8>) -> Int? {
    if unit.isWord("us") || unit.isWord("\u{B5}s") || unit.isWord("\u{3BC}s") { return 3 }
    if unit.isWord("ms") { return 6 }
    if unit.isWord("ns") { return 0 }
    return unit.isWord("s") ? 9 : nil
  }
}
