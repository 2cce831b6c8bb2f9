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
    var rest = text
    let isNegative = rest.first == 0x2D
    if isNegative { rest = rest.dropFirst() }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == 0x2E {
      fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard let power = powerOfTen(ofUnit: rest) else { return nil }
    while fraction.count > power, fraction.last == 0x30 { fraction = fraction.dropLast() }
    guard fraction.count <= power else { return nil }
    var value: Int64 = 0
    for digit in digits + fraction {
      guard let next = scaled(value, adding: digit) else { return nil }
      value = next
    }
    for _ in fraction.count..<power {
      guard let next = scaled(value, adding: 0x30) else { return nil }
      value = next
    }
    return isNegative ? -value : value
  }

  private static func scaled(_ value: Int64, adding digit: UInt8) -> Int64? {
    let (product, overflows) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit - 0x30))
    return overflows || overflowsToo ? nil : sum
  }

  /// How many decimal places lie between the unit and a nanosecond.
  private static func powerOfTen(ofUnit unit: ArraySlice<UInt8>) -> Int? {
    switch String(decoding: unit, as: UTF8.self) {
    case "ns": 0
    case "us", "\u{B5}s", "\u{3BC}s": 3
    case "ms": 6
    case "s": 9
    default: nil
    }
  }
}
