import NFCProtocols

/// Taking leave of targets, taking them up again, and what came of work on the air.
extension ChipModel {
  // MARK: Release and select

  mutating func release(
    _ reference: TargetReference, forgets: Bool, at now: VirtualInstant,
    into outputs: inout [ChipOutput]
  ) {
    let meant = targets.filter { reference.number == 0 || $0.number == reference.number }
    if meant.isEmpty, reference.number != 0 {
      return respondToRelease(.notAcceptable, at: now, into: &outputs)
    }
    if forgets {
      targets.removeAll { reference.number == 0 || $0.number == reference.number }
    } else {
      for index in targets.indices
      where meant.contains(where: { $0.number == targets[index].number }) {
        targets[index].blocks?.abandon()
        targets[index].response = []
        targets[index].command = []
      }
    }
    registers[.status2] &= ~ChipRegisters.cryptoIsOn
    guard fieldIsOn, !meant.isEmpty else {
      return respondToRelease(.success, at: now, into: &outputs)
    }
    begin(Releasing(meant.map(\.activated)), at: now, into: &outputs)
  }

  /// An RC-S956 puts another byte in front of the status.
  private mutating func respondToRelease(
    _ status: ChipStatus, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard configuration.chip == .rcS956 else { return respond(status, at: now, into: &outputs) }
    respond([0x01, status.rawValue], at: now, into: &outputs)
  }

  mutating func select(
    _ reference: TargetReference, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let target = targets.first(where: { $0.number == reference.number }) else {
      return respond(.notAcceptable, at: now, into: &outputs)
    }
    // Only type A targets must be woken again by their identifier.
    guard case .typeA(let data) = target.activated.data, let uid = try? UID(data.uid) else {
      return respond(.success, at: now, into: &outputs)
    }
    registers.tune(to: .a, speedIndex: 0)
    begin(TypeAActivating(settings, uid: uid), at: now, into: &outputs)
  }

  // MARK: Speed and DEP

  mutating func changeSpeed(
    of reference: TargetReference, _ toTarget: UInt8, _ toInitiator: UInt8,
    at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let target = targets.first(where: { $0.number == reference.number }),
      let agreement = target.activated.blocks, agreement.parameters.technology == .a
    else { return respond(.notAcceptable, at: now, into: &outputs) }
    let fastest: UInt8 = configuration.chip == .pn533 ? 3 : 2
    guard toTarget <= fastest, toInitiator == toTarget else {
      return respond(status: 0x10, at: now, into: &outputs)
    }
    speedAsked = (reference.number, toTarget)
    begin(
      SpeedChange(
        PPS(divisors: PPS.Divisors(cardToReader: toInitiator, readerToCard: toTarget))),
      at: now, into: &outputs)
  }

  mutating func requestAttributes(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    guard !targets.isEmpty else { return respond(.notAcceptable, at: now, into: &outputs) }
    begin(
      VainSearch(radio.attributeTimeout.duration, status: ChipStatus.timeout.rawValue), at: now,
      into: &outputs)
  }

  /// Looks for a DEP target and finds none; in active mode with endless retries for ever.
  mutating func jump(
    _ parameters: JumpParameters, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard parameters.speed <= 2 else { return respondWithError(at: now, into: &outputs) }
    forgetTargets()
    var duration: Nanoseconds? = configuration.vainPassiveSearch
    if parameters.isActive {
      let once = radio.attributeTimeout.duration ?? Self.endless
      let isEndless = radio.attributeRetries == RadioSettings.endless
      duration = isEndless ? nil : once * (Int64(radio.attributeRetries) + 1)
    }
    begin(
      VainSearch(duration, status: ChipStatus.timeout.rawValue), at: now, into: &outputs)
  }

  // MARK: Results

  /// A procedure is over: the command at work gets its response.
  mutating func finish(
    _ result: AirResult, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    let code = CommandCode(rawValue: running?.code ?? 0)
    switch (result, code) {
    case (.targets(let found), .inSelect): selected(found.first, at: now, into: &outputs)
    case (.targets(let found), _): listed(found, at: now, into: &outputs)
    case (.autoPolled(let found), _): autoPolled(found, at: now, into: &outputs)
    case (.status(let status, _), .inDeselect), (.status(let status, _), .inRelease):
      respondToRelease(ChipStatus(rawValue: status), at: now, into: &outputs)
    case (.status(0, _), .inPSL):
      speedChanged()
      respond(.success, at: now, into: &outputs)
    case (.status(let status, let data), _):
      if code == .inDataExchange { authenticated(status == 0) }
      if status != 0, code != .diagnose { lastError = status }
      guard data.count <= configuration.chip.maximumBodyLength - 3 else {
        return respond(status: 0x09, at: now, into: &outputs)
      }
      respond([status] + data, at: now, into: &outputs)
    }
  }

  private mutating func authenticated(_ isOpen: Bool) {
    guard isAuthenticating else { return }
    isAuthenticating = false
    if isOpen {
      registers[.status2] |= ChipRegisters.cryptoIsOn
    } else {
      registers[.status2] &= ~ChipRegisters.cryptoIsOn
    }
  }

  private mutating func listed(
    _ found: [ActivatedTarget], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    hasPolledTypeA = true
    if found.isEmpty, configuration.resetsFieldAfterMiss {
      switchField(false, at: now, into: &outputs)
      switchField(true, at: now + configuration.fieldGuard, into: &outputs)
    }
    var content = [UInt8(truncatingIfNeeded: found.count)]
    for target in found {
      let number = add(target)
      PassiveTarget(number: number, data: target.data)
        .encode(on: configuration.chip, into: &content)
    }
    respondBounded(content, at: now, into: &outputs)
  }

  private mutating func autoPolled(
    _ found: [AutoPolledTarget], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    var content = [UInt8(truncatingIfNeeded: found.count)]
    for entry in found {
      let number = add(entry.target)
      var data: [UInt8] = []
      PassiveTarget(number: number, data: entry.target.data)
        .encode(on: configuration.chip, into: &data)
      content += [entry.type.rawValue, UInt8(truncatingIfNeeded: data.count)] + data
    }
    respondBounded(content, at: now, into: &outputs)
  }

  /// A card may say so much of itself that no response holds it: then it was not found.
  private mutating func respondBounded(
    _ content: [UInt8], at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard content.count <= configuration.chip.maximumBodyLength - 2 else {
      forgetTargets()
      return respond([0x00], at: now, into: &outputs)
    }
    respond(content, at: now, into: &outputs)
  }

  private mutating func selected(
    _ found: ActivatedTarget?, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard let found, let index = targets.firstIndex(where: { $0.activated.isSame(as: found) })
    else { return respond(.timeout, at: now, into: &outputs) }
    targets[index].activated = found
    targets[index].blocks = found.blocks.map(initiator)
    respond(.success, at: now, into: &outputs)
  }

  private mutating func speedChanged() {
    guard let (number, index) = speedAsked,
      let place = targets.firstIndex(where: { $0.number == number }),
      var agreement = targets[place].activated.blocks
    else { return }
    speedAsked = nil
    agreement.parameters.kilobitsPerSecond = 106 << UInt16(index)
    targets[place].activated.blocks = agreement
    targets[place].blocks = initiator(agreement)
  }

  private mutating func add(_ activated: ActivatedTarget) -> UInt8 {
    let number = UInt8(truncatingIfNeeded: targets.count + 1)
    targets.append(
      ChipTarget(number: number, activated: activated, blocks: activated.blocks.map(initiator)))
    return number
  }

  func initiator(_ agreement: BlockAgreement) -> IsoDepInitiator {
    IsoDepInitiator(
      agreement.parameters,
      timings: IsoDepTimings(
        agreement.waitingTime, waitingTimeMargin: configuration.waitingTimeMargin),
      recovery: configuration.recovery)
  }
}

extension ActivatedTarget {
  /// True if both are the same card; its ATS may differ from time to time.
  func isSame(as other: ActivatedTarget) -> Bool {
    guard case .typeA(let mine) = data, case .typeA(let theirs) = other.data else {
      return data == other.data
    }
    return mine.nfcid1 == theirs.nfcid1
  }
}
