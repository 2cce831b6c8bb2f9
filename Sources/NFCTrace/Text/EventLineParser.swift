import NFCProtocols

/// Reads event lines of the text encoding.
struct EventLineParser {
  /// The technology of frames that do not name their own.
  var technology: Technology?

  /// Reads one line.
  func parse(
    _ line: ArraySlice<UInt8>, at place: BadInput.Place
  ) throws(TraceError) -> TraceEvent {
    var scanner = LineScanner(line, at: place)
    let start = try time(&scanner)
    let layer = scanner.word()
    var event: TraceEvent
    if layer.isWord("rf") {
      event = try radio(start, &scanner)
    } else if layer.isWord("link") {
      event = try link(start, &scanner)
    } else if layer.isWord("apdu") {
      let direction = try direction(&scanner)
      let content = try bytes(&scanner).bytes
      event = TraceEvent(start: start, .apdu(direction, content))
      try commonAttributes(&event, &scanner)
    } else if layer.isWord("field") {
      event = try field(start, &scanner)
    } else if layer.isWord("app") {
      event = try application(start, &scanner)
    } else {
      throw scanner.unknown(layer, what: "a layer", known: TraceWords.layers)
    }
    try comment(of: &event, &scanner)
    return event
  }

  // MARK: Time

  /// Takes the time: digits in groups of three, or one number with a unit.
  private func time(_ scanner: inout LineScanner) throws(TraceError) -> Nanoseconds {
    let first = scanner.word()
    var magnitude: UInt64 = 0
    var digits = 0
    let isNegative = first.first == 0x2D
    let isWhole = try Self.add(
      isNegative ? first.dropFirst() : first, to: &magnitude, &digits, scanner)
    guard isWhole else { return try timeWithUnit(first, scanner) }
    while let next = scanner.peek(), (0x30...0x39).contains(next) {
      let group = scanner.word()
      guard group.count == 3, first.count <= (isNegative ? 4 : 3),
        try Self.add(group, to: &magnitude, &digits, scanner)
      else {
        throw scanner.fault(
          at: group, expected: "a group of three digits of the time, or a layer",
          remedy: "write times in nanoseconds as `5 121 000`, or with a unit as `5.121ms`")
      }
    }
    guard magnitude <= TraceLimits.time.magnitude else {
      throw Self.tooFar(first, scanner)
    }
    return Nanoseconds(isNegative ? -Int64(magnitude) : Int64(magnitude))
  }

  /// Adds digits to a number; `false` if there is anything but digits.
  private static func add(
    _ text: ArraySlice<UInt8>, to magnitude: inout UInt64, _ digits: inout Int,
    _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    guard !text.isEmpty else { return false }
    for digit in text {
      guard (0x30...0x39).contains(digit) else { return false }
      // 19 digits always fit into 64 bits.
      guard digits < 19 else { throw tooFar(text, scanner) }
      magnitude = magnitude * 10 + UInt64(digit - 0x30)
      if magnitude > 0 { digits += 1 }
    }
    digits = max(digits, 1)
    return true
  }

  private func timeWithUnit(
    _ word: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) -> Nanoseconds {
    guard let count = TimeText.nanoseconds(word) else {
      throw scanner.fault(
        at: word, expected: "a time",
        remedy: "begin the line with a whole number of nanoseconds (`5 121 000`) or with a number "
          + "and a unit that make one (`5.121ms`); comments begin with `#`")
    }
    guard count.magnitude <= TraceLimits.time.magnitude else { throw Self.tooFar(word, scanner) }
    return Nanoseconds(count)
  }

  private static func tooFar(_ word: ArraySlice<UInt8>, _ scanner: LineScanner) -> TraceError {
    scanner.fault(
      at: word, expected: "a time within 126 years of the clock's origin",
      remedy: "count times from the first event")
  }

  // MARK: Direction and bytes

  private func direction(_ scanner: inout LineScanner) throws(TraceError) -> Direction {
    let word = scanner.word()
    if word.isWord(">") { return .outbound }
    if word.isWord("<") { return .inbound }
    throw scanner.fault(
      at: word, expected: "`>` (to the card or chip) or `<` (from it)",
      remedy: "put the direction between the layer and the bytes")
  }

  /// Takes bytes up to the first word that is no hexadecimal, with the bits of the last one.
  private func bytes(
    _ scanner: inout LineScanner
  ) throws(TraceError) -> (bytes: [UInt8], lastByteBits: UInt8) {
    var content: [UInt8] = []
    content.reserveCapacity(max(0, (scanner.bytes.endIndex - scanner.index) / 3))
    var isFirst = true
    while let next = scanner.peek() {
      guard isFirst || Hexadecimal.value(of: next) != nil else { break }
      let before = scanner.index
      let word = scanner.word()
      if isFirst, word.first == 0x2D {
        return (content, try bits(word.dropFirst(), word, scanner))
      }
      var position = word.startIndex
      while position + 1 < word.endIndex, let high = Hexadecimal.value(of: word[position]),
        let low = Hexadecimal.value(of: word[position + 1])
      {
        content.append(high << 4 | low)
        position += 2
      }
      guard content.count <= TraceLimits.bytesPerEvent else {
        throw scanner.fault(
          "more than \(TraceLimits.bytesPerEvent) bytes",
          expected: "at most \(TraceLimits.bytesPerEvent) bytes in an event",
          remedy: "split the event")
      }
      if position == word.endIndex {
        isFirst = false
        continue
      }
      if position > word.startIndex, word[position] == 0x27 {
        return (content, try bits(word[position...], word, scanner))
      }
      // A word such as `collision` begins with a letter that is a digit too.
      if !isFirst, word.contains(where: { Hexadecimal.value(of: $0) == nil }) {
        content.removeLast((position - word.startIndex) / 2)
        scanner.index = before
        break
      }
      throw scanner.fault(
        at: word, expected: "bytes as pairs of hexadecimal digits",
        remedy: "write bytes as `00 A4`, a short frame as `26'7`, an empty frame as `-`")
    }
    guard !isFirst else {
      throw scanner.fault(
        at: [], expected: "bytes as pairs of hexadecimal digits",
        remedy: "write bytes as `00 A4`, a short frame as `26'7`, an empty frame as `-`")
    }
    return (content, 8)
  }

  /// Reads `'7` behind the last byte, or nothing.
  private func bits(
    _ text: ArraySlice<UInt8>, _ word: ArraySlice<UInt8>, _ scanner: LineScanner
  ) throws(TraceError) -> UInt8 {
    if text.isEmpty { return 8 }
    guard text.count == 2, text.first == 0x27, let digit = text.last,
      (0x31...0x38).contains(digit)
    else {
      throw scanner.fault(
        at: word, expected: "the bits of the last byte as `'1` to `'8`",
        remedy: "write a short frame of seven bits as `26'7`")
    }
    return digit - 0x30
  }

  // MARK: Layers

  private func field(
    _ start: Nanoseconds, _ scanner: inout LineScanner
  ) throws(TraceError) -> TraceEvent {
    let word = scanner.word()
    guard word.isWord("on") || word.isWord("off") else {
      throw scanner.fault(
        at: word, expected: "`on` or `off`", remedy: "write `field on` or `field off`")
    }
    var change = FieldChange(isOn: word.isWord("on"))
    if let letter = scanner.peek(), let technology = Technology(letter: letter) {
      let word = scanner.word()
      guard word.count == 1 else {
        throw scanner.fault(
          at: word, expected: "a technology: A, B, F or V", remedy: "write `field on A`")
      }
      change.technology = technology
    }
    var event = TraceEvent(start: start, .field(change))
    try commonAttributes(&event, &scanner)
    return event
  }

  private func application(
    _ start: Nanoseconds, _ scanner: inout LineScanner
  ) throws(TraceError) -> TraceEvent {
    var direction: Direction?
    if let mark = scanner.peek(), mark == 0x3E || mark == 0x3C {
      direction = try self.direction(&scanner)
    }
    scanner.skipBlanks()
    guard let (text, end) = QuotedText.read(scanner.bytes[scanner.index...]) else {
      throw scanner.fault(
        at: scanner.word(), expected: "a text in quotation marks",
        remedy: "write `app > \"scan() called\"`; escapes are \\\" \\\\ \\n \\r \\t \\xHH")
    }
    guard text.utf8.count <= TraceLimits.commentLength else {
      throw scanner.fault(
        "a text of \(text.utf8.count) bytes",
        expected: "at most \(TraceLimits.commentLength) bytes", remedy: "shorten the text")
    }
    scanner.index = end
    var event = TraceEvent(start: start, .application(direction, text))
    try commonAttributes(&event, &scanner)
    return event
  }

  private func radio(
    _ start: Nanoseconds, _ scanner: inout LineScanner
  ) throws(TraceError) -> TraceEvent {
    let direction = try direction(&scanner)
    let (content, lastByteBits) = try bytes(&scanner)
    var frame = RadioFrame(content, lastByteBits: lastByteBits, technology: technology)
    var event = TraceEvent(start: start, .radio(direction, frame))
    try attributes(of: &event, &frame, &scanner)
    event.content = .radio(direction, frame)
    return event
  }

  /// Takes the attributes of a frame on the air.
  func attributes(
    of event: inout TraceEvent, _ frame: inout RadioFrame, _ scanner: inout LineScanner
  ) throws(TraceError) {
    let reader = AttributeReader()
    while let attribute = try reader.next(&scanner) {
      guard try !reader.take(attribute, into: &event, scanner) else { continue }
      guard try !reader.take(attribute, into: &frame, scanner) else { continue }
      throw reader.unknown(attribute, own: TraceWords.radioAttributes, scanner)
    }
  }

  private func link(
    _ start: Nanoseconds, _ scanner: inout LineScanner
  ) throws(TraceError) -> TraceEvent {
    let direction = try direction(&scanner)
    var transfer = LinkTransfer(direction, try bytes(&scanner).bytes)
    var event = TraceEvent(start: start, .link(transfer))
    try attributes(of: &event, &transfer, &scanner)
    event.content = .link(transfer)
    return event
  }

  /// Takes the attributes of a transfer.
  func attributes(
    of event: inout TraceEvent, _ transfer: inout LinkTransfer, _ scanner: inout LineScanner
  ) throws(TraceError) {
    let reader = AttributeReader()
    var transport: LinkTransfer.Transport?
    while let attribute = try reader.next(&scanner) {
      guard try !reader.take(attribute, into: &event, scanner) else { continue }
      if attribute.name.isWord("via") {
        transport = try reader.transport(attribute, scanner)
        continue
      }
      guard try !reader.take(attribute, into: &transfer, scanner) else { continue }
      throw reader.unknown(attribute, own: TraceWords.linkAttributes, scanner)
    }
    transfer.transport = transport ?? transfer.payload.usualTransport
  }

  private func commonAttributes(
    _ event: inout TraceEvent, _ scanner: inout LineScanner
  ) throws(TraceError) {
    let reader = AttributeReader()
    while let attribute = try reader.next(&scanner) {
      guard try !reader.take(attribute, into: &event, scanner) else { continue }
      throw reader.unknown(attribute, own: [], scanner)
    }
  }

  /// Takes the comment after `;`.
  private func comment(
    of event: inout TraceEvent, _ scanner: inout LineScanner
  ) throws(TraceError) {
    guard scanner.peek() == 0x3B else { return }
    scanner.index += 1
    let text = scanner.rest()
    guard text.count <= TraceLimits.commentLength else {
      throw scanner.fault(
        "a comment of \(text.count) bytes",
        expected: "at most \(TraceLimits.commentLength) bytes", remedy: "shorten the comment")
    }
    event.comment = text.isEmpty ? nil : text.text
  }
}
