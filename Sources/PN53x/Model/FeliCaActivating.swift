import NFCProtocols

/// Activation of one FeliCa target: a polling request and its answer.
struct FeliCaActivating: AirProcedure {
  private let request: [UInt8]
  private let modulation: PassiveModulation

  /// The delay of the first time slot, 512·64/fc, and the length of each, 256·64/fc
  /// (JIS X 6319-4 7.3).
  private static let firstSlotCycles: Int64 = 512 * 64
  private static let slotCycles: Int64 = 256 * 64

  /// - Parameter data: Command 00, system code, request code, number of the last slot.
  init(_ data: [UInt8], modulation: PassiveModulation) {
    request = [UInt8(truncatingIfNeeded: data.count + 1)] + data
    self.modulation = modulation
  }

  var frame: RadioFrame {
    .protected(request, .f, kilobitsPerSecond: modulation == .feliCa424 ? 424 : 212)
  }

  /// Until the end of the last slot.
  var limit: TimeLimit {
    let slots = Int64(request.last ?? 0) + 1
    return TimeLimit(
      .responseTime, .carrierCycles(Self.firstSlotCycles + Self.slotCycles * min(slots, 16)))
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready: return .exchange(frame, limit)
    case .silence: return .done(.targets([]))
    case .answer(let answer):
      guard let target = Self.target(answer) else { return .done(.targets([])) }
      return .done(
        .targets([ActivatedTarget(data: .feliCa(target), modulation: modulation, blocks: nil)]))
    }
  }

  /// What a polling response tells: LEN 01 IDm PMm and perhaps a system code.
  static func target(_ frame: RadioFrame) -> FeliCaTarget? {
    guard (frame.technology ?? .f) == .f, case .good(let content) = ReceivedContent(frame, .f),
      content.count == 18 || content.count == 20, Int(content[0]) == content.count,
      content[1] == 0x01
    else { return nil }
    let system = content.count == 20 ? UInt16(content[18]) << 8 | UInt16(content[19]) : nil
    return FeliCaTarget(
      nfcid2: Array(content[2..<10]), pad: Array(content[10..<18]), systemCode: system)
  }
}
