import NFCProtocols

/// InDataExchange with a type A target without ISO-DEP: MIFARE commands by name, all else as it is.
///
/// Commands of two steps (write, value operations) come from the host in one piece, and
/// authentication brings key and UID with it. The cipher is not on the air here: a card model
/// takes the whole command. Quirk: firmware-notes/pn53x/mifare-by-command.md.
struct MifareExchange: AirProcedure {
  /// The codes of MIFARE commands (MF1S50 table 9, MF0ICU1 table 4).
  private enum Code {
    static let authenticateA: UInt8 = 0x60
    static let authenticateB: UInt8 = 0x61
    static let compatibilityWrite: UInt8 = 0xA0
    static let writePage: UInt8 = 0xA2
    static let transfer: UInt8 = 0xB0
    static let decrement: UInt8 = 0xC0
    static let increment: UInt8 = 0xC1
    static let restore: UInt8 = 0xC2
  }

  private enum Kind: Hashable, Sendable {
    /// Data comes back.
    case plain
    /// A 4-bit ACK comes back.
    case acknowledged
    /// A 4-bit ACK comes back if the key is right.
    case authentication
    /// A 4-bit ACK, then the rest of the command, then a 4-bit ACK.
    case twoSteps
    /// A 4-bit ACK, then the rest of the command, then nothing unless it failed.
    case value
  }

  private let kind: Kind
  private let limit: TimeLimit
  private let refusal: UInt8
  private var parts: [[UInt8]]
  private var position = 0
  private var retriesLeft: Int

  /// The value of the 4 bits that say yes.
  private static let acknowledge: UInt8 = 0x0A

  init(_ data: [UInt8], limit: TimeLimit, retries: Int, refusal: UInt8) {
    self.limit = limit
    self.refusal = refusal
    retriesLeft = retries
    parts = [data]
    switch (data.first, data.count) {
    case (Code.authenticateA, 12), (Code.authenticateB, 12):
      kind = .authentication
    case (Code.compatibilityWrite, 18):
      kind = .twoSteps
      parts = [Array(data[..<2]), Array(data[2...])]
    case (Code.decrement, 6), (Code.increment, 6), (Code.restore, 6):
      kind = .value
      parts = [Array(data[..<2]), Array(data[2...])]
    case (Code.writePage, 6), (Code.transfer, 2):
      kind = .acknowledged
    default:
      kind = .plain
    }
  }

  /// True if the command opens a sector.
  var isAuthentication: Bool { kind == .authentication }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready: return send()
    case .silence: return silence()
    case .answer(let frame): return answered(frame)
    }
  }

  private func send() -> AirMove {
    .exchange(.protected(parts[position], .a, kilobitsPerSecond: 106), limit)
  }

  private mutating func silence() -> AirMove {
    switch kind {
    case .authentication: return .done(.status(ChipStatus.authenticationError.rawValue, []))
    case .value where position == 1: return .done(.status(0, []))
    default:
      guard retriesLeft > 0 else { return .done(.status(ChipStatus.timeout.rawValue, [])) }
      retriesLeft -= 1
      return send()
    }
  }

  private mutating func answered(_ frame: RadioFrame) -> AirMove {
    if frame.isCollision { return .done(.status(0x06, [])) }
    if frame.lastByteBits == 4, frame.bytes.count == 1 {
      return answered(isYes: frame.bytes[0] & 0x0F == Self.acknowledge)
    }
    guard case .good(let content) = ReceivedContent(frame, .a) else {
      return .done(.status(ChipStatus.crcError.rawValue, []))
    }
    return .done(.status(0, content))
  }

  private mutating func answered(isYes: Bool) -> AirMove {
    guard isYes, kind != .plain else { return .done(.status(refusal, [])) }
    position += 1
    return position < parts.count ? send() : .done(.status(0, []))
  }
}
