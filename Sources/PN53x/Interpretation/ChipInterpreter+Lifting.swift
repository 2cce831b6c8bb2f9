import NFCProtocols

extension ChipInterpreter {
  mutating func lift(_ command: Command) -> LiftedContent {
    switch command {
    case .inDataExchange(let reference, let data):
      return exchange(reference, data)
    case .inCommunicateThru(let data):
      guard !data.isEmpty else { return .nothing }
      return radio(.outbound, data, targets.last?.technology ?? .a)
    case .tgResponseToInitiator(let data):
      return radio(.inbound, data, targetTechnology)
    case .tgSetData(let data) where isCardEmulation:
      inboundPieces.append(contentsOf: data)
      return takeInbound()
    case .tgSetMetaData(let data) where isCardEmulation:
      if inboundPieces.count < Self.maximumJoinedLength {
        inboundPieces.append(contentsOf: data)
      }
      return .nothing
    case .rfConfiguration(.field(let isOn, _)):
      return .field(isOn: isOn)
    default:
      return .nothing
    }
  }

  /// InDataExchange towards a card: an APDU with ISO-DEP, else a command of the card.
  private mutating func exchange(
    _ reference: TargetReference, _ data: [UInt8]
  ) -> LiftedContent {
    let target = targets.first { $0.number == reference.number }
    guard target?.isISODEP ?? false else {
      // The key and UID of an authentication are for the chip and not sent as they are.
      if data.count == 12, data[0] == 0x60 || data[0] == 0x61 { return .nothing }
      return data.isEmpty ? .nothing : radio(.outbound, data, target?.technology ?? .a)
    }
    guard outboundPieces.count + data.count <= Self.maximumJoinedLength else {
      outboundPieces.removeAll()
      return .nothing
    }
    outboundPieces.append(contentsOf: data)
    // With no data the host fetches the next part of an answer.
    guard !reference.hasMoreInformation, !outboundPieces.isEmpty else { return .nothing }
    defer { outboundPieces.removeAll(keepingCapacity: true) }
    return .apdu(.outbound, outboundPieces)
  }

  mutating func lift(_ response: Response, of command: Command) -> LiftedContent {
    switch response {
    case .passiveTargets(let found): return activated(found)
    case .autoPolled(let entries):
      return activated(entries.compactMap { try? $0.target(on: chip) })
    case .data(let code, let status, let data):
      return lift(code, status, data, of: command)
    case .activated(let mode, let initiatorCommand):
      isCardEmulation = mode.isCard && chip == .pn532
      targetTechnology = mode.framing == 0 ? .a : .f
      outboundPieces.removeAll(keepingCapacity: true)
      inboundPieces.removeAll(keepingCapacity: true)
      return initiatorCommand.isEmpty
        ? .nothing : radio(.outbound, initiatorCommand, targetTechnology)
    case .status(let code, _, _):
      if code == .inRelease || code == .inDeselect { outboundPieces.removeAll() }
      return .nothing
    default: return .nothing
    }
  }

  private mutating func lift(
    _ code: CommandCode, _ status: StatusByte, _ data: [UInt8], of command: Command
  ) -> LiftedContent {
    guard status.status == .success else {
      inboundPieces.removeAll(keepingCapacity: true)
      return .nothing
    }
    switch (code, command) {
    case (.inDataExchange, .inDataExchange(let reference, let sent)):
      let target = targets.first { $0.number == reference.number }
      if target?.isISODEP ?? false {
        guard !reference.hasMoreInformation else { return .nothing }
        if inboundPieces.count <= Self.maximumJoinedLength {
          inboundPieces.append(contentsOf: data)
        }
        return status.hasMoreInformation ? .nothing : takeInbound()
      }
      if sent.count == 12, sent[0] == 0x60 || sent[0] == 0x61 { return .nothing }
      return data.isEmpty ? .nothing : radio(.inbound, data, target?.technology ?? .a)
    case (.inCommunicateThru, _):
      return data.isEmpty ? .nothing : radio(.inbound, data, targets.last?.technology ?? .a)
    case (.tgGetInitiatorCommand, _):
      return data.isEmpty ? .nothing : radio(.outbound, data, targetTechnology)
    case (.tgGetData, _) where isCardEmulation:
      outboundPieces.append(contentsOf: data)
      guard !status.hasMoreInformation, !outboundPieces.isEmpty else { return .nothing }
      defer { outboundPieces.removeAll(keepingCapacity: true) }
      return .apdu(.outbound, outboundPieces)
    default: return .nothing
    }
  }

  private mutating func takeInbound() -> LiftedContent {
    defer { inboundPieces.removeAll(keepingCapacity: true) }
    return inboundPieces.isEmpty ? .nothing : .apdu(.inbound, inboundPieces)
  }

  private func radio(
    _ direction: Direction, _ data: [UInt8], _ technology: Technology
  ) -> LiftedContent {
    .radio(direction, RadioFrame(data, technology: technology, crc: .notCaptured))
  }

  private mutating func activated(_ found: [PassiveTarget]) -> LiftedContent {
    targets = found.map { target in
      switch target.data {
      case .typeA(let data):
        KnownTarget(number: target.number, technology: .a, isISODEP: data.ats != nil)
      case .typeB: KnownTarget(number: target.number, technology: .b, isISODEP: true)
      case .feliCa: KnownTarget(number: target.number, technology: .f, isISODEP: false)
      case .jewel: KnownTarget(number: target.number, technology: .a, isISODEP: false)
      }
    }
    outboundPieces.removeAll(keepingCapacity: true)
    inboundPieces.removeAll(keepingCapacity: true)
    guard let first = found.first, let known = targets.first else { return .nothing }
    var sak: UInt8?
    if case .typeA(let data) = first.data { sak = data.selRes }
    return .activation(known.technology, sak: sak, isISODEP: known.isISODEP)
  }
}
