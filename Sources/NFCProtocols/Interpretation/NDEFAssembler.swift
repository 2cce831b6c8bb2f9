/// Puts an NDEF message together from the pieces in which a reader reads it.
///
/// It follows READ BINARY of a Type 4 tag, READ and FAST_READ of a Type 2 tag, block reads of
/// Type 5 and Type 3. A message is told once each time it is read from its start.
public struct NDEFAssembler: Sendable {
  /// The message that was completed last.
  public private(set) var message: [UInt8] = []
  private var memory: [UInt8] = []
  private var isDelivered = false
  private var pending = Pending.none
  private var expectedLength = 0

  /// The longest content in bytes that is kept: a file of 65,535 bytes and its length.
  public static let maximumLength = 65_537

  /// What the next answer would be.
  private enum Pending: Sendable {
    case none
    case selectApplication
    case binary(offset: Int)
    case vicinity(block: Int, count: Int)
    case feliCa(block: Int)
  }

  /// Makes an assembler that has seen nothing.
  public init() {}

  /// Forgets what was read, for example when the field goes off.
  public mutating func forget() {
    if !memory.isEmpty { memory.removeAll(keepingCapacity: true) }
    isDelivered = false
    pending = .none
    expectedLength = 0
  }

  /// Takes a command APDU.
  public mutating func command(_ apdu: ArraySlice<UInt8>) {
    let start = apdu.startIndex
    guard apdu.count >= 4, apdu[start] & 0xF0 == 0 else {
      pending = .none
      return
    }
    switch apdu[start + 1] {
    case 0xA4:
      forget()
    case 0xB0 where apdu[start + 2] & 0x80 == 0:
      let offset = Int(apdu[start + 2]) << 8 | Int(apdu[start + 3])
      pending = .binary(offset: offset)
      if offset == 0 { restart() }
    default:
      pending = .none
    }
  }

  /// Takes a response APDU; true if it completes a message.
  public mutating func response(_ apdu: ArraySlice<UInt8>) -> Bool {
    guard case .binary(let offset) = pending, apdu.count > 2 else { return false }
    pending = .none
    guard apdu[apdu.endIndex - 2] == 0x90, apdu[apdu.endIndex - 1] == 0 else { return false }
    store(apdu.dropLast(2), at: offset)
    guard !isDelivered, memory.count >= 2 else { return false }
    // NFC Forum Type 4 Tag, NDEF file: two bytes NLEN in front of the message. The capability
    // container begins with its own length (at least 15) and a mapping version.
    let length = Int(memory[0]) << 8 | Int(memory[1])
    guard length > 0, memory.count >= 2 + length, NDEFSummary.looksLikeMessage(memory[2...]) else {
      return false
    }
    return deliver(2..<(2 + length))
  }

  /// Takes a frame of a tag without APDUs; true if it completes a message.
  ///
  /// - Parameter isType2: False for cards whose READ counts blocks of 16 bytes (Classic).
  public mutating func add(
    _ meaning: RadioMeaning, _ bytes: [UInt8], isType2: Bool
  ) -> Bool {
    switch meaning.kind {
    case .memoryData where isType2:
      // User memory begins at page 4 (NFC Forum Type 2 Tag, 2.1).
      let offset = (Int(meaning.first) - 4) * 4
      let skip = min(max(0, -offset), meaning.content.count)
      if offset <= 0, skip < meaning.content.count { restart() }
      store(bytes[meaning.content].dropFirst(skip), at: max(0, offset))
      return deliverTLV(from: 0)
    case .vicinityCommand:
      vicinityCommand(meaning, bytes)
      return false
    case .vicinityAnswer:
      return vicinityAnswer(bytes[meaning.content])
    case .feliCaCommand:
      feliCaCommand(bytes[meaning.content], code: meaning.first)
      return false
    case .feliCaAnswer:
      return feliCaAnswer(bytes[meaning.content])
    case .reqA, .wupA, .reqB, .wupB, .inventory, .polling:
      forget()
      return false
    default:
      return false
    }
  }

  private mutating func restart() {
    if !memory.isEmpty { memory.removeAll(keepingCapacity: true) }
    isDelivered = false
  }

  /// Puts bytes at an offset; a gap in front of them makes them useless.
  private mutating func store(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    guard offset <= memory.count, offset + bytes.count <= Self.maximumLength else { return }
    let overlap = min(bytes.count, memory.count - offset)
    memory.replaceSubrange(offset..<(offset + overlap), with: bytes.prefix(overlap))
    memory.append(contentsOf: bytes.dropFirst(overlap))
  }

  private mutating func deliver(_ range: Range<Int>) -> Bool {
    message = Array(memory[range])
    isDelivered = true
    return true
  }

  /// Looks for a whole NDEF message TLV (03) in memory, behind other TLVs.
  private mutating func deliverTLV(from start: Int) -> Bool {
    guard !isDelivered else { return false }
    var place = start
    while place < memory.count {
      let type = memory[place]
      place += 1
      if type == 0x00 { continue }
      guard type != 0xFE, place < memory.count else { return false }
      var length = Int(memory[place])
      place += 1
      if length == 0xFF {
        guard place + 2 <= memory.count else { return false }
        length = Int(memory[place]) << 8 | Int(memory[place + 1])
        place += 2
      }
      guard place + length <= memory.count else { return false }
      if type == 0x03 { return length > 0 ? deliver(place..<(place + length)) : false }
      place += length
    }
    return false
  }

  private mutating func vicinityCommand(_ meaning: RadioMeaning, _ bytes: [UInt8]) {
    pending = .none
    guard let block = bytes[meaning.content].first else { return }
    switch meaning.first {
    case 0x20: pending = .vicinity(block: Int(block), count: 1)
    case 0x23 where meaning.content.count >= 2:
      let count = Int(bytes[meaning.contentStart + 1]) + 1
      pending = .vicinity(block: Int(block), count: count)
    default: break
    }
  }

  private mutating func vicinityAnswer(_ data: ArraySlice<UInt8>) -> Bool {
    guard case .vicinity(let block, let count) = pending else { return false }
    pending = .none
    guard !data.isEmpty, data.count % count == 0 else { return false }
    if block == 0 { restart() }
    store(data, at: block * (data.count / count))
    // NFC Forum Type 5 Tag, 4.3.1: E1 or E2; a size of 0 means that four more bytes follow.
    guard memory.count >= 4, memory[0] == 0xE1 || memory[0] == 0xE2 else { return false }
    return deliverTLV(from: memory[2] == 0 ? 8 : 4)
  }

  private mutating func feliCaCommand(_ list: ArraySlice<UInt8>, code: UInt16) {
    pending = .none
    // One service, then the number of blocks, then the first block element.
    guard code == 0x06, list.count >= 6, list.first == 1 else { return }
    let place = list.startIndex + 4
    let block =
      list[place] & 0x80 != 0
      ? Int(list[place + 1])
      : place + 2 < list.endIndex ? Int(list[place + 2]) << 8 | Int(list[place + 1]) : 0
    pending = .feliCa(block: block)
  }

  private mutating func feliCaAnswer(_ content: ArraySlice<UInt8>) -> Bool {
    guard case .feliCa(let block) = pending else { return false }
    pending = .none
    let start = content.startIndex
    guard content.count >= 19, content[start] == 0 else { return false }
    var data = content.dropFirst(3)
    if block == 0 {
      restart()
      // NFC Forum Type 3 Tag, attribute information block: Ln in bytes 11 to 13.
      let place = data.startIndex
      guard data[place] == 0x10 || data[place] == 0x11 else { return false }
      expectedLength =
        Int(data[place + 11]) << 16 | Int(data[place + 12]) << 8 | Int(data[place + 13])
      data = data.dropFirst(16)
      guard !data.isEmpty else { return false }
    }
    store(data, at: block == 0 ? 0 : (block - 1) * 16)
    guard !isDelivered, expectedLength > 0, memory.count >= expectedLength else { return false }
    return deliver(0..<expectedLength)
  }
}
