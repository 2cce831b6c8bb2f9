import NFCProtocols

/// What activation needs to know of the chip.
struct ActivationSettings: Hashable, Sendable {
  /// True if type A cards get RATS.
  var automaticRATS: Bool
  /// The frame size index for RATS and ATTRIB.
  var frameSizeIndex: UInt8
  /// The CID that a type B card gets.
  var cid: UInt8
  /// True if cards are called by WUPA: not the first call since the field came on.
  var wakesUp: Bool
  /// How long an answer to a request is waited for.
  var requestLimit: TimeLimit
  /// True if the NFCID1 is told with its cascade tags (PN531).
  var keepsCascadeTags = false
}

/// Activation of one type A target: REQA or WUPA, anticollision, SELECT, RATS.
// firmware-notes/pn53x/activation-of-type-a.md
struct TypeAActivating: AirProcedure {
  private enum Step: Hashable, Sendable {
    case requested, anticollision(CascadeLevel), selecting(CascadeLevel), answerToSelect
  }

  private let settings: ActivationSettings
  /// The UID parts to select, if the host named a UID.
  private let wanted: [CascadeLevel.Part]?
  private var step = Step.requested
  private var sensRes: UInt16 = 0
  private var parts: [CascadeLevel.Part] = []
  private var selRes: UInt8 = 0

  /// True once an answer to the request has come.
  private(set) var heardAnswer = false

  init(_ settings: ActivationSettings, uid: UID?) {
    self.settings = settings
    wanted = uid?.parts
  }

  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove {
    switch event {
    case .begin, .ready:
      step = .requested
      parts = []
      let command: TypeACommand = settings.wakesUp || wanted != nil ? .wakeUp : .request
      return exchange(command.frame)
    case .silence:
      if step == .answerToSelect { return .done(.targets([])) }
      return .done(.targets([]))
    case .answer(let frame):
      return answered(frame)
    }
  }

  private func exchange(_ frame: RadioFrame) -> AirMove {
    .exchange(frame.sent(at: 106), settings.requestLimit)
  }

  private mutating func answered(_ frame: RadioFrame) -> AirMove {
    switch step {
    case .requested:
      guard frame.bytes.count == 2, frame.lastByteBits == 8 else { return .done(.targets([])) }
      heardAnswer = true
      // The ATQA is sent low byte first; the chip gives the high one first.
      sensRes = UInt16(frame.bytes[1]) << 8 | UInt16(frame.bytes[0])
      return enter(.one)
    case .anticollision(let level):
      guard !frame.isCollision, let part = try? CascadeLevel.Part(frame.bytes[...]) else {
        return .done(.targets([]))
      }
      return select(level, part)
    case .selecting(let level):
      guard case .good(let content) = ReceivedContent(frame, .a), let sak = content.first,
        content.count == 1
      else { return .done(.targets([])) }
      selRes = sak
      if sak & 0x04 != 0 {
        guard let next = level.next else { return .done(.targets([])) }
        return enter(next)
      }
      return selected()
    case .answerToSelect:
      guard case .good(let content) = ReceivedContent(frame, .a), let ats = try? ATS(content)
      else { return .done(.targets([])) }
      return .done(.targets([target(ats)]))
    }
  }

  private mutating func enter(_ level: CascadeLevel) -> AirMove {
    if let wanted {
      guard level.index < wanted.count else { return .done(.targets([])) }
      return select(level, wanted[level.index])
    }
    step = .anticollision(level)
    return exchange(TypeACommand.anticollision(level, .none).frame)
  }

  private mutating func select(_ level: CascadeLevel, _ part: CascadeLevel.Part) -> AirMove {
    parts.append(part)
    step = .selecting(level)
    return exchange(TypeACommand.select(level, part).frame)
  }

  private mutating func selected() -> AirMove {
    guard SAK(rawValue: selRes).supportsISODEP, settings.automaticRATS else {
      return .done(.targets([target(nil)]))
    }
    step = .answerToSelect
    let request = RATS(frameSizeIndex: settings.frameSizeIndex)
    return .exchange(
      .protected(request.bytes, .a, kilobitsPerSecond: 106),
      TimeLimit(.activation, ProtocolTiming.activation + ProtocolTiming.waitingTimeMargin))
  }

  private func target(_ ats: ATS?) -> ActivatedTarget {
    let plain = settings.keepsCascadeTags ? nil : (try? UID(joining: parts))?.bytes
    let uid = plain ?? parts.flatMap(\.bytes)
    let agreement = ats.map { ats in
      BlockAgreement(
        parameters: IsoDepParameters(
          cardFrameSize: min(ats.frameSize, IsoDepParameters.commonFrameSize),
          deviceFrameSize: FrameSize.bytes(ofIndex: settings.frameSizeIndex)),
        waitingTime: ats.frameWaitingTime, guardTime: ats.startUpFrameGuardTime.duration)
    }
    return ActivatedTarget(
      data: .typeA(
        TypeATarget(sensRes: sensRes, selRes: selRes, nfcid1: uid, ats: ats?.bytes)),
      modulation: .typeA106, blocks: agreement)
  }
}

/// What a frame brought after its CRC was checked.
enum ReceivedContent: Hashable, Sendable {
  /// The bytes in front of a good CRC.
  case good([UInt8])
  /// The CRC or the modulation is wrong, or there is none.
  case damaged

  init(_ frame: RadioFrame, _ technology: Technology) {
    if frame.isCollision || frame.isTruncated || frame.lastByteBits != 8 || frame.crc == .bad {
      self = .damaged
    } else if frame.crc == .notCaptured {
      self = .good(frame.bytes)
    } else if CRC16(of: technology).check(frame.bytes) {
      self = .good(Array(frame.bytes.dropLast(CRC16.byteCount)))
    } else {
      self = .damaged
    }
  }
}

extension RadioFrame {
  /// The frame at a bit rate.
  func sent(at kilobitsPerSecond: UInt16) -> RadioFrame {
    var frame = self
    frame.kilobitsPerSecond = kilobitsPerSecond
    return frame
  }
}
