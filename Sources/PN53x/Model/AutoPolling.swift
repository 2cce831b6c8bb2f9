import NFCProtocols

/// InAutoPoll on the air: one kind after the other, round after round, until something is found.
struct AutoPolling: AirProcedure {
  private let types: [AutoPollType]
  private let settings: ActivationSettings
  /// Rounds left, the present one included; `nil` for ever.
  private var roundsLeft: Int?
  private let period: Nanoseconds
  private var position = 0
  private var activation: TargetActivation?
  private var start = VirtualInstant.start
  private var isPausing = false
  private var isSecondTry = false
  private var hasCalledTypeA: Bool

  /// The unit of the period: 150 ms, and each kind has a period of its own.
  static let periodUnit = Nanoseconds.milliseconds(150)
  /// The polling request for FeliCa: all systems, no system code wanted, one slot.
  private static let feliCaRequest: [UInt8] = [0x00, 0xFF, 0xFF, 0x00, 0x00]

  init(_ types: [AutoPollType], rounds: Int?, period: UInt8, _ settings: ActivationSettings) {
    precondition(!types.isEmpty, "InAutoPoll looks for at least one kind")
    self.types = types
    self.settings = settings
    roundsLeft = rounds
    self.period = Self.periodUnit * Int64(period)
    hasCalledTypeA = settings.wakesUp
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    if isPausing, event == .ready {
      isPausing = false
      return nextKind(at: now)
    }
    if activation == nil { return beginKind(at: now) }
    guard let move = activation?.next(event, at: now) else { return beginKind(at: now) }
    guard case .done(.targets(let found)) = move else { return move }
    // The search for Jewel leaves other cards half way: the first WUPA sends them back to IDLE.
    if found.isEmpty, !isSecondTry, types[position].modulation == .typeA106 {
      isSecondTry = true
      return begin(at: now)
    }
    if let target = found.first, let type = kind(of: target) {
      return .done(.autoPolled([AutoPolledTarget(type: type, target: target)]))
    }
    return pause(at: now)
  }

  private mutating func pause(at now: VirtualInstant) -> AirMove {
    isPausing = true
    return .pause(until: max(now, start + period))
  }

  private mutating func nextKind(at now: VirtualInstant) -> AirMove {
    position += 1
    if position == types.count {
      position = 0
      if let left = roundsLeft {
        guard left > 1 else { return .done(.autoPolled([])) }
        roundsLeft = left - 1
      }
    }
    return beginKind(at: now)
  }

  private mutating func beginKind(at now: VirtualInstant) -> AirMove {
    start = now
    isSecondTry = false
    return begin(at: now)
  }

  private mutating func begin(at now: VirtualInstant) -> AirMove {
    guard var procedure = procedure(for: types[position]) else { return pause(at: now) }
    let move = procedure.next(.begin, at: now)
    activation = procedure
    return move
  }

  private mutating func procedure(for type: AutoPollType) -> TargetActivation? {
    switch type.modulation {
    case .typeA106:
      var settings = settings
      settings.wakesUp = hasCalledTypeA
      hasCalledTypeA = true
      return .typeA(TypeAActivating(settings, uid: nil))
    case .typeB106: return .typeB(TypeBActivating(settings, afi: 0, modulation: .typeB106))
    case .feliCa212, .feliCa424:
      let modulation = type.modulation ?? .feliCa212
      return .feliCa(FeliCaActivating(Self.feliCaRequest, modulation: modulation))
    case .jewel106: return .jewel(JewelActivating(requestLimit: settings.requestLimit))
    // DEP targets are not modelled: nobody answers.
    default: return nil
    }
  }

  /// The kind under which a target is told: the most exact one that the host asked for.
  private func kind(of target: ActivatedTarget) -> AutoPollType? {
    let candidates: [UInt8] =
      switch target.data {
      case .typeA(let data): data.isISODEP ? [0x20, 0x00] : [0x10, 0x00]
      case .typeB: [0x23, 0x03]
      case .feliCa: target.modulation == .feliCa424 ? [0x12, 0x02] : [0x11, 0x01]
      case .jewel: [0x04]
      }
    let asked = candidates.first { code in types.contains { $0.rawValue == code } }
    guard let asked else { return nil }
    // A generic kind is told as what it was found to be.
    return AutoPollType(rawValue: asked < 0x03 ? candidates[0] : asked)
  }
}
