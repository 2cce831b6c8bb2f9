import NFCProtocols

extension Type5Card {
  /// An answer, and whether it comes after the time of writing.
  typealias Answer = (bytes: [UInt8], isWrite: Bool)

  /// Request flags (ISO/IEC 15693-3 tables 3 to 5).
  enum Flag {
    static let inventory: UInt8 = 0x04
    static let protocolExtension: UInt8 = 0x08
    static let select: UInt8 = 0x10
    static let address: UInt8 = 0x20
    static let option: UInt8 = 0x40
    /// With the inventory flag: an AFI is there, and there is one slot only.
    static let afi: UInt8 = 0x10
    static let oneSlot: UInt8 = 0x20
  }

  /// Command codes (ISO/IEC 15693-3 table 10).
  enum Code {
    static let inventory: UInt8 = 0x01
    static let stayQuiet: UInt8 = 0x02
    static let readSingle: UInt8 = 0x20
    static let writeSingle: UInt8 = 0x21
    static let lockBlock: UInt8 = 0x22
    static let readMultiple: UInt8 = 0x23
    static let writeMultiple: UInt8 = 0x24
    static let select: UInt8 = 0x25
    static let resetToReady: UInt8 = 0x26
    static let writeAFI: UInt8 = 0x27
    static let lockAFI: UInt8 = 0x28
    static let writeDSFID: UInt8 = 0x29
    static let lockDSFID: UInt8 = 0x2A
    static let systemInformation: UInt8 = 0x2B
    static let securityStatus: UInt8 = 0x2C
  }

  /// Error codes (ISO/IEC 15693-3 table 9).
  enum Fault: UInt8 {
    case notSupported = 0x01
    case notRecognised = 0x02
    case optionNotSupported = 0x03
    case noSuchBlock = 0x10
    case alreadyLocked = 0x11
    case locked = 0x12
  }

  /// The answer to a request without its CRC, or `nil` for silence.
  mutating func respond(to request: [UInt8]) -> Answer? {
    guard request.count >= 2 else { return nil }
    let flags = request[0]
    let code = request[1]
    guard flags & Flag.protocolExtension == 0 else { return nil }
    if flags & Flag.inventory != 0 {
      guard code == Code.inventory else { return nil }
      return inventory(flags, Array(request[2...]))
    }
    var parameters = Array(request[2...])
    if flags & Flag.address != 0 {
      guard parameters.count >= 8 else { return nil }
      let isOwn = Array(parameters[0..<8].reversed()) == uid
      if !isOwn {
        if code == Code.select, state == .selected { enter(.ready) }
        return nil
      }
      parameters.removeFirst(8)
    } else if flags & Flag.select != 0 {
      guard state == .selected else { return nil }
    } else if state == .quiet {
      return nil
    }
    let answer = run(code, flags, parameters)
    if let answer, answer.isWrite, flags & Flag.option != 0, answer.bytes[0] == 0 {
      heldAnswer = answer.bytes
      return nil
    }
    return answer
  }

  private mutating func inventory(_ flags: UInt8, _ parameters: [UInt8]) -> Answer? {
    guard state != .quiet else { return nil }
    var rest = parameters[...]
    if flags & Flag.afi != 0 {
      guard let afi = rest.popFirst(), matches(afi) else { return nil }
    }
    guard let length = rest.popFirst().map(Int.init), length <= 64 else { return nil }
    let isOneSlot = flags & Flag.oneSlot != 0
    guard rest.count == (length + 7) / 8, isOneSlot || length <= 60 else { return nil }
    let mask = Array(rest)
    let sent = Array(uid.reversed())
    for index in 0..<length where bit(index, of: mask) != bit(index, of: sent) { return nil }
    if isOneSlot { return (inventoryAnswer, false) }
    var slot = 0
    for index in 0..<4 where bit(length + index, of: sent) { slot |= 1 << index }
    guard slot > 0 else { return (inventoryAnswer, false) }
    slotsToWait = slot
    return nil
  }

  /// AFI 00 means all; a zero in one half means all of that half (15693-3 table 2).
  private func matches(_ asked: UInt8) -> Bool {
    if asked == 0 { return true }
    let family = asked & 0xF0 == 0 || asked & 0xF0 == information.afi & 0xF0
    let sub = asked & 0x0F == 0 || asked & 0x0F == information.afi & 0x0F
    return family && sub
  }

  private func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
    bytes[index / 8] >> UInt8(index % 8) & 1 == 1
  }

  private mutating func run(_ code: UInt8, _ flags: UInt8, _ parameters: [UInt8]) -> Answer? {
    let hasOption = flags & Flag.option != 0
    switch (code, parameters.count) {
    case (Code.stayQuiet, 0):
      if flags & Flag.address != 0 { enter(.quiet) }
      return nil
    case (Code.select, 0) where flags & Flag.address != 0:
      enter(.selected)
      return done
    case (Code.resetToReady, 0):
      enter(.ready)
      return done
    case (Code.readSingle, 1):
      return read(from: Int(parameters[0]), count: 1, withStatus: hasOption)
    case (Code.readMultiple, 2):
      return read(
        from: Int(parameters[0]), count: Int(parameters[1]) + 1, withStatus: hasOption)
    case (Code.securityStatus, 2):
      return securityStatus(from: Int(parameters[0]), count: Int(parameters[1]) + 1)
    case (Code.systemInformation, 0):
      return systemInformation
    default:
      return runWriting(code, parameters)
    }
  }

  private mutating func runWriting(_ code: UInt8, _ parameters: [UInt8]) -> Answer? {
    let size = memory.unitSize
    switch (code, parameters.count) {
    case (Code.writeSingle, 1 + size):
      return write(from: Int(parameters[0]), Array(parameters[1...]))
    case (Code.writeMultiple, 3...):
      let count = Int(parameters[1]) + 1
      guard parameters.count == 2 + count * size else { return fault(.notRecognised) }
      return write(from: Int(parameters[0]), Array(parameters[2...]))
    case (Code.lockBlock, 1):
      let block = Int(parameters[0])
      guard block < memory.unitCount else { return fault(.noSuchBlock) }
      guard !information.lockedBlocks[block] else { return fault(.alreadyLocked) }
      lock(block)
      return written
    case (Code.writeAFI, 1):
      guard !information.isAFILocked else { return fault(.locked) }
      change { $0.afi = parameters[0] }
      return written
    case (Code.lockAFI, 0):
      guard !information.isAFILocked else { return fault(.alreadyLocked) }
      change { $0.isAFILocked = true }
      return written
    case (Code.writeDSFID, 1):
      guard !information.isDSFIDLocked else { return fault(.locked) }
      change { $0.dsfid = parameters[0] }
      return written
    case (Code.lockDSFID, 0):
      guard !information.isDSFIDLocked else { return fault(.alreadyLocked) }
      change { $0.isDSFIDLocked = true }
      return written
    case (Code.readSingle...Code.securityStatus, _):
      return fault(.notRecognised)
    default:
      return fault(.notSupported)
    }
  }

  // MARK: Blocks

  private func read(from first: Int, count: Int, withStatus: Bool) -> Answer {
    guard first + count <= memory.unitCount else { return fault(.noSuchBlock) }
    var bytes: [UInt8] = [0x00]
    for block in first..<(first + count) {
      if withStatus { bytes.append(information.lockedBlocks[block] ? 1 : 0) }
      bytes += memory[block]
    }
    return (bytes, false)
  }

  private func securityStatus(from first: Int, count: Int) -> Answer {
    guard first + count <= memory.unitCount else { return fault(.noSuchBlock) }
    let locks = information.lockedBlocks[first..<(first + count)]
    return ([0x00] + locks.map { $0 ? 1 : 0 }, false)
  }

  private mutating func write(from first: Int, _ content: [UInt8]) -> Answer {
    let size = memory.unitSize
    let blocks = first..<(first + content.count / size)
    guard blocks.upperBound <= memory.unitCount else { return fault(.noSuchBlock) }
    guard !blocks.contains(where: { information.lockedBlocks[$0] }) else { return fault(.locked) }
    for block in blocks {
      let start = (block - first) * size
      store(block, Array(content[start..<(start + size)]))
    }
    return written
  }

  /// GET SYSTEM INFORMATION: DSFID, AFI and memory size, and the IC reference where known.
  private var systemInformation: Answer {
    let hasReference = information.icReference != nil
    var bytes: [UInt8] = [0x00, hasReference ? 0x0F : 0x07]
    bytes += uid.reversed()
    bytes += [
      information.dsfid, information.afi, UInt8(truncatingIfNeeded: memory.unitCount - 1),
      UInt8(truncatingIfNeeded: memory.unitSize - 1),
    ]
    if let reference = information.icReference { bytes.append(reference) }
    return (bytes, false)
  }

  private var done: Answer { ([0x00], false) }
  private var written: Answer { ([0x00], true) }
  private func fault(_ fault: Fault) -> Answer { ([0x01, fault.rawValue], false) }
}
