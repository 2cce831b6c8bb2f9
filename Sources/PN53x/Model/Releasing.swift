import NFCProtocols

/// Takes leave of targets: S(DESELECT) with ISO-DEP, HLTA with other type A targets.
struct Releasing: AirProcedure {
  private var frames: [(frame: RadioFrame, limit: TimeLimit?)] = []
  private var position = 0
  private var sendings = 0

  /// How often S(DESELECT) is sent to a silent card: ISO/IEC 14443-4 8.2 lets it be repeated once.
  static let attempts = RecoveryPolicy.defaultDeselectAttempts

  init(_ targets: [ActivatedTarget]) {
    for target in targets {
      if let agreement = target.blocks {
        let parameters = agreement.parameters
        let content: [UInt8] = parameters.cid.map { [0xCA, $0] } ?? [0xC2]
        let limit = TimeLimit(
          .activation, ProtocolTiming.activation + ProtocolTiming.waitingTimeMargin)
        frames.append(
          (
            .protected(
              content, parameters.technology, kilobitsPerSecond: parameters.kilobitsPerSecond),
            limit
          ))
      } else if case .typeA = target.data {
        frames.append((TypeACommand.halt.frame.sent(at: 106), nil))
      }
    }
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin: break
    case .silence where sendings < Self.attempts: break
    case .silence, .answer, .ready:
      position += 1
      sendings = 0
    }
    guard position < frames.count else { return .done(.status(0, [])) }
    sendings += 1
    let (frame, limit) = frames[position]
    guard let limit else { return .send(frame) }
    return .exchange(frame, limit)
  }
}
