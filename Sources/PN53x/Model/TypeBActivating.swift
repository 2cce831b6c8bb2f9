import NFCProtocols

/// Activation of one type B target: REQB or WUPB, ATTRIB.
struct TypeBActivating: AirProcedure {
  private let settings: ActivationSettings
  private let afi: UInt8
  /// The divisor of the bit rate that the host asked for, 0...3 for 106 to 848 kbit/s.
  private let speedIndex: UInt8
  private let modulation: PassiveModulation
  private var atqb: ATQB?

  init(_ settings: ActivationSettings, afi: UInt8, modulation: PassiveModulation) {
    self.settings = settings
    self.afi = afi
    self.modulation = modulation
    speedIndex =
      switch modulation {
      case .typeB212: 1
      case .typeB424: 2
      case .typeB848: 3
      default: 0
      }
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready:
      atqb = nil
      let request = RequestB(afi: afi, isWakeUp: settings.wakesUp)
      return .exchange(
        TypeBCommand.request(request).frame.sent(at: 106), settings.requestLimit)
    case .silence: return .done(.targets([]))
    case .answer(let frame):
      guard case .good(let content) = ReceivedContent(frame, .b) else {
        return .done(.targets([]))
      }
      if let atqb { return confirmed(content, atqb) }
      return declared(content)
    }
  }

  private mutating func declared(_ content: [UInt8]) -> AirMove {
    guard let answer = try? ATQB(content), offersSpeed(answer) else {
      return .done(.targets([]))
    }
    atqb = answer
    var attrib = Attrib(
      pupi: answer.pupi, frameSizeIndex: settings.frameSizeIndex,
      cid: answer.supportsCID ? settings.cid : 0)
    attrib.parameter2 |= speedIndex << 6 | speedIndex << 4
    let limit = answer.frameWaitingTime.duration + ProtocolTiming.waitingTimeMargin
    return .exchange(
      TypeBCommand.attrib(attrib).frame.sent(at: 106), TimeLimit(.activation, limit))
  }

  /// Bits 7 to 5 and 3 to 1 of the first byte: 848, 424 and 212 kbit/s each way (14443-3 7.9.4).
  private func offersSpeed(_ answer: ATQB) -> Bool {
    guard speedIndex > 0 else { return true }
    let bit = speedIndex - 1
    return answer.bitRates >> (4 + bit) & 1 == 1 && answer.bitRates >> bit & 1 == 1
  }

  private func confirmed(_ content: [UInt8], _ atqb: ATQB) -> AirMove {
    let cid = settings.cid > 0 && atqb.supportsCID ? settings.cid : nil
    let parameters = IsoDepParameters(
      technology: .b, kilobitsPerSecond: 106 << UInt16(speedIndex),
      cardFrameSize: min(
        max(atqb.frameSize, IsoDepParameters.smallestFrameSize),
        IsoDepParameters.commonFrameSize),
      deviceFrameSize: FrameSize.bytes(ofIndex: settings.frameSizeIndex), cid: cid)
    let target = ActivatedTarget(
      data: .typeB(TypeBTarget(atqb: Array(atqb.bytes.prefix(12)), attribResponse: content)),
      modulation: modulation,
      blocks: BlockAgreement(
        parameters: parameters, waitingTime: atqb.frameWaitingTime,
        guardTime: atqb.startUpFrameGuardTime.duration))
    return .done(.targets([target]))
  }
}
