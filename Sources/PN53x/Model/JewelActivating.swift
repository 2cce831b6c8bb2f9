import NFCProtocols

/// Activation of one Jewel (Topaz) target: REQA and RID.
struct JewelActivating: AirProcedure {
  private let requestLimit: TimeLimit
  private var sensRes: [UInt8]?

  /// The ATQA of Type 1 tags as sent (NFC Forum Digital, SENS_RES of Type 1).
  private static let type1Answer: [UInt8] = [0x00, 0x0C]
  /// RID: command 78 and six bytes of zero.
  private static let readIdentification: [UInt8] = [0x78, 0, 0, 0, 0, 0, 0]

  init(requestLimit: TimeLimit) { self.requestLimit = requestLimit }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready:
      sensRes = nil
      return .exchange(TypeACommand.request.frame.sent(at: 106), requestLimit)
    case .silence: return .done(.targets([]))
    case .answer(let frame):
      guard let sensRes else { return requested(frame) }
      // HR0 HR1 and four bytes of the UID; Type 1 tags use the CRC of type B.
      guard case .good(let content) = ReceivedContent(frame, .b), content.count == 6 else {
        return .done(.targets([]))
      }
      let target = JewelTarget(
        sensRes: sensRes.reversed(), identifier: Array(content[2...]))
      return .done(
        .targets([ActivatedTarget(data: .jewel(target), modulation: .jewel106, blocks: nil)]))
    }
  }

  private mutating func requested(_ frame: RadioFrame) -> AirMove {
    guard frame.bytes == Self.type1Answer else { return .done(.targets([])) }
    sensRes = frame.bytes
    let command = RadioFrame(
      CRC16.b.appended(to: Self.readIdentification), technology: .a, kilobitsPerSecond: 106,
      crc: .good)
    return .exchange(command, requestLimit)
  }
}
