import NFCProtocols

/// The commands of an initiator.
extension ChipModel {
  // MARK: Finding targets

  mutating func listTargets(
    _ maximum: UInt8, _ modulation: PassiveModulation, _ data: [UInt8], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard (1...configuration.chip.maximumTargets).contains(Int(maximum)),
      configuration.chip.allows(modulation)
    else { return respond(error: true, at: now, into: &outputs) }
    forgetTargets(into: &outputs)
    switch modulation {
    case .typeA106:
      guard let uid = Self.requestedUID(data) else {
        return respond(error: true, at: now, into: &outputs)
      }
      registers.tune(to: .a, speedIndex: 0)
      begin(
        TargetListing(
          .typeA(TypeAActivating(settings(), uid: uid)), tries: tries,
          tryTime: configuration.pollingTimes.typeA),
        at: now, into: &outputs)
    default:
      respond([0x00], at: now, into: &outputs)
    }
  }

  private var tries: Int? {
    radio.activationRetries == 0xFF ? nil : Int(radio.activationRetries) + 1
  }

  private func settings() -> ActivationSettings {
    ActivationSettings(
      automaticRATS: flags.contains(.automaticRATS),
      frameSizeIndex: configuration.frameSizeIndex, cid: configuration.chip == .pn532 ? 1 : 0,
      wakesUp: hasPolledTypeA,
      requestLimit: TimeLimit(.frameDelayTime, ProtocolTiming.requestGuard))
  }

  /// The UID that the host wants: nothing, 4 bytes, or 7 or 10 with cascade tags.
  ///
  /// - Returns: `nil` if the data is no UID, an empty optional if there is none.
  private static func requestedUID(_ data: [UInt8]) -> UID?? {
    switch data.count {
    case 0: return .some(nil)
    case 4, 7, 10: return (try? UID(data)).map { .some($0) }
    case 8 where data[0] == UID.cascadeTag: return (try? UID(data[1...])).map { .some($0) }
    case 12 where data[0] == UID.cascadeTag && data[4] == UID.cascadeTag:
      return (try? UID(data[1..<4] + data[5...])).map { .some($0) }
    default: return nil
    }
  }

  mutating func forgetTargets(into outputs: inout [ChipOutput]) {
    targets = []
    registers[.status2] &= ~0x08
  }

  // MARK: Results

  mutating func finish(
    _ result: AirResult, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch result {
    case .targets(let found) where running?.code == CommandCode.inSelect.rawValue:
      selected(found.first, at: now, into: &outputs)
    case .targets(let found):
      hasPolledTypeA = true
      var content = [UInt8(truncatingIfNeeded: found.count)]
      for target in found {
        let number = UInt8(truncatingIfNeeded: targets.count + 1)
        add(target, number: number)
        PassiveTarget(number: number, data: target.data)
          .encode(on: configuration.chip, into: &content)
      }
      respond(content, at: now, into: &outputs)
    case .autoPolled:
      respond([0x00], at: now, into: &outputs)
    case .status(let status, let data):
      respond([status] + data, at: now, into: &outputs)
    }
  }

  private mutating func selected(
    _ found: ActivatedTarget?, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let found, let index = targets.firstIndex(where: { $0.activated.data == found.data })
    else { return respond(status: ChipStatus.timeout.rawValue, at: now, into: &outputs) }
    targets[index].blocks = found.blocks.map(initiator)
    respond(status: 0, at: now, into: &outputs)
  }

  private mutating func add(_ activated: ActivatedTarget, number: UInt8) {
    targets.append(
      ChipTarget(number: number, activated: activated, blocks: activated.blocks.map(initiator)))
  }

  func initiator(_ agreement: BlockAgreement) -> IsoDepInitiator {
    IsoDepInitiator(
      agreement.parameters,
      timings: IsoDepTimings(
        agreement.waitingTime, waitingTimeMargin: configuration.waitingTimeMargin),
      recovery: configuration.recovery)
  }

  // MARK: Exchanges

  mutating func communicate(
    _ data: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    begin(
      RawExchange(data, registers: registers, limit: exchangeLimit, retries: 0), at: now,
      into: &outputs)
  }

  /// The limit of raw exchanges and of those with MIFARE and FeliCa: RFConfiguration item 02.
  var exchangeLimit: TimeLimit {
    TimeLimit(.application, radio.retryTimeout.duration ?? Self.endless)
  }

  mutating func exchange(
    _ reference: TargetReference, _ data: [UInt8], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard let index = targets.firstIndex(where: { $0.number == reference.number }) else {
      return respond(status: ChipStatus.notAcceptable.rawValue, at: now, into: &outputs)
    }
    if data.isEmpty, !targets[index].response.isEmpty {
      return respondWithPart(index, at: now, into: &outputs)
    }
    targets[index].response = []
    guard targets[index].command.count + data.count <= Self.maximumExchangeBytes else {
      targets[index].command = []
      return respond(status: 0x0E, at: now, into: &outputs)
    }
    if reference.hasMoreInformation {
      targets[index].command += data
      return respond(status: 0, at: now, into: &outputs)
    }
    if targets[index].blocks != nil {
      targets[index].command += data
      return begin(.exchange(target: index), at: now, into: &outputs)
    }
    let whole = targets[index].command + data
    targets[index].command = []
    begin(
      RawExchange(
        whole, registers: registers, limit: exchangeLimit,
        retries: Int(radio.communicationRetries)),
      at: now, into: &outputs)
  }

  /// The longest command that parts with MI may add up to: that of any card (ISO/IEC 7816-4 5.1).
  static let maximumExchangeBytes = IsoDepTarget.maximumCommandBytes

  // MARK: Release and select

  mutating func release(
    _ reference: TargetReference, forgets: Bool, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    if reference.number != 0, !targets.contains(where: { $0.number == reference.number }) {
      return respond(status: ChipStatus.notAcceptable.rawValue, at: now, into: &outputs)
    }
    let left = targets.filter { reference.number == 0 || $0.number == reference.number }
    if forgets {
      targets.removeAll { reference.number == 0 || $0.number == reference.number }
    }
    guard fieldIsOn, !left.isEmpty else {
      return respond(status: 0, at: now, into: &outputs)
    }
    begin(Releasing(left.map(\.activated)), at: now, into: &outputs)
  }

  mutating func select(
    _ reference: TargetReference, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let target = targets.first(where: { $0.number == reference.number }) else {
      return respond(status: ChipStatus.notAcceptable.rawValue, at: now, into: &outputs)
    }
    guard case .typeA(let data) = target.activated.data, let uid = try? UID(data.nfcid1) else {
      return respond(status: 0, at: now, into: &outputs)
    }
    registers.tune(to: .a, speedIndex: 0)
    begin(TypeAActivating(settings(), uid: uid), at: now, into: &outputs)
  }
}
