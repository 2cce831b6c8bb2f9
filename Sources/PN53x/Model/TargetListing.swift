import NFCProtocols

/// InListPassiveTarget on the air: tries of one modulation until something is found.
struct TargetListing: AirProcedure {
  /// How a target of the modulation is activated.
  enum Activation: Sendable {
    case typeA(TypeAActivating)

    mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
      switch self {
      case .typeA(var procedure):
        let move = procedure.next(event, at: now)
        self = .typeA(procedure)
        return move
      }
    }
  }

  private var activation: Activation
  /// Tries after the first; `nil` for ever.
  private var triesLeft: Int?
  private let tryTime: Nanoseconds
  private var tryStart = VirtualInstant.start
  private var isPausing = false

  init(_ activation: Activation, tries: Int?, tryTime: Nanoseconds) {
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
