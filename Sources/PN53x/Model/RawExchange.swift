import NFCProtocols

/// One frame and its answer under the settings of the registers: InCommunicateThru, and
/// InDataExchange with targets that have no protocol of their own.
struct RawExchange: AirProcedure {
  private let frame: RadioFrame
  private let limit: TimeLimit
  private let receiveTechnology: Technology
  private let expectsCRC: Bool
  private let checksParity: Bool
  private var retriesLeft: Int

  /// - Parameter lastBits: Bits of the last byte to send, where BitFraming does not say it.
  init(
    _ data: [UInt8], registers: ChipRegisters, lastBits: UInt8? = nil, limit: TimeLimit,
    retries: Int = 0
  ) {
    frame = Self.frame(data, registers, lastBits ?? registers.lastBitsToSend)
    receiveTechnology = registers.receiveTechnology
    expectsCRC = registers.expectsCRC
    checksParity = !registers.parityIsOff
    self.limit = limit
    retriesLeft = retries
  }

  private static func frame(
    _ data: [UInt8], _ registers: ChipRegisters, _ lastBits: UInt8
  ) -> RadioFrame {
    let technology = registers.sendTechnology
    if registers.sendsCRC, lastBits == 0 {
      return .protected(data, technology, kilobitsPerSecond: registers.sendSpeed)
    }
    let bits = lastBits == 0 ? 8 : lastBits
    // A host that adds the CRC itself sends the same frame as the chip would.
    let isProtected = bits == 8 && CRC16(of: technology).check(data)
    return RadioFrame(
      data, lastByteBits: bits, technology: technology,
      kilobitsPerSecond: registers.sendSpeed, crc: isProtected ? .good : .absent)
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready:
      return .exchange(frame, limit)
    case .silence:
      guard retriesLeft > 0 else { return .done(.status(ChipStatus.timeout.rawValue, [])) }
      retriesLeft -= 1
      return .exchange(frame, limit)
    case .answer(let answer):
      let (status, data) = read(answer)
      return .done(.status(status, data))
    }
  }

  private func read(_ answer: RadioFrame) -> (UInt8, [UInt8]) {
    if (answer.technology ?? receiveTechnology) != receiveTechnology {
      return (ChipStatus.timeout.rawValue, [])
    }
    if answer.isCollision { return (0x06, []) }
    guard expectsCRC else { return (0, answer.bytes) }
    switch ReceivedContent(answer, receiveTechnology) {
    case .good(let content): return (0, content)
    case .damaged: return (ChipStatus.crcError.rawValue, [])
    }
  }
}
