import NFCProtocols

/// Reads the attributes behind the content of an event.
struct AttributeReader {
  /// One attribute: a word, or a name with a value.
  struct Attribute {
    /// The name; `+` for a length of time, `±` for an uncertainty.
    var name: String
    /// What stands behind the sign.
    var value: ArraySlice<UInt8>?
    /// The whole word, for messages.
    var word: ArraySlice<UInt8>
  }

  /// Takes the next attribute, or `nil` at a comment and at the end of the line.
  func next(_ scanner: inout LineScanner) throws(TraceError) -> Attribute? {
    guard let first = scanner.peek(), first != 0x3B else { return nil }
    let word = scanner.word()
    if first == 0x2B { return Attribute(name: "+", value: word.dropFirst(), word: word) }
    // U+00B1 is C2 B1 in UTF-8.
    if word.starts(with: [0xC2, 0xB1]) {
      return Attribute(name: "\u{B1}", value: word.dropFirst(2), word: word)
    }
    guard let sign = word.firstIndex(of: 0x3D) else {
      return Attribute(name: word.text, value: nil, word: word)
    }
    return Attribute(name: word[..<sign].text, value: word[(sign + 1)...], word: word)
  }

  /// Takes an attribute that every event may have; `false` if it is another.
  func take(
    _ attribute: Attribute, into event: inout TraceEvent, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    switch (attribute.name, attribute.value) {
    case ("+", let value?):
      let length = try duration(value, attribute, scanner)
      let (end, overflows) = event.start.count.addingReportingOverflow(length)
      guard !overflows, end.magnitude <= TraceLimits.time.magnitude else {
        throw wrong(attribute, "an end within 126 years of the clock's origin", scanner)
      }
      event.end = Nanoseconds(end)
    case ("\u{B1}", let value?), ("uncertainty", let value?):
      let uncertainty = try duration(value, attribute, scanner)
      guard uncertainty.magnitude <= TraceLimits.time.magnitude else {
        throw wrong(attribute, "an uncertainty below 126 years", scanner)
      }
      event.uncertainty = Nanoseconds(uncertainty)
    case ("ticks", let value?):
      let sign = value.dropFirst().firstIndex(of: 0x2B) ?? value.endIndex
      guard let start = Int64(value[..<sign].text) else {
        throw wrong(attribute, "`ticks=start` or `ticks=start+length`", scanner)
      }
      var ticks = SourceTicks(start: start)
      if sign < value.endIndex {
        guard let length = Int64(value[(sign + 1)...].text) else {
          throw wrong(attribute, "`ticks=start` or `ticks=start+length`", scanner)
        }
        ticks.length = length
      }
      event.sourceTicks = ticks
    case ("time-unknown", nil): event.isTimeUnknown = true
    case ("out-of-order", nil): event.isOutOfOrder = true
    default: return false
    }
    return true
  }

  /// Takes an attribute of a frame on the air; `false` if it is another.
  func take(
    _ attribute: Attribute, into frame: inout RadioFrame, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    switch (attribute.name, attribute.value) {
    case ("crc", let value?):
      guard let state = CRCState(word: value.text) else {
        throw wrong(attribute, "`crc=good`, `bad`, `none` (not captured) or `absent`", scanner)
      }
      frame.crc = state
    case ("parity", let value?): frame.parity = try parity(value, attribute, frame, scanner)
    case ("rate", let value?):
      guard let rate = UInt16(value.text) else {
        throw wrong(attribute, "a rate in kbit/s as `rate=106`", scanner)
      }
      frame.kilobitsPerSecond = rate
    case ("tech", let value?):
      guard value.count == 1, let letter = value.first,
        let technology = Technology(letter: letter)
      else { throw wrong(attribute, "`tech=A`, `B`, `F` or `V`", scanner) }
      frame.technology = technology
    case ("bits", let value?):
      guard value.count == 1, let digit = value.first, (0x31...0x38).contains(digit) else {
        throw wrong(attribute, "the bits of the last byte as `bits=1` to `bits=8`", scanner)
      }
      frame.lastByteBits = digit - 0x30
    case ("collision", nil): frame.isCollision = true
    case ("encrypted", nil): frame.isEncrypted = true
    case ("truncated", nil): frame.isTruncated = true
    default: return false
    }
    return true
  }

  /// Takes an attribute of a transfer but `via`; `false` if it is another.
  func take(
    _ attribute: Attribute, into transfer: inout LinkTransfer, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    switch (attribute.name, attribute.value) {
    case ("payload", let value?):
      guard let payload = LinkTransfer.Payload(word: value.text) else {
        throw wrong(attribute, "`payload=pn53x`, `ccid`, `nci` or `other`", scanner)
      }
      transfer.payload = payload
    case ("ep", let value?):
      guard value.count == 2, let address = Hexadecimal.bytes(of: value)?.first else {
        throw wrong(attribute, "an endpoint address in hexadecimal as `ep=84`", scanner)
      }
      transfer.endpoint = address
    case ("setup", let value?):
      let bytes = value.isWord("-") ? [] : Hexadecimal.bytes(of: value)
      guard let bytes, bytes.count <= 8 else {
        throw wrong(attribute, "eight bytes as `setup=8006000100001200`", scanner)
      }
      transfer.setup = bytes
    case ("requested", let value?): transfer.requestedLength = try length(value, attribute, scanner)
    case ("original", let value?): transfer.originalLength = try length(value, attribute, scanner)
    case ("failed", let value?):
      guard let status = Int32(value.text) else {
        throw wrong(attribute, "a status as `failed=-71`", scanner)
      }
      transfer.outcome = .failed(status: status)
    case ("stall", nil): transfer.outcome = .stall
    case ("timeout", nil): transfer.outcome = .timeout
    case ("unplugged", nil): transfer.outcome = .unplugged
    case ("cancelled", nil): transfer.outcome = .cancelled
    case ("overflow", nil): transfer.outcome = .overflow
    default: return false
    }
    return true
  }

  /// Reads the value of `via`.
  func transport(
    _ attribute: Attribute, _ scanner: LineScanner
  ) throws(TraceError) -> LinkTransfer.Transport {
    guard let value = attribute.value, let transport = LinkTransfer.Transport(word: value.text)
    else {
      let known = LinkTransfer.Transport.allCases.map { $0.word.description }
      throw wrong(attribute, "`via=` and one of " + known.joined(separator: ", "), scanner)
    }
    return transport
  }

  /// A fault at an attribute that nothing knows.
  func unknown(
    _ attribute: Attribute, own: [String], _ scanner: LineScanner
  ) -> TraceError {
    let name = attribute.name.isEmpty ? attribute.word : ArraySlice(attribute.name.utf8)
    return scanner.unknown(
      name, what: "an attribute", known: own + TraceWords.commonAttributes)
  }

  // MARK: Values

  private func duration(
    _ value: ArraySlice<UInt8>, _ attribute: Attribute, _ scanner: LineScanner
  ) throws(TraceError) -> Int64 {
    guard let count = TimeText.nanoseconds(value) else {
      throw wrong(
        attribute, "a length of time with its unit that is a whole number of nanoseconds",
        scanner)
    }
    return count
  }

  private func length(
    _ value: ArraySlice<UInt8>, _ attribute: Attribute, _ scanner: LineScanner
  ) throws(TraceError) -> Int {
    guard let length = UInt32(value.text) else {
      throw wrong(attribute, "a number of bytes", scanner)
    }
    return Int(length)
  }

  private func parity(
    _ value: ArraySlice<UInt8>, _ attribute: Attribute, _ frame: RadioFrame,
    _ scanner: LineScanner
  ) throws(TraceError) -> ParityBits {
    if value.isWord("odd") { return .odd(for: frame.bytes) }
    if value.isWord("-") { return ParityBits([]) }
    guard !value.isEmpty, value.allSatisfy({ $0 == 0x30 || $0 == 0x31 }) else {
      throw wrong(attribute, "`parity=odd` or one digit 0 or 1 a byte", scanner)
    }
    return ParityBits(value.map { $0 == 0x31 })
  }

  private func wrong(
    _ attribute: Attribute, _ expected: String, _ scanner: LineScanner
  ) -> TraceError {
    scanner.fault(
      at: attribute.word, expected: expected,
      remedy: "attributes are described in docs/trace-format.md")
  }
}
