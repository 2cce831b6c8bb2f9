import NFCProtocols

/// How a target of one modulation is found and activated.
enum TargetActivation: AirProcedure {
  case typeA(TypeAActivating)
  case typeB(TypeBActivating)
  case feliCa(FeliCaActivating)
  case jewel(JewelActivating)

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch self {
    case .typeA(var procedure):
      defer { self = .typeA(procedure) }
      return procedure.next(event, at: now)
    case .typeB(var procedure):
      defer { self = .typeB(procedure) }
      return procedure.next(event, at: now)
    case .feliCa(var procedure):
      defer { self = .feliCa(procedure) }
      return procedure.next(event, at: now)
    case .jewel(var procedure):
      defer { self = .jewel(procedure) }
      return procedure.next(event, at: now)
    }
  }
}

/// InListPassiveTarget on the air: tries of one modulation until something is found.
///
/// One target at most is found: SimulatedReader has one thing in its field.
struct TargetListing: AirProcedure {
  private var activation: TargetActivation
  /// Tries left, the present one included; `nil` for ever.
  private var triesLeft: Int?
  private let tryTime: Nanoseconds
  private var tryStart = VirtualInstant.start
  private var isPausing = false

  init(_ activation: TargetActivation, tries: Int?, tryTime: Nanoseconds) {
    self.activation = activation
    triesLeft = tries
    self.tryTime = tryTime
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    if isPausing, event == .ready {
      isPausing = false
      return tryEnded(at: now)
    }
    if event == .begin { tryStart = now }
    let move = activation.next(event, at: now)
    guard case .done(.targets(let found)) = move, found.isEmpty else { return move }
    let end = tryStart + tryTime
    guard now < end else { return tryEnded(at: now) }
    isPausing = true
    return .pause(until: end)
  }

  private mutating func tryEnded(at now: VirtualInstant) -> AirMove {
    if let left = triesLeft {
      guard left > 1 else { return .done(.targets([])) }
      triesLeft = left - 1
    }
    return next(.begin, at: now)
  }
}
