import NFCProtocols

/// Pieces of text that importers put into headers, comments and errors.
enum CaptureText {
  /// A number in lower-case hexadecimal with at least `digits` digits.
  static func hex(_ value: some BinaryInteger, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// One line of a foreign text: control characters become blanks.
  static func line(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  /// A decimal number with leading zeros.
  private static func padded(_ value: Int64, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// A moment as `2024-11-30T09:59:59.843056000Z`, from seconds and nanoseconds since 1970.
  static func moment(seconds: Int64, nanoseconds: Int64) -> String {
    let (days, ofDay) = seconds.quotientAndRemainder(dividingBy: 86_400)
    var dayNumber = ofDay < 0 ? days - 1 : days
    let second = ofDay < 0 ? ofDay + 86_400 : ofDay
    // Days since 0000-03-01 in eras of 400 years, so that leap days come last in a year.
    dayNumber += 719_468
    let era = (dayNumber >= 0 ? dayNumber : dayNumber - 146_096) / 146_097
    let ofEra = dayNumber - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let clock =
      "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    return "\(date)T\(clock).\(padded(nanoseconds, 9))Z"
  }
}
