import NFCProtocols

extension FeliCaCard {
  typealias Answer = (bytes: [UInt8], delay: Nanoseconds)

  /// Command codes; an answer has the next greater one (JIS X 6319-4 table 7).
  enum Code {
    static let polling: UInt8 = 0x00
    static let requestService: UInt8 = 0x02
    static let requestResponse: UInt8 = 0x04
    static let read: UInt8 = 0x06
    static let write: UInt8 = 0x08
    static let requestSystemCode: UInt8 = 0x0C
  }

  /// Second status flag (FeliCa Card User's Manual, status flags).
  enum Fault: UInt8 {
    case serviceCount = 0xA1
    case blockCount = 0xA2
    case noSuchService = 0xA6
    case access = 0xA5
    case noSuchBlock = 0xA8
  }

  /// The most blocks of one command: 15, of Lite 4 to read and 1 to write (Lite-S manual).
  var greatestBlockCount: (read: Int, write: Int) { isLite ? (4, 1) : (15, 13) }

  var isLite: Bool { image.systemCodes.contains(SystemCode.lite) }

  /// The answer to a command without LEN and CRC, or `nil` for silence.
  mutating func respond(to command: [UInt8]) -> Answer? {
    if command[0] == Code.polling { return poll(Array(command.dropFirst())) }
    guard command.count >= 9, Array(command[1...8]) == idm else { return nil }
    let parameters = Array(command[9...])
    let head = [command[0] &+ 1] + idm
    switch command[0] {
    case Code.requestResponse where parameters.isEmpty:
      return (head + [0x00], processing.read)
    case Code.requestSystemCode where parameters.isEmpty:
      let codes = image.systemCodes.flatMap { Self.bigEndian($0) }
      let count = UInt8(truncatingIfNeeded: image.systemCodes.count)
      return (head + [count] + codes, processing.read)
    case Code.requestService:
      return requestService(parameters).map { (head + $0, processing.read) }
    case Code.read:
      return (head + read(parameters), processing.read)
    case Code.write:
      return (head + write(parameters), processing.write)
    default:
      return nil
    }
  }

  /// POLLING: system code (FF in a byte matches all), request code, number of slots less one.
  private mutating func poll(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 4 else { return nil }
    let codes = image.systemCodes.isEmpty ? [0xFFFF] : image.systemCodes
    let match = codes.first { code in
      let own = Self.bigEndian(code)
      return (parameters[0] == 0xFF || parameters[0] == own[0])
        && (parameters[1] == 0xFF || parameters[1] == own[1])
    }
    guard let match, [0, 1, 3, 7, 15].contains(parameters[3]) else { return nil }
    var answer = [Code.polling + 1] + idm + pmm
    switch parameters[2] {
    case 0x01: answer += Self.bigEndian(match)
    // Communication performance: 212 and 424 kbit/s, chosen by the card itself.
    case 0x02: answer += [0x00, 0x83]
    default: break
    }
    let slot = Int64(drawSlot(of: Int(parameters[3]) + 1))
    return (answer, Self.firstSlot + Self.slotLength * slot)
  }

  /// REQUEST SERVICE: a key version for each node, FFFF where there is none.
  private func requestService(_ parameters: [UInt8]) -> [UInt8]? {
    guard let count = parameters.first.map(Int.init), (1...32).contains(count),
      parameters.count == 1 + count * 2
    else { return nil }
    var answer = [parameters[0]]
    for index in 0..<count {
      let node = UInt16(parameters[1 + index * 2]) | UInt16(parameters[2 + index * 2]) << 8
      // 0000 is the root area, which every system has.
      answer += services.contains(node) || node == 0 ? [0x00, 0x00] : [0xFF, 0xFF]
    }
    return answer
  }

  private func read(_ parameters: [UInt8]) -> [UInt8] {
    switch blockList(parameters, limit: greatestBlockCount.read) {
    case .failure(let status):
      return status.bytes
    case .success(let list):
      guard list.length == parameters.count else { return Status.of(.blockCount).bytes }
      var data: [UInt8] = [0x00, 0x00, UInt8(truncatingIfNeeded: list.blocks.count)]
      for block in list.blocks { data += memory[block.index] }
      return data
    }
  }

  private mutating func write(_ parameters: [UInt8]) -> [UInt8] {
    switch blockList(parameters, limit: greatestBlockCount.write) {
    case .failure(let status):
      return status.bytes
    case .success(let list):
      let data = Array(parameters[list.length...])
      guard data.count == list.blocks.count * 16 else { return Status.of(.blockCount).bytes }
      for (position, block) in list.blocks.enumerated() {
        // Services whose code ends with ..1001 are open for writing without a key.
        let isOpen = block.service & 0x003F == 0x0009
        let isSystemBlock = isLite && image.feliCaBlocks[block.index].number >= 0x80
        guard isOpen, !isSystemBlock else { return Status.of(.access, block: position).bytes }
      }
      for (position, block) in list.blocks.enumerated() {
        store(block.index, Array(data[(position * 16)..<(position * 16 + 16)]))
      }
      return [0x00, 0x00]
    }
  }

  // MARK: Block lists

  /// Both status flags of a refusal.
  struct Status: Error, Hashable {
    var bytes: [UInt8]
    /// FF for the whole list, else the bit of the block that is at fault.
    static func of(_ fault: Fault, block: Int? = nil) -> Status {
      Status(bytes: [block.map { 1 << UInt8($0 % 8) } ?? 0xFF, fault.rawValue])
    }
  }

  /// The blocks of a command, and how many bytes the lists take.
  struct BlockList {
    var blocks: [(index: Int, service: UInt16)]
    var length: Int
  }

  private func blockList(_ bytes: [UInt8], limit: Int) -> Result<BlockList, Status> {
    guard let serviceCount = bytes.first.map(Int.init), (1...16).contains(serviceCount),
      bytes.count > 1 + serviceCount * 2
    else { return .failure(.of(.serviceCount)) }
    let asked = (0..<serviceCount).map {
      UInt16(bytes[1 + $0 * 2]) | UInt16(bytes[2 + $0 * 2]) << 8
    }
    guard asked.allSatisfy({ services.contains($0) }) else { return .failure(.of(.noSuchService)) }
    var position = 1 + serviceCount * 2
    let count = Int(bytes[position])
    position += 1
    guard (1...limit).contains(count) else { return .failure(.of(.blockCount)) }
    var blocks: [(index: Int, service: UInt16)] = []
    for element in 0..<count {
      // Two bytes with bit 7 set, else three with a 16-bit number, low byte first.
      guard position + 1 < bytes.count else { return .failure(.of(.blockCount)) }
      let head = bytes[position]
      var number = UInt16(bytes[position + 1])
      position += 2
      if head & 0x80 == 0 {
        guard position < bytes.count else { return .failure(.of(.blockCount)) }
        number |= UInt16(bytes[position]) << 8
        position += 1
      }
      let order = Int(head & 0x0F)
      guard order < serviceCount else { return .failure(.of(.noSuchService, block: element)) }
      let service = asked[order]
      guard let index = index(of: number, in: service) else {
        return .failure(.of(.noSuchBlock, block: element))
      }
      blocks.append((index, service))
    }
    return .success(BlockList(blocks: blocks, length: position))
  }

  /// Services that differ in their attribute only share their blocks.
  private func index(of number: UInt16, in service: UInt16) -> Int? {
    image.feliCaBlocks.firstIndex {
      $0.number == number && $0.service >> 6 == service >> 6
    }
  }

  private static func bigEndian(_ code: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
  }
}
