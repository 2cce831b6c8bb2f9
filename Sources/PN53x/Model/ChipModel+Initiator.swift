import NFCProtocols

/// Finding targets and exchanging data with them.
extension ChipModel {
  // MARK: Finding

  /// Quirk: firmware-notes/pn53x/endless-poll.md.
  mutating func listTargets(
    _ maximum: UInt8, _ modulation: PassiveModulation, _ data: [UInt8], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard (1...configuration.chip.maximumTargets).contains(Int(maximum)),
      configuration.chip.allows(modulation), let activation = activation(of: modulation, data)
    else { return respondWithError(at: now, into: &outputs) }
    forgetTargets()
    tune(to: modulation)
    begin(
      TargetListing(
        activation, tries: radio.activationTries, tryTime: tryTime(of: modulation)),
      at: now, into: &outputs)
  }

  mutating func autoPoll(
    _ rounds: UInt8, _ period: UInt8, _ types: [AutoPollType], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard rounds >= 1, (0x01...0x0F).contains(period) else {
      return respondWithError(at: now, into: &outputs)
    }
    forgetTargets()
    let endless = rounds == RadioSettings.endless
    begin(
      AutoPolling(types, rounds: endless ? nil : Int(rounds), period: period, settings),
      at: now, into: &outputs)
    hasPolledTypeA = true
  }

  private func activation(
    of modulation: PassiveModulation, _ data: [UInt8]
  ) -> TargetActivation? {
    switch modulation {
    case .typeA106:
      guard let uid = Self.requestedUID(data) else { return nil }
      return .typeA(TypeAActivating(settings, uid: uid))
    case .feliCa212, .feliCa424:
      guard data.count == 5 else { return nil }
      return .feliCa(FeliCaActivating(data, modulation: modulation))
    case .typeB106, .typeB212, .typeB424, .typeB848:
      guard let afi = data.first, data.count <= 2 else { return nil }
      return .typeB(TypeBActivating(settings, afi: afi, modulation: modulation))
    case .jewel106:
      guard data.isEmpty else { return nil }
      return .jewel(JewelActivating(requestLimit: settings.requestLimit))
    case .barcode106: return nil
    }
  }

  /// The UID that the host wants: nothing, 4 bytes, or 7 or 10 with or without cascade tags.
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

  var settings: ActivationSettings {
    ActivationSettings(
      automaticRATS: flags.contains(.automaticRATS),
      frameSizeIndex: configuration.frameSizeIndex, cid: configuration.chip == .pn532 ? 1 : 0,
      wakesUp: hasPolledTypeA,
      requestLimit: TimeLimit(.frameDelayTime, configuration.requestLimit),
      keepsCascadeTags: configuration.chip == .pn531)
  }

  private func tryTime(of modulation: PassiveModulation) -> Nanoseconds {
    switch modulation {
    case .typeA106, .jewel106, .barcode106: configuration.pollingTimes.typeA
    case .typeB106, .typeB212, .typeB424, .typeB848: configuration.pollingTimes.typeB
    case .feliCa212: configuration.pollingTimes.feliCa212
    case .feliCa424: configuration.pollingTimes.feliCa424
    }
  }

  private mutating func tune(to modulation: PassiveModulation) {
    switch modulation {
    case .typeA106, .jewel106, .barcode106:
      registers.tune(to: .a, speedIndex: 0)
      registers.set(analogue.typeA, at: AnalogueSettings.typeARegisters)
    case .typeB106, .typeB212, .typeB424, .typeB848:
      registers.tune(to: .b, speedIndex: 0)
      registers.set(analogue.typeB, at: AnalogueSettings.typeBRegisters)
    case .feliCa212, .feliCa424:
      registers.tune(to: .f, speedIndex: modulation == .feliCa212 ? 1 : 2)
      registers.set(analogue.feliCa, at: AnalogueSettings.feliCaRegisters)
    }
  }

  mutating func forgetTargets() {
    targets = []
    registers[.status2] &= ~ChipRegisters.cryptoIsOn
  }

  // MARK: Exchanging

  /// Quirk: firmware-notes/pn53x/raw-frames-by-register.md.
  mutating func communicate(
    _ data: [UInt8], lastBits: UInt8? = nil, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    registers.setTimer(radio.retryTimeout)
    begin(
      RawExchange(data, registers: registers, lastBits: lastBits, limit: exchangeLimit), at: now,
      into: &outputs)
  }

  /// The limit of raw exchanges and of those with MIFARE and FeliCa: RFConfiguration item 02.
  var exchangeLimit: TimeLimit {
    TimeLimit(.application, radio.retryTimeout.duration ?? Self.endless)
  }

  /// Quirk: firmware-notes/pn53x/removed-card-stays-listed.md.
  mutating func exchange(
    _ reference: TargetReference, _ data: [UInt8], at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    guard let index = targets.firstIndex(where: { $0.number == reference.number }) else {
      return respond(.notAcceptable, at: now, into: &outputs)
    }
    // Node addresses are not modelled.
    guard !reference.hasNodeAddress else { return respond(status: 0x10, at: now, into: &outputs) }
    if data.isEmpty, !targets[index].response.isEmpty {
      return respondWithPart(index, at: now, into: &outputs)
    }
    targets[index].response = []
    guard targets[index].command.count + data.count <= Self.maximumExchangeBytes else {
      targets[index].command = []
      return respond(status: 0x0E, at: now, into: &outputs)
    }
    targets[index].command += data
    if reference.hasMoreInformation { return respond(.success, at: now, into: &outputs) }
    if targets[index].blocks != nil {
      return begin(.exchange(target: index), at: now, into: &outputs)
    }
    let command = targets[index].command
    targets[index].command = []
    let procedure = frameExchange(command, with: targets[index].activated)
    isAuthenticating = (procedure as? MifareExchange)?.isAuthentication == true
    begin(procedure, at: now, into: &outputs)
  }

  /// The longest command that parts with MI may add up to: that of any card (ISO/IEC 7816-4 5.1).
  static let maximumExchangeBytes = IsoDepTarget.maximumCommandBytes

  /// The exchange with a target that has no protocol of its own.
  private func frameExchange(
    _ command: [UInt8], with target: ActivatedTarget
  ) -> any AirProcedure {
    let retries = Int(radio.communicationRetries)
    guard case .typeA = target.data else {
      var tuned = registers
      let technology: Technology = if case .feliCa = target.data { .f } else { .a }
      tuned.tune(to: technology, speedIndex: target.speedIndex)
      return RawExchange(command, registers: tuned, limit: exchangeLimit, retries: retries)
    }
    return MifareExchange(
      command, limit: exchangeLimit, retries: retries,
      refusal: configuration.negativeAcknowledgeStatus)
  }
}
