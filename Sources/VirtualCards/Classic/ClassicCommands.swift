import NFCProtocols

extension ClassicCard {
  typealias Answer = (TypeAAnswer, Nanoseconds)

  /// Command codes (MF1S50 table 9).
  enum Code {
    static let read: UInt8 = 0x30
    static let write: UInt8 = 0xA0
    static let decrement: UInt8 = 0xC0
    static let increment: UInt8 = 0xC1
    static let restore: UInt8 = 0xC2
    static let transfer: UInt8 = 0xB0
  }

  /// Runs a command that came to the selected card.
  mutating func execute(_ command: SelectedCommand) -> Answer {
    if pending == .nonceAnswer {
      // Eight bytes without CRC, of which nothing can be understood without the cipher.
      fail()
      return (.none, .zero)
    }
    guard case .content(let bytes) = command else { return refuse(isTransmissionError: true) }
    if let step = pending {
      pending = nil
      return complete(step, bytes)
    }
    if let key = ClassicKey(rawValue: bytes[0]) { return authenticate(key, bytes) }
    guard bytes.count == 2 else { return refuse() }
    let block = Int(bytes[1])
    guard let session, block < size.blockCount,
      ClassicSize.sector(ofBlock: block) == session.sector
    else { return refuse() }
    switch bytes[0] {
    case Code.read: return read(block, session.key)
    case Code.write: return beginWrite(block, session.key)
    case Code.increment, Code.decrement, Code.restore:
      return beginChange(bytes[0], block, session.key)
    case Code.transfer: return transfer(block, session.key)
    default: return refuse()
    }
  }

  /// NAK: 0 or 1 with a valid transfer buffer, 4 or 5 without (MF1S50 table 10).
  private mutating func refuse(isTransmissionError: Bool = false) -> Answer {
    let code: UInt8 = (transferBuffer == nil ? 4 : 0) + (isTransmissionError ? 1 : 0)
    fail()
    return (.nibble(code), .zero)
  }

  // MARK: Authentication

  private mutating func authenticate(_ key: ClassicKey, _ bytes: [UInt8]) -> Answer {
    endSession()
    guard bytes.count >= 2, Int(bytes[1]) < size.blockCount else { return refuse() }
    if bytes.count == 2 {
      pending = .nonceAnswer
      return (.raw(drawNonce()), processing.read)
    }
    guard bytes.count == 8 || bytes.count == 12 else { return refuse() }
    let sector = ClassicSize.sector(ofBlock: Int(bytes[1]))
    let trailer = Array(memory[ClassicSize.trailer(ofSector: sector)])
    let right = key == .a ? Array(trailer[0..<6]) : Array(trailer[10..<16])
    let fits = bytes.count == 8 || Array(bytes[8...]) == uid.suffix(4)
    guard Array(bytes[2..<8]) == right, fits else {
      fail()
      return (.none, .zero)
    }
    session = (sector, key)
    return (.acknowledge, processing.read)
  }

  // MARK: Reading and writing

  private mutating func read(_ block: Int, _ key: ClassicKey) -> Answer {
    let content = Array(memory[block])
    guard let access = access(of: block) else { return refuse() }
    guard isTrailer(block) else {
      guard access.keys(for: .read, area: area(of: block)).allow(key) else { return refuse() }
      return (.data(content), processing.read)
    }
    // Key A never shows, key B only where it is data.
    var shown = [UInt8](repeating: 0, count: 16)
    if access.trailer.readAccess.allow(key) { shown[6...9] = content[6...9] }
    if access.trailer.readB.allow(key) { shown[10...15] = content[10...15] }
    return (.data(shown), processing.read)
  }

  private mutating func beginWrite(_ block: Int, _ key: ClassicKey) -> Answer {
    guard block != 0, let access = access(of: block) else { return refuse() }
    let rights = access.trailer
    let allowed =
      isTrailer(block)
      ? rights.writeKeys.union(rights.writeAccess).union(rights.writeB)
      : access.keys(for: .write, area: area(of: block))
    guard allowed.allow(key) else { return refuse() }
    pending = .write(block)
    return (.acknowledge, processing.read)
  }

  private mutating func complete(_ step: Pending, _ bytes: [UInt8]) -> Answer {
    switch step {
    case .write(let block):
      guard bytes.count == 16, let session else { return refuse() }
      guard isTrailer(block) else {
        store(block, bytes)
        return (.acknowledge, processing.write)
      }
      var content = Array(memory[block])
      guard let rights = access(of: block)?.trailer else { return refuse() }
      if rights.writeKeys.allow(session.key) { content[0...5] = bytes[0...5] }
      if rights.writeAccess.allow(session.key) { content[6...9] = bytes[6...9] }
      if rights.writeB.allow(session.key) { content[10...15] = bytes[10...15] }
      store(block, content)
      return (.acknowledge, processing.write)
    case .change(let code, let block):
      // The second step of a value operation has no answer unless it failed.
      guard bytes.count == 4, var value = ClassicValue(Array(memory[block])) else {
        return refuse()
      }
      let operand = ClassicValue.number(bytes[0...])
      switch code {
      case Code.increment: value.value &+= operand
      case Code.decrement: value.value &-= operand
      default: break
      }
      transferBuffer = value
      return (.none, .zero)
    case .nonceAnswer:
      return refuse()
    }
  }

  // MARK: Values

  private mutating func beginChange(_ code: UInt8, _ block: Int, _ key: ClassicKey) -> Answer {
    guard !isTrailer(block), let access = access(of: block),
      ClassicValue(Array(memory[block])) != nil
    else { return refuse() }
    let operation: ClassicAccess.Operation = code == Code.increment ? .increment : .decrement
    guard access.keys(for: operation, area: area(of: block)).allow(key) else { return refuse() }
    pending = .change(code, block)
    return (.acknowledge, processing.read)
  }

  private mutating func transfer(_ block: Int, _ key: ClassicKey) -> Answer {
    guard let value = transferBuffer, block != 0, !isTrailer(block),
      let access = access(of: block),
      access.keys(for: .decrement, area: area(of: block)).allow(key)
    else { return refuse() }
    store(block, value.bytes)
    transferBuffer = nil
    return (.acknowledge, processing.write)
  }

  // MARK: Layout

  private func isTrailer(_ block: Int) -> Bool {
    block == ClassicSize.trailer(ofSector: ClassicSize.sector(ofBlock: block))
  }

  /// Which of the three groups of access bits holds a data block: one block each in small sectors,
  /// five in large ones.
  private func area(of block: Int) -> Int {
    let index = block - ClassicSize.firstBlock(ofSector: ClassicSize.sector(ofBlock: block))
    return block < 128 ? index : index / 5
  }

  /// The access bits of the sector of a block; `nil` if they are broken, which shuts the sector.
  private func access(of block: Int) -> ClassicAccess? {
    let trailer = memory[ClassicSize.trailer(ofSector: ClassicSize.sector(ofBlock: block))]
    return ClassicAccess(Array(Array(trailer)[6..<9]))
  }
}
