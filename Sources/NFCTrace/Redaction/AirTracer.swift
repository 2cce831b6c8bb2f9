import NFCProtocols

/// Follows frames between a reader and a card and knows where each byte of what they carry stands.
struct AirTracer: Sendable {
  private var radio: RadioInterpreter
  private var card = CardTracer()
  private var fromReader = TracedBytes()
  private var fromCard = TracedBytes()
  private var blocks: [Int] = []
  private var peers = PeerTracer()
  private var isBareExchange = false
  /// Who sent the last block, if its CRC was wrong.
  private var damaged: Direction?
  /// The parts of the UID that were selected so far.
  var uidParts = TracedBytes()

  /// Makes a tracer at the start of a trace.
  init(technology: Technology?) {
    radio = RadioInterpreter(defaultTechnology: technology)
  }

  /// A card begins anew, or goes.
  mutating func forget(into views: inout TracedViews) {
    radio.fieldChanged()
    forgetChains()
    card.forget(into: &views)
    peers.flush(into: &views)
  }

  /// A chip has activated a card.
  mutating func activated(
    _ technology: Technology, sak: UInt8?, isISODEP: Bool, into views: inout TracedViews
  ) {
    forget(into: &views)
    radio.activated(technology, sak: sak, isISODEP: isISODEP)
  }

  private mutating func forgetChains() {
    fromReader.removeAll()
    fromCard.removeAll()
  }

  /// Takes an APDU that came as a whole.
  mutating func take(
    _ direction: Direction, apdu: TracedBytes, into views: inout TracedViews
  ) {
    switch direction {
    case .outbound: card.take(command: apdu, into: &views)
    case .inbound: card.take(response: apdu, into: &views)
    }
  }

  /// Takes a frame.
  mutating func take(
    _ direction: Direction, _ frame: RadioFrame, _ traced: TracedBytes,
    into views: inout TracedViews
  ) {
    var frame = frame
    // A host that computes CRCs itself hands them to the chip as data.
    if frame.crc == .notCaptured, let technology = frame.technology,
      CRC16(of: technology).check(frame.bytes)
    {
      frame.crc = .good
    }
    let meaning = radio.interpret(direction, frame)
    guard meaning.kind != .empty, meaning.kind != .encrypted, !frame.isEncrypted else { return }
    if meaning.checkValue == .good { addCRC(meaning, traced, &views) }
    if meaning.kind == .unknown, isBareAPDU(direction, frame) {
      return take(direction, apdu: traced, into: &views)
    }
    if meaning.kind.endsExchange { forgetChains() }
    identify(meaning, traced, &views)
    let content = traced[meaning.content.clamped(to: 0..<traced.count)]
    switch meaning.kind {
    case .informationBlock: take(direction, block: meaning, content, into: &views)
    case .reqA, .reqB, .inventory, .polling: card.forget(into: &views)
    case .memoryData, .write, .compatibleWriteData, .vicinityCommand, .vicinityAnswer,
      .feliCaCommand, .feliCaAnswer:
      memory(meaning, content, &views)
    case .dep: peers.take(direction, code: meaning.first, content, into: &views)
    case .unknown: views.add(traced, .frame)
    default: break
    }
  }

  private func addCRC(
    _ meaning: RadioMeaning, _ traced: TracedBytes, _ views: inout TracedViews
  ) {
    let end = traced.count - CRC16.byteCount
    // Some recorders keep the sync code of FeliCa, which the CRC does not cover.
    let hasSync =
      meaning.technology == .f && traced.bytes.starts(with: FeliCaCommand.syncCode)
    views.checksums.append(
      ChecksumSpan(
        kind: .crc(CRC16(of: meaning.technology)),
        covered: traced[(hasSync ? FeliCaCommand.syncCode.count : 0)..<end],
        check: traced[end..<traced.count]))
  }

  /// True for an APDU in a frame by itself, as sources give it that take blocks apart (NFCGate).
  private mutating func isBareAPDU(_ direction: Direction, _ frame: RadioFrame) -> Bool {
    guard frame.crc == .notCaptured, !radio.isTransmissionProtocolActive else { return false }
    if direction == .outbound { isBareExchange = !APDUText.isNative(frame.bytes[...]) }
    return isBareExchange && frame.bytes.count >= 2
  }

  private mutating func take(
    _ direction: Direction, block: RadioMeaning, _ content: TracedBytes,
    into views: inout TracedViews
  ) {
    // A block that comes again after a damaged one is the first that counts.
    let isRepetition = block.isRetransmission && damaged != direction
    damaged = block.checkValue == .bad ? direction : nil
    guard !isRepetition, block.checkValue != .bad else { return }
    let whole: TracedBytes
    if direction == .outbound {
      fromCard.removeAll()
      fromReader.append(content)
      whole = fromReader
    } else {
      fromCard.append(content)
      whole = fromCard
    }
    let isChaining = block.second == 1
    guard !isChaining || whole.count > APDUAssembler.maximumLength else { return }
    if direction == .outbound { fromReader.removeAll() } else { fromCard.removeAll() }
    if !whole.isEmpty { take(direction, apdu: whole, into: &views) }
  }

  // MARK: Memory

  private mutating func memory(
    _ meaning: RadioMeaning, _ content: TracedBytes, _ views: inout TracedViews
  ) {
    switch meaning.kind {
    case .memoryData where !radio.isType2:
      // READ of MIFARE Classic counts blocks of 16 bytes; sector trailers hold keys.
      let block = Int(meaning.first)
      let isTrailer = block < 128 ? block % 4 == 3 : block % 16 == 15
      if !isTrailer { card.store(content, at: Self.address(ofBlock: block), into: &views) }
    case .memoryData, .write, .compatibleWriteData:
      card.store(content, at: Int(meaning.first) * 4, into: &views)
    case .vicinityCommand: vicinityCommand(meaning, content, &views)
    case .vicinityAnswer where !blocks.isEmpty && content.count % blocks.count == 0:
      let length = content.count / blocks.count
      if length > 0 { store(content, blockLength: length, &views) }
      blocks = []
    case .feliCaCommand: feliCaCommand(meaning, content, &views)
    case .feliCaAnswer where !blocks.isEmpty && content.count == 3 + 16 * blocks.count:
      store(content[3..<content.count], blockLength: 16, &views)
      blocks = []
    default: views.add(content, .frame)
    }
  }

  private mutating func store(
    _ content: TracedBytes, blockLength: Int, _ views: inout TracedViews
  ) {
    for (index, block) in blocks.enumerated() {
      let start = index * blockLength
      card.store(
        content[start..<(start + blockLength)], at: block * blockLength, into: &views)
    }
  }

  /// The blocks of data in front of a block, 16 bytes each.
  private static func address(ofBlock block: Int) -> Int {
    let trailers = block < 128 ? block / 4 : 32 + (block - 128) / 16
    return (block - trailers) * 16
  }

  private mutating func vicinityCommand(
    _ meaning: RadioMeaning, _ content: TracedBytes, _ views: inout TracedViews
  ) {
    blocks = []
    guard let block = content.bytes.first.map(Int.init) else { return }
    switch meaning.first {
    case 0x20: blocks = [block]
    case 0x21 where content.count > 1:
      let length = content.count - 1
      card.store(content[1..<content.count], at: block * length, into: &views)
    case 0x23 where content.count >= 2:
      blocks = Array(block...(block + Int(content.bytes[1])))
    default: views.add(content, .frame)
    }
  }

  /// Read (06) and Write (08) Without Encryption: services, then the list of blocks, then data.
  private mutating func feliCaCommand(
    _ meaning: RadioMeaning, _ content: TracedBytes, _ views: inout TracedViews
  ) {
    blocks = []
    let bytes = content.bytes
    guard meaning.first == 0x06 || meaning.first == 0x08, let services = bytes.first,
      bytes.count > 1 + 2 * Int(services)
    else { return }
    var place = 1 + 2 * Int(services)
    let count = Int(bytes[place])
    place += 1
    for _ in 0..<count {
      guard place + 1 < bytes.count else { return blocks = [] }
      let isShort = bytes[place] & 0x80 != 0
      guard isShort || place + 2 < bytes.count else { return blocks = [] }
      blocks.append(
        isShort ? Int(bytes[place + 1]) : Int(bytes[place + 2]) << 8 | Int(bytes[place + 1]))
      place += isShort ? 2 : 3
    }
    guard meaning.first == 0x08 else { return }
    if content.count == place + 16 * blocks.count {
      store(content[place..<content.count], blockLength: 16, &views)
    }
    blocks = []
  }
}
