import NFCProtocols

/// Reads the pcapng encoding of a trace, as `PcapngTraceEncoder` writes it.
///
/// The packets are the truth: options only add what a packet cannot hold. It keeps one unfinished
/// block.
public struct PcapngTraceDecoder: TraceDecoder {
  private var reader = PcapngReader()
  private var byteOrder = PcapngByteOrder.little
  private var packets: PacketEvents?
  /// How many events of the batch were handed over already.
  private var handedOver = 0
  private var order = OrderKeeper()
  private var sealWriter = EventLineWriter(technology: nil)
  private var buffer = TextBuffer()
  private var seal = TraceSeal()
  private var trailingLines: [String] = []
  private var isComplete = false
  private var hasEnding = false

  /// Makes a decoder.
  public init() {}

  /// True if a file that begins with these bytes is a pcapng file of Retap.
  public static func recognises(_ start: ArraySlice<UInt8>) -> Bool {
    var reader = PcapngReader()
    reader.append(start)
    do throws(TraceError) {
      while let item = try reader.next() {
        switch item {
        case .block(let block): if try OwnBlocks.read(block)?.kind == .header { return true }
        case .section, .interface: continue
        case .packet: return false
        }
      }
      return false
    } catch {
      if case .newerVersion = error { return true }
      return false
    }
  }

  /// Takes the next piece of the file.
  public mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    reader.append(chunk)
    handedOver = batch.events.count
    while true {
      let offset = reader.offset
      guard let item = try reader.next() else { return }
      try take(item, at: offset, into: &batch)
    }
  }

  /// Takes the end of the file; a last block that is torn off is passed over with a warning.
  public mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    guard packets != nil else {
      throw PcapngReader.fault(
        reader.offset, found: reader.offset == 0 ? "no whole block" : "no header block of Retap",
        expected: "a pcapng file of Retap")
    }
    handedOver = batch.events.count
    packets?.flush(into: &batch.events)
    try report(at: reader.offset, into: &batch)
    if reader.pendingCount > 0 {
      isComplete = false
      batch.warnings.append(
        TraceWarning(
          at: .byte(reader.offset),
          "the last block is torn off and was passed over: the recording was cut"))
    } else if !isComplete {
      batch.warnings.append(
        TraceWarning(at: .byte(reader.offset), "no seal at the end: the recording was cut"))
    }
    batch.ending = TraceEnding(isComplete: isComplete, trailingLines: trailingLines)
  }

  // MARK: Blocks

  private mutating func take(
    _ item: PcapngItem, at offset: Int, into batch: inout TraceBatch
  ) throws(TraceError) {
    switch item {
    case .section(let order):
      guard offset == 0 else {
        throw PcapngReader.fault(
          offset, found: "a second section", expected: "one section in a file of Retap")
      }
      byteOrder = order
    case .interface:
      break
    case .packet(let packet):
      guard packets != nil, !hasEnding else { throw misplaced("a packet", offset) }
      try packets?.take(
        packet, of: reader.interfaces[packet.interface], byteOrder, into: &batch.events)
      try report(at: offset, into: &batch)
    case .block(let block):
      guard let (kind, text) = try OwnBlocks.read(block) else { return }
      packets?.flush(into: &batch.events)
      try report(at: offset, into: &batch)
      switch kind {
      case .header: try takeHeader(text, at: offset, into: &batch)
      case .event: try takeEvent(text, at: offset, into: &batch)
      case .ending: try takeEnding(text, at: offset, into: &batch)
      }
    }
  }

  private func misplaced(_ what: String, _ offset: Int) -> TraceError {
    PcapngReader.fault(
      offset, found: what + (hasEnding ? " behind the seal" : " in front of the header block"),
      expected: "the header block of Retap, then events, then the seal")
  }

  private mutating func takeHeader(
    _ text: ArraySlice<UInt8>, at offset: Int, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard packets == nil else { throw misplaced("a second header block", offset) }
    var lines = TraceLineReader()
    var scratch = TraceBatch()
    for line in text.lines { try lines.take(line, at: .byte(offset), into: &scratch) }
    try lines.finish(isTorn: true, at: .byte(offset), into: &scratch)
    guard let header = scratch.header, scratch.events.isEmpty else {
      throw misplaced("an event in a header block", offset)
    }
    batch.header = header
    packets = PacketEvents(technology: header.technology)
    sealWriter = EventLineWriter(technology: header.technology)
  }

  private mutating func takeEvent(
    _ text: ArraySlice<UInt8>, at offset: Int, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard let parser = packets?.parser, !hasEnding else { throw misplaced("an event", offset) }
    var leadingLines: [String] = []
    for line in text.lines {
      try TraceLineReader.checkCharacters(of: line, at: .byte(offset))
      let content = line.trimmingBlanks()
      guard let first = content.first, first != 0x23 else {
        leadingLines.append(content.text)
        continue
      }
      var event = try parser.parse(content, at: .byte(offset))
      event.leadingLines = leadingLines
      leadingLines = []
      batch.events.append(event)
    }
    try report(at: offset, into: &batch)
  }

  private mutating func takeEnding(
    _ text: ArraySlice<UInt8>, at offset: Int, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard packets != nil, !hasEnding else { throw misplaced("a seal", offset) }
    hasEnding = true
    for line in text.lines {
      try TraceLineReader.checkCharacters(of: line, at: .byte(offset))
      var scanner = LineScanner(line.trimmingBlanks(), at: .byte(offset))
      guard let first = scanner.peek(), first != 0x23 else {
        trailingLines.append(scanner.bytes.text)
        continue
      }
      let word = scanner.word()
      guard word.isWord("end"), !isComplete else {
        throw scanner.unknown(word, what: "the seal", known: ["end"])
      }
      if let warning = try seal.check(&scanner) { batch.warnings.append(warning) }
      isComplete = true
    }
  }

  /// Hands over what was found, with marks for times that go back.
  private mutating func report(
    at offset: Int, into batch: inout TraceBatch
  ) throws(TraceError) {
    while handedOver < batch.events.count {
      if order.mark(&batch.events[handedOver]) {
        batch.warnings.append(
          TraceWarning(
            at: .byte(offset), "the time goes back; the event is kept here and marked"))
      }
      buffer.removeAll()
      let line = try sealWriter.write(batch.events[handedOver], into: &buffer)
      seal.add(line: buffer.bytes[line.start...])
      handedOver += 1
    }
  }
}

extension ArraySlice<UInt8> {
  /// The lines of a text, each ended by a line feed or by the end of the text.
  var lines: [ArraySlice<UInt8>] {
    var result = split(separator: 0x0A, omittingEmptySubsequences: false)
    if result.last?.isEmpty == true { result.removeLast() }
    return result
  }
}
