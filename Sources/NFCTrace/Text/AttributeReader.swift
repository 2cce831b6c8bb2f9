import NFCProtocols

/// Reads the attributes behind the content of an event.
struct AttributeReader {
  /// One attribute: a word, or a name with a value.
  struct Attribute {
    /// The whole word.
    var word: ArraySlice<UInt8>
    /// The length of the name; the sign `+` or `±` is the name of a length of time.
    var nameLength: Int
    /// Where the value begins, counted from the start of the word, or `nil` if there is none.
    var valueOffset: Int?

    /// The name.
    var name: ArraySlice<UInt8> { word.prefix(nameLength) }

    /// What stands behind the sign.
    var value: ArraySlice<UInt8>? { valueOffset.map { word.dropFirst($0) } }

    /// The value, if the attribute has this name and a value.
    func value(of name: StaticString) -> ArraySlice<UInt8>? {
      valueOffset != nil && word.begins(with: name, length: nameLength) ? value : nil
    }

    /// True if the attribute is this word alone.
    func isFlag(_ name: StaticString) -> Bool { valueOffset == nil && word.isWord(name) }
  }

  /// Takes the next attribute, or `nil` at a comment and at the end of the line.
  func next(_ scanner: inout LineScanner) throws(TraceError) -> Attribute? {
    guard let first = scanner.peek(), first != 0x3B else { return nil }
    let word = scanner.word()
    if first == 0x2B { return Attribute(word: word, nameLength: 1, valueOffset: 1) }
    // U+00B1 is C2 B1 in UTF-8.
    if first == 0xC2, word.count >= 2, word[word.startIndex + 1] == 0xB1 {
      return Attribute(word: word, nameLength: 2, valueOffset: 2)
    }
    guard let sign = word.firstIndex(of: 0x3D) else {
      return Attribute(word: word, nameLength: word.count, valueOffset: nil)
    }
    let length = sign - word.startIndex
    return Attribute(word: word, nameLength: length, valueOffset: length + 1)
  }

  /// Takes an attribute that every event may have; `false` if it is another.
  func take(
    _ attribute: Attribute, into event: inout TraceEvent, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    if let value = attribute.value(of: "+") {
      let length = try duration(value, attribute, scanner)
      let (end, overflows) = event.start.count.addingReportingOverflow(length)
      guard !overflows, end.magnitude <= TraceLimits.time.magnitude else {
        throw wrong(attribute, "an end within 126 years of the clock's origin", scanner)
      }
      event.end = Nanoseconds(end)
    } else if let value = attribute.value(of: "\u{B1}") ?? attribute.value(of: "uncertainty") {
      let uncertainty = try duration(value, attribute, scanner)
      guard uncertainty.magnitude <= TraceLimits.time.magnitude else {
        throw wrong(attribute, "an uncertainty below 126 years", scanner)
      }
      event.uncertainty = Nanoseconds(uncertainty)
    } else if let value = attribute.value(of: "ticks") {
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
    } else if attribute.isFlag("time-unknown") {
      event.isTimeUnknown = true
    } else if attribute.isFlag("out-of-order") {
      event.isOutOfOrder = true
    } else {
      return false
    }
    return true
  }

  /// Takes an attribute of a frame on the air; `false` if it is another.
  func take(
    _ attribute: Attribute, into frame: inout RadioFrame, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    if let value = attribute.value(of: "crc") {
      guard let state = CRCState(word: value) else {
        throw wrong(attribute, "`crc=good`, `bad`, `none` (not captured) or `absent`", scanner)
      }
      frame.crc = state
    } else if let value = attribute.value(of: "parity") {
      frame.parity = try parity(value, attribute, frame, scanner)
    } else if let value = attribute.value(of: "rate") {
      guard let rate = value.number, rate <= UInt16.max else {
        throw wrong(attribute, "a rate in kbit/s as `rate=106`", scanner)
      }
      frame.kilobitsPerSecond = UInt16(rate)
    } else if let value = attribute.value(of: "tech") {
      guard value.count == 1, let letter = value.first,
        let technology = Technology(letter: letter)
      else { throw wrong(attribute, "`tech=A`, `B`, `F` or `V`", scanner) }
      frame.technology = technology
    } else if let value = attribute.value(of: "bits") {
      guard value.count == 1, let digit = value.first, (0x31...0x38).contains(digit) else {
        throw wrong(attribute, "the bits of the last byte as `bits=1` to `bits=8`", scanner)
      }
      frame.lastByteBits = digit - 0x30
    } else if attribute.isFlag("collision") {
      frame.isCollision = true
    } else if attribute.isFlag("encrypted") {
      frame.isEncrypted = true
    } else if attribute.isFlag("truncated") {
      frame.isTruncated = true
    } else {
      return false
    }
    return true
  }

  /// Takes an attribute of a transfer but `via`; `false` if it is another.
  func take(
    _ attribute: Attribute, into transfer: inout LinkTransfer, _ scanner: LineScanner
  ) throws(TraceError) -> Bool {
    if let value = attribute.value(of: "payload") {
      guard let payload = LinkTransfer.Payload(word: value.text) else {
        throw wrong(attribute, "`payload=pn53x`, `ccid`, `nci` or `other`", scanner)
      }
      transfer.payload = payload
    } else if let value = attribute.value(of: "ep") {
      guard value.count == 2, let address = Hexadecimal.bytes(of: value)?.first else {
        throw wrong(attribute, "an endpoint address in hexadecimal as `ep=84`", scanner)
      }
      transfer.endpoint = address
    } else if let value = attribute.value(of: "setup") {
      let bytes = value.isWord("-") ? [] : Hexadecimal.bytes(of: value)
      guard let bytes, bytes.count <= 8 else {
        throw wrong(attribute, "eight bytes as `setup=8006000100001200`", scanner)
      }
      transfer.setup = bytes
    } else if let value = attribute.value(of: "requested") {
      transfer.requestedLength = try length(value, attribute, scanner)
    } else if let value = attribute.value(of: "original") {
      transfer.originalLength = try length(value, attribute, scanner)
    } else if let value = attribute.value(of: "failed") {
      guard let status = Int32(value.text) else {
        throw wrong(attribute, "a status as `failed=-71`", scanner)
      }
      transfer.outcome = .failed(status: status)
    } else if attribute.isFlag("stall") {
      transfer.outcome = .stall
    } else if attribute.isFlag("timeout") {
      transfer.outcome = .timeout
    } else if attribute.isFlag("unplugged") {
      transfer.outcome = .unplugged
    } else if attribute.isFlag("cancelled") {
      transfer.outcome = .cancelled
    } else if attribute.isFlag("overflow") {
      transfer.outcome = .overflow
    } else {
      return false
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
    let name = attribute.name.isEmpty ? attribute.word : attribute.name
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
    guard let length = value.number, length <= UInt32.max else {
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
