import NFCProtocols

/// Writes and reads the header lines of a trace.
enum HeaderText {
  /// Column of the values.
  static let keyWidth = 8

  /// Writes the header, its lines and the blank line behind them.
  static func write(
    _ header: TraceHeader, into buffer: inout TextBuffer
  ) throws(TraceError) {
    buffer.append("retap ")
    buffer.append(decimal: Int64(FormatVersion.current.number))
    buffer.append(ascii: 0x0A)
    if let reader = header.reader {
      write(key: "reader", into: &buffer) { write(reader, into: &$0) }
    }
    if let role = header.role {
      write(key: "role", into: &buffer) { $0.append(role.rawValue) }
    }
    if let technology = header.technology {
      write(key: "technology", into: &buffer) { $0.append(ascii: technology.letter) }
    }
    if header.clock != TraceClock() {
      write(key: "clock", into: &buffer) { write(header.clock, into: &$0) }
    }
    if let madeBy = header.madeBy {
      write(key: "made-by", into: &buffer) { $0.append(value: madeBy) }
    }
    if let redaction = header.redaction {
      write(key: "redaction", into: &buffer) { $0.append(value: redaction) }
    }
    for extra in header.extensions {
      guard isExtensionKey(extra.key) else {
        throw .cannotExpress(
          what: "the header key `\(extra.key)`", format: "retap",
          remedy: "begin it with `x-` and use a-z, 0-9 and `-` only, 40 letters at most")
      }
      try TraceBounds.check(text: extra.value)
      write(key: extra.key, into: &buffer) { $0.append(value: extra.value) }
    }
    buffer.append(ascii: 0x0A)
  }

  private static func write(
    key: String, into buffer: inout TextBuffer, value: (inout TextBuffer) -> Void
  ) {
    buffer.append(key)
    buffer.append(repeating: 0x20, count: max(1, keyWidth + 1 - key.utf8.count))
    value(&buffer)
    buffer.append(ascii: 0x0A)
  }

  private static func write(_ reader: ReaderIdentity, into buffer: inout TextBuffer) {
    if let address = reader.address {
      if address.utf8.contains(0x3A), QuotedText.isPlain(address, separator: " ") {
        buffer.append(address)
      } else {
        buffer.append(quoted: address)
      }
    } else if let name = reader.name, isNameOnly(name) {
      buffer.append(value: name)
      return
    } else {
      buffer.append(ascii: 0x2D)
    }
    if let name = reader.name {
      buffer.append(ascii: 0x20)
      buffer.append(value: name)
    }
  }

  /// True if a name without address cannot be taken for one with address.
  private static func isNameOnly(_ name: String) -> Bool {
    guard QuotedText.isPlain(name, separator: nil) else { return false }
    let first = name.utf8.prefix { $0 != 0x20 }
    return !first.contains(0x3A) && !first.elementsEqual([0x2D])
  }

  private static func write(_ clock: TraceClock, into buffer: inout TextBuffer) {
    if let unit = clock.tickUnit {
      buffer.append(value: unit, separator: ", ")
    } else {
      buffer.append(ascii: 0x2D)
    }
    if let origin = clock.origin {
      buffer.append(", ")
      buffer.append(value: origin)
    }
  }

  /// True for `x-` and what a key may hold.
  static func isExtensionKey(_ key: String) -> Bool {
    let letters = Array(key.utf8)
    guard (3...40).contains(letters.count), letters.starts(with: [0x78, 0x2D]) else {
      return false
    }
    return letters.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
    }
  }

  // MARK: Reading

  /// Reads the first line of a trace.
  static func version(
    of line: ArraySlice<UInt8>, at place: BadInput.Place
  ) throws(TraceError) {
    var scanner = LineScanner(line, at: place)
    let word = scanner.word()
    let number = scanner.word()
    guard word.isWord("retap"), scanner.isAtEnd(), !number.isEmpty,
      number.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw scanner.fault(
        line.isEmpty ? "an empty line" : line.quoted,
        expected: "`retap \(FormatVersion.current.number)` as the first line of a trace",
        remedy: "add the line, or name the format of the file if it is another program's")
    }
    let version = Int(number.text) ?? Int.max
    guard version <= FormatVersion.current.number else {
      throw .newerVersion(found: version, newestKnown: FormatVersion.current.number)
    }
    guard version >= 1 else {
      throw scanner.fault(
        at: number, expected: "a version from 1 to \(FormatVersion.current.number)",
        remedy: "write `retap \(FormatVersion.current.number)`")
    }
  }

  /// Reads one line of the header into `header`.
  static func read(
    _ line: ArraySlice<UInt8>, into header: inout TraceHeader, at place: BadInput.Place
  ) throws(TraceError) {
    var scanner = LineScanner(line, at: place)
    let key = scanner.word()
    let value = scanner.rest()
    switch key.text {
    case "reader":
      try once(header.reader == nil, key, scanner)
      header.reader = try reader(value, scanner)
    case "role":
      try once(header.role == nil, key, scanner)
      guard let role = TraceRole(rawValue: value.text) else {
        throw scanner.unknown(value, what: "a role", known: TraceRole.allCases.map(\.rawValue))
      }
      header.role = role
    case "technology":
      try once(header.technology == nil, key, scanner)
      guard value.count == 1, let letter = value.first,
        let technology = Technology(letter: letter)
      else {
        throw scanner.fault(
          at: value, expected: "a technology: A, B, F or V", remedy: "write `technology A`")
      }
      header.technology = technology
    case "clock":
      try once(header.clock == TraceClock(), key, scanner)
      header.clock = try clock(value, scanner)
    case "made-by":
      try once(header.madeBy == nil, key, scanner)
      header.madeBy = try text(value, scanner)
    case "redaction":
      try once(header.redaction == nil, key, scanner)
      header.redaction = try text(value, scanner)
    case let name where isExtensionKey(name):
      guard header.extensions.count < TraceLimits.headerExtensions else {
        throw scanner.fault(
          "more than \(TraceLimits.headerExtensions) `x-` lines",
          expected: "at most \(TraceLimits.headerExtensions)", remedy: "remove some")
      }
      header.extensions.append(HeaderExtension(key: name, value: try text(value, scanner)))
    default:
      throw scanner.unknown(key, what: "a header key", known: TraceWords.headerKeys)
    }
  }

  private static func once(
    _ isFirst: Bool, _ key: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) {
    guard isFirst else {
      throw scanner.fault(
        "\(key.quoted) a second time", expected: "each header key once", remedy: "remove one")
    }
  }

  private static func text(
    _ value: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) -> String {
    guard value.first == 0x22 else { return value.text }
    guard let (text, end) = QuotedText.read(value), end == value.endIndex else {
      throw scanner.fault(
        at: value, expected: "a closed quotation",
        remedy: "write the value without quotation marks, or close them")
    }
    return text
  }

  /// Reads the first of two parts of a value, which ends at `separator` or with the value.
  private static func item(
    _ value: ArraySlice<UInt8>, separator: [UInt8], _ scanner: LineScanner
  ) throws(TraceError) -> (text: String?, rest: ArraySlice<UInt8>?) {
    var item = value
    var rest: ArraySlice<UInt8>?
    if value.first == 0x22 {
      guard let (text, end) = QuotedText.read(value) else {
        throw scanner.fault(
          at: value, expected: "a closed quotation", remedy: "close the quotation marks")
      }
      guard end < value.endIndex else { return (text, nil) }
      guard value[end...].starts(with: separator) else {
        throw scanner.fault(
          at: value, expected: "`\(separator[...].text)` after the quotation",
          remedy: "put it there")
      }
      return (text, value[(end + separator.count)...].trimmingBlanks())
    }
    var index = value.startIndex
    while index < value.endIndex {
      if value[index...].starts(with: separator) {
        item = value[..<index]
        rest = value[(index + separator.count)...].trimmingBlanks()
        break
      }
      index += 1
    }
    return (item.isWord("-") ? nil : item.text, rest)
  }

  private static func reader(
    _ value: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) -> ReaderIdentity {
    let isQuoted = value.first == 0x22
    let (first, rest) = try item(value, separator: [0x20], scanner)
    let isNone = !isQuoted && first == nil
    guard isQuoted || isNone || first?.utf8.contains(0x3A) == true else {
      return ReaderIdentity(name: value.text)
    }
    var name: String?
    if let rest { name = try text(rest, scanner) }
    return ReaderIdentity(address: first, name: name)
  }

  private static func clock(
    _ value: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) -> TraceClock {
    let (unit, rest) = try item(value, separator: [0x2C, 0x20], scanner)
    var origin: String?
    if let rest { origin = try text(rest, scanner) }
    return TraceClock(tickUnit: unit, origin: origin)
  }
}
