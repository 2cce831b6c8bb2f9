import PN53x

/// The slot of an ACR122U: what its messages ask for, and what is known of the card.
struct ACR122Slot {
  /// True after IccPowerOn found a card.
  private var isPowered = false
  private var target: TypeATarget?

  /// bmICCStatus in bStatus (USB CCID 1.1, 6.2.6): present and active.
  private static let active: UInt8 = 0
  /// Present and inactive.
  private static let inactive: UInt8 = 1
  /// No card, and the command failed.
  private static let failedWithoutCard: UInt8 = 0x42
  /// bError of a card that does not answer: ICC_MUTE (USB CCID 1.1, table 6.2-2).
  private static let mute: UInt8 = 0xFE
  /// GetParameters, ResetParameters, SetParameters and their answer.
  private static let parameterRequests: [UInt8] = [0x61, 0x6C, 0x6D]
  private static let parametersType = CCIDMessage.MessageType(rawValue: 0x82)

  /// What a message leads to.
  enum Step {
    case reply(ACR122Answer)
    /// A command for the chip, from the TFI on.
    case command([UInt8], ACR122Work.Kind)
  }

  private var status: UInt8 { isPowered ? Self.active : Self.inactive }

  /// Begins to work on a message.
  mutating func begin(_ message: CCIDMessage) -> Step {
    switch message.type {
    case .powerOn:
      // InListPassiveTarget: one target, 106 kbit/s type A.
      return .command([HostFrame.hostToChip, 0x4A, 0x01, 0x00], .powerOn)
    case .powerOff:
      isPowered = false
      return .reply(ACR122Answer(type: .slotStatus, parameters: .init(Self.inactive)))
    case .getSlotStatus:
      return .reply(ACR122Answer(type: .slotStatus, parameters: .init(status)))
    case .transferBlock, .escape: return begin(message.data, message.type)
    case let type where Self.parameterRequests.contains(type.rawValue):
      // Protocol T=1 with the values after a reset (USB CCID 1.1, 6.1.7).
      return .reply(
        ACR122Answer(
          type: Self.parametersType, data: [0x11, 0x10, 0x00, 0x4D, 0x00, 0xFE, 0x00],
          parameters: .init(status, 0, 1)))
    default:
      // Failed; bError 0 is "command not supported".
      return .reply(ACR122Answer(type: .slotStatus, parameters: .init(0x40 | status)))
    }
  }

  private func begin(_ data: [UInt8], _ type: CCIDMessage.MessageType) -> Step {
    let answerType: CCIDMessage.MessageType = type == .escape ? .escapeAnswer : .dataBlock
    func reply(_ data: [UInt8]) -> Step {
      .reply(ACR122Answer(type: answerType, data: data, parameters: .init(status)))
    }
    switch ACR122Envelope.Request(data) {
    case .body(let body): return .command(body, .body)
    // The version comes without a status word.
    case .getVersion: return reply(Array("ACR122U207".utf8))
    case .setPollingParameter(let value): return reply([0x90, value])
    case .setTimeout, .setLights, .setBuzzer: return reply([0x90, 0x00])
    // Nothing waits to be fetched: answers are not cut.
    case .getResponse: return reply([0x63, 0x00])
    case .other(let apdu):
      // The polling parameter, read.
      if apdu.count == 5, apdu[..<3] == [0xFF, 0x00, 0x50] { return reply([0x90, 0xFF]) }
      // GET DATA of PC/SC part 3: the UID.
      if apdu.count == 5, apdu[..<2] == [0xFF, 0xCA] {
        guard apdu[2] == 0, isPowered, let target else { return reply([0x63, 0x00]) }
        return reply(target.uid + [0x90, 0x00])
      }
      guard isPowered else { return reply([0x63, 0x00]) }
      return .command([HostFrame.hostToChip, 0x40, 0x01] + apdu, .apdu)
    }
  }

  /// What the host gets once the chip has answered, or has not (`nil`).
  mutating func answer(_ work: ACR122Work, with body: [UInt8]?) -> ACR122Answer {
    if let body, work.listsTypeA { note(body) }
    switch work.kind {
    case .powerOn: return poweredOn(body)
    case .apdu: return apduAnswer(work.message, body)
    case .body:
      let type: CCIDMessage.MessageType =
        work.message.type == .escape ? .escapeAnswer : .dataBlock
      let data: [UInt8] =
        switch body {
        case nil: [0x63, 0x00]
        case [HostFrame.errorIdentifier]?: [0x63, 0x7F]
        case let body?: body + [0x90, 0x00]
        }
      return ACR122Answer(type: type, data: data, parameters: .init(status))
    }
  }

  /// Keeps what InListPassiveTarget tells of a card.
  private mutating func note(_ body: [UInt8]) {
    target = nil
    let command = Command.inListPassiveTarget(maximum: 1, .typeA106, initiatorData: [])
    guard
      case .passiveTargets(let found)? = try? Response(body: body, to: command, from: .pn532),
      case .typeA(let target)? = found.first?.data
    else { return }
    self.target = target
  }

  private mutating func poweredOn(_ body: [UInt8]?) -> ACR122Answer {
    guard body != nil, let target else {
      isPowered = false
      return ACR122Answer(
        type: .dataBlock, parameters: .init(Self.failedWithoutCard, Self.mute))
    }
    isPowered = true
    return ACR122Answer(type: .dataBlock, data: ContactlessATR(target).bytes)
  }

  private func apduAnswer(_ message: CCIDMessage, _ body: [UInt8]?) -> ACR122Answer {
    guard let body, body.count >= 3, body[2] & 0x3F == 0 else {
      // Empty block: the card is mute (libnfc issue 284).
      return ACR122Answer(type: .dataBlock, parameters: .init(status, Self.mute))
    }
    return ACR122Answer(type: .dataBlock, data: Array(body[3...]), parameters: .init(status))
  }
}

/// The ATR that stands for a contactless card (PC/SC part 3, 3.1.3.2.3).
struct ContactlessATR {
  let bytes: [UInt8]

  init(_ target: TypeATarget) {
    let historical: [UInt8] =
      if let ats = target.ats {
        ContactlessATR.historicalBytes(of: ats)
      } else {
        // Registered application provider, ISO/IEC 14443-3 A, name of the card.
        [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03] + ContactlessATR.name(target)
          + [0, 0, 0, 0]
      }
    var atr: [UInt8] = [0x3B, 0x80 | UInt8(historical.count), 0x80, 0x01] + historical
    atr.append(atr.dropFirst().reduce(0, ^))
    bytes = atr
  }

  /// TL, T0, the interface bytes that T0 announces, then at most 15 historical bytes.
  private static func historicalBytes(of ats: [UInt8]) -> [UInt8] {
    guard ats.count > 1 else { return [] }
    let interfaceBytes = [0x10, 0x20, 0x40].count { ats[1] & $0 != 0 }
    return Array(ats.dropFirst(2 + interfaceBytes).prefix(15))
  }

  private static func name(_ target: TypeATarget) -> [UInt8] {
    switch target.selRes {
    case 0x08: [0x00, 0x01]
    case 0x18: [0x00, 0x02]
    case 0x00: [0x00, 0x03]
    default: [0xFF, target.selRes]
    }
  }
}
