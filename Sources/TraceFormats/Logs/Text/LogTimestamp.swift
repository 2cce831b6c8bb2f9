import NFCProtocols

/// The time at the front of a log line, in any of the forms that log writers use.
struct LogTimestamp: Equatable {
  /// Nanoseconds in the count of `kind`.
  var nanoseconds: Int64
  /// What the time counts from.
  var kind: Kind
  /// The smallest step that the text can show.
  var resolution: Int64

  /// What a time counts from.
  ///
  /// Times of different kinds cannot be compared.
  enum Kind: Equatable {
    /// An unstated start, usually that of the program or of the machine.
    case elapsed
    /// Local time of an unstated year (`01-02 19:01:48.201`), from the start of the year.
    case dateWithoutYear
    /// Local time, from 1970-01-01 (`2024-01-02 19:01:48,201`).
    case date
    /// UTC, from 1970-01-01.
    case unix
  }

  /// Takes the time off the front of a line; `nil` leaves the line as it was.
  static func take(from line: inout ArraySlice<UInt8>) -> LogTimestamp? {
    let text = line.drop(while: LogText.isBlank)
    for form in [kernel, dated, dateWithoutYear, monthName, triple, milliseconds, seconds] {
      var rest = text
      if let stamp = form(&rest) {
        line = rest
        return stamp
      }
    }
    return nil
  }

  private typealias Form = (inout ArraySlice<UInt8>) -> LogTimestamp?

  /// `[   12.345678] ` of the kernel log.
  private static func kernel(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard LogText.take("[", from: &text) else { return nil }
    text = text.drop(while: LogText.isBlank)
    guard let seconds = LogText.takeDecimal(from: &text), LogText.take(".", from: &text),
      let (fraction, step) = takeFraction(from: &text), LogText.take("]", from: &text)
    else { return nil }
    return make(seconds, fraction, .elapsed, step)
  }

  /// `2024-01-02 19:01:48,201` of Python's logging, `logcat -v year` and ISO 8601.
  private static func dated(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard let year = LogText.takeDigits(4, from: &text), LogText.take("-", from: &text),
      let month = LogText.takeDigits(2, from: &text), LogText.take("-", from: &text),
      let day = LogText.takeDigits(2, from: &text), isDay(day, month),
      LogText.take(" ", from: &text) || LogText.take("T", from: &text),
      let (seconds, fraction, step) = takeClock(from: &text)
    else { return nil }
    let days = CivilDate.days(year: year, month: month, day: day)
    return make(days * 86_400 + seconds, fraction, .date, step)
  }

  /// `01-02 19:01:48.201` of logcat.
  private static func dateWithoutYear(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard let month = LogText.takeDigits(2, from: &text), LogText.take("-", from: &text),
      let day = LogText.takeDigits(2, from: &text), isDay(day, month),
      LogText.take(" ", from: &text), let (seconds, fraction, step) = takeClock(from: &text)
    else { return nil }
    return make(
      CivilDate.daysIntoYear(month: month, day: day) * 86_400 + seconds, fraction,
      .dateWithoutYear, step)
  }

  /// `Jan  2 19:01:48.123456` of syslog and journalctl.
  private static func monthName(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    let names: [StaticString] = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    for (index, name) in names.enumerated() where LogText.take(name, from: &text) {
      guard text.first == 0x20 else { return nil }
      text = text.drop(while: LogText.isBlank)
      let month = Int64(index) + 1
      guard let day = LogText.takeDecimal(from: &text), isDay(day, month),
        LogText.take(" ", from: &text), let (seconds, fraction, step) = takeClock(from: &text)
      else { return nil }
      return make(
        CivilDate.daysIntoYear(month: month, day: day) * 86_400 + seconds, fraction,
        .dateWithoutYear, step)
    }
    return nil
  }

  /// `3:564:942 - `: seconds, milliseconds, microseconds of linux_libnfc-nci.
  private static func triple(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard let seconds = LogText.takeDecimal(from: &text), LogText.take(":", from: &text),
      let milliseconds = LogText.takeDecimal(from: &text), milliseconds < 1_000,
      LogText.take(":", from: &text), let microseconds = LogText.takeDecimal(from: &text),
      microseconds < 1_000, LogText.take(" - ", from: &text)
    else { return nil }
    return make(seconds, milliseconds * 1_000_000 + microseconds * 1_000, .elapsed, 1_000)
  }

  /// `626 ms ` of nfcpy's `--reltime`.
  private static func milliseconds(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard let count = LogText.takeDecimal(from: &text), LogText.take(" ms ", from: &text)
    else { return nil }
    return make(count / 1_000, count % 1_000 * 1_000_000, .elapsed, 1_000_000)
  }

  /// `1732960000.123 `: seconds with a fraction, as `logcat -v epoch` and `ts '%.s'` write.
  private static func seconds(_ text: inout ArraySlice<UInt8>) -> LogTimestamp? {
    guard let seconds = LogText.takeDecimal(from: &text), LogText.take(".", from: &text),
      let (fraction, step) = takeFraction(from: &text), text.first.map(LogText.isBlank) == true
    else { return nil }
    // Ten digits of seconds are 2001 and later; a program does not run that long.
    return make(seconds, fraction, seconds >= 1_000_000_000 ? .unix : .elapsed, step)
  }

  /// `19:01:48` with an optional fraction behind a point or a comma.
  private static func takeClock(
    from text: inout ArraySlice<UInt8>
  ) -> (seconds: Int64, fraction: Int64, step: Int64)? {
    guard let hour = LogText.takeDigits(2, from: &text), hour < 24, LogText.take(":", from: &text),
      let minute = LogText.takeDigits(2, from: &text), minute < 60, LogText.take(":", from: &text),
      let second = LogText.takeDigits(2, from: &text), second < 61
    else { return nil }
    let seconds = hour * 3_600 + minute * 60 + second
    var rest = text
    guard LogText.take(".", from: &rest) || LogText.take(",", from: &rest),
      let (fraction, step) = takeFraction(from: &rest)
    else { return (seconds, 0, 1_000_000_000) }
    text = rest
    return (seconds, fraction, step)
  }

  /// One to nine digits as a fraction of a second in nanoseconds, and their step.
  private static func takeFraction(
    from text: inout ArraySlice<UInt8>
  ) -> (nanoseconds: Int64, step: Int64)? {
    let digits = text.prefix(while: LogText.isDigit)
    guard (1...9).contains(digits.count), let value = LogText.takeDecimal(from: &text)
    else { return nil }
    var step: Int64 = 1
    for _ in digits.count..<9 { step *= 10 }
    return (value * step, step)
  }

  private static func isDay(_ day: Int64, _ month: Int64) -> Bool {
    (1...12).contains(month) && (1...31).contains(day)
  }

  private static func make(
    _ seconds: Int64, _ fraction: Int64, _ kind: Kind, _ resolution: Int64
  ) -> LogTimestamp? {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // A quarter of the range: differences of two times then never overflow.
    guard !overflow, whole.magnitude < UInt64(Int64.max) / 4 * 3 else { return nil }
    return LogTimestamp(nanoseconds: whole + fraction, kind: kind, resolution: resolution)
  }
}

/// Days of the Gregorian calendar as numbers.
enum CivilDate {
  /// Days from 1970-01-01 (ISO 8601 calendar), for years after 0.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years that begin in March put the leap day last.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Days since 1 January of an unstated year; the 29th of February counts as the 1st of March.
  static func daysIntoYear(month: Int64, day: Int64) -> Int64 {
    let before: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
    return before[Int(month) - 1] + day - 1
  }

  /// The date of a day counted from 1970-01-01, as `2024-11-30`.
  static func text(ofDay day: Int64) -> String {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    var buffer = TextBuffer(capacity: 10)
    buffer.append(decimal: year, width: 4, pad: 0x30)
    buffer.append(ascii: 0x2D)
    buffer.append(decimal: month, width: 2, pad: 0x30)
    buffer.append(ascii: 0x2D)
    buffer.append(decimal: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, width: 2, pad: 0x30)
    return buffer.string
  }
}
