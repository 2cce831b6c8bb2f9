import NFCProtocols

/// InPSL with an ISO/IEC 14443-4 type A target: PPS and its answer.
struct SpeedChange: AirProcedure {
  private let request: PPS

  init(_ request: PPS) { self.request = request }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready:
      return .exchange(
        .protected(request.bytes, .a, kilobitsPerSecond: 106),
        TimeLimit(.activation, ProtocolTiming.activation + ProtocolTiming.waitingTimeMargin))
    case .silence: return .done(.status(ChipStatus.timeout.rawValue, []))
    case .answer(let frame):
      guard case .good(let content) = ReceivedContent(frame, .a), content == request.answer else {
        return .done(.status(ChipStatus.protocolError.rawValue, []))
      }
      return .done(.status(0, []))
    }
  }
}

/// A search for a DEP target, of which there is no model: time passes and nobody answers.
struct VainSearch: AirProcedure {
  private let duration: Nanoseconds?
  private let status: UInt8

  /// - Parameter duration: How long the chip tries; `nil` for ever.
  init(_ duration: Nanoseconds?, status: UInt8) {
    self.duration = duration
    self.status = status
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin: .pause(until: now + (duration ?? ChipModel.endless))
    case .ready, .silence, .answer: .done(.status(status, []))
    }
  }
}

/// Diagnose, test 04: FeliCa cards are polled for again and again, failures are counted.
struct FeliCaPollingTest: AirProcedure {
  private let activation: FeliCaActivating
  private var pollsLeft = FeliCaPollingTest.polls
  private var failures: UInt8 = 0

  /// How many polls there are, and how long each may take.
  static let polls = 128
  static let limit = TimeLimit(.responseTime, .milliseconds(4))

  init(_ modulation: PassiveModulation) {
    activation = FeliCaActivating([0x00, 0xFF, 0xFF, 0x00, 0x00], modulation: modulation)
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready: break
    case .silence: count(isFailure: true)
    case .answer(let frame): count(isFailure: FeliCaActivating.target(frame) == nil)
    }
    // The response is the number alone.
    return pollsLeft > 0
      ? .exchange(activation.frame, Self.limit) : .done(.status(failures, []))
  }

  private mutating func count(isFailure: Bool) {
    pollsLeft -= 1
    if isFailure { failures += 1 }
  }
}
