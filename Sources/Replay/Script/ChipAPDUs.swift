import NFCProtocols
import NFCTrace
import PN53x

/// Finds the APDUs that a host exchanges through a PN53x.
struct ChipAPDUs: Sendable {
  struct Found: Sendable {
    var apdu: [UInt8]?
    var startsSession = false
    var activation: RecordedActivation?
  }

  private var fromHost = HostFrameDecoder()
  private var fromChip = HostFrameDecoder()
  private var found: [HostFrameEvent] = []
  private var lastCommand: UInt8 = 0
  private var isBlockProtocol = false
  private var command: [UInt8] = []
  private var response: [UInt8] = []

  /// The bit of target number and status that tells of more to come, UM0701-02 7.3.8.
  private static let moreInformation: UInt8 = 0x40

  mutating func take(_ transfer: LinkTransfer) -> [Found] {
    guard transfer.payload == .pn53x else { return [] }
    found.removeAll(keepingCapacity: true)
    switch transfer.direction {
    case .outbound: fromHost.decode(transfer.bytes, into: &found)
    case .inbound: fromChip.decode(transfer.bytes, into: &found)
    }
    return found.compactMap { event in
      guard case .frame(.information(let body, _)) = event, body.count >= 2 else { return nil }
      return transfer.direction == .outbound ? commandComes(body) : answerComes(body)
    }
  }

  private mutating func commandComes(_ body: [UInt8]) -> Found? {
    guard body[0] == HostFrame.hostToChip else { return nil }
    lastCommand = body[1]
    guard body[1] == CommandCode.inDataExchange.rawValue, body.count >= 3, isBlockProtocol else {
      return nil
    }
    response = []
    command += body[3...]
    if body[2] & Self.moreInformation != 0 || command.isEmpty { return nil }
    defer { command = [] }
    return Found(apdu: command)
  }

  private mutating func answerComes(_ body: [UInt8]) -> Found? {
    guard body[0] == HostFrame.chipToHost, body[1] == lastCommand &+ 1 else { return nil }
    switch CommandCode(rawValue: lastCommand) {
    case .inListPassiveTarget: return target(body)
    case .inDataExchange where isBlockProtocol && body.count > 3 && body[2] & 0x3F == 0:
      response += body[3...]
      if body[2] & Self.moreInformation != 0 { return nil }
      defer { response = [] }
      return Found(apdu: response)
    default: return nil
    }
  }

  /// `D5 4B NbTg Tg SENS_RES(2) SEL_RES NFCIDLength NFCID ATS`: UM0701-02 7.3.5, 106 kbit/s type A.
  private mutating func target(_ body: [UInt8]) -> Found? {
    isBlockProtocol = false
    guard body.count >= 8, body[2] >= 1, body[6] & 0x20 != 0 else { return nil }
    let end = 8 + Int(body[7])
    guard end <= body.count else { return nil }
    isBlockProtocol = true
    var activation = RecordedActivation()
    // SENS_RES stands with its high byte first, the other way round than on the air.
    activation.atqa = [body[5], body[4]]
    activation.sak = body[6]
    activation.uid = Array(body[8..<end])
    if end < body.count {
      let length = Int(body[end])
      if length >= 1, end + length <= body.count {
        activation.ats = Array(body[end..<end + length])
      }
    }
    return Found(apdu: nil, startsSession: true, activation: activation)
  }
}
