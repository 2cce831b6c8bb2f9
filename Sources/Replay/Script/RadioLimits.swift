import NFCProtocols

/// Which limit the standards set for the answer to each recorded command.
struct RadioLimits: Sendable {
  private var frameWaitingTime: Nanoseconds?
  private var awaitsATS = false
  private var awaitsATQB = false
  private var extendedBy: UInt8?

  /// The activation frame waiting time of RATS, PPS and DESELECT, ISO/IEC 14443-4 5.7: 65536/fc.
  static let activation = Nanoseconds.carrierCycles(65_536)
  /// The frame waiting time of FWI 4, ISO/IEC 14443-4 5.2.5, where none was told: 65536/fc.
  static let standard = Nanoseconds.carrierCycles(4_096 << 4)
  /// The longest frame waiting time (FWI 14).
  static let longest = Nanoseconds.carrierCycles(4_096 << 14)
  /// The frame delay of REQA, ANTICOLLISION and SELECT at its longest, ISO/IEC 14443-3 6.2.1.1.
  static let frameDelay = Nanoseconds.carrierCycles(1_236)
  /// The acknowledge time of Type 2 writes and the longest answer time of ISO/IEC 15693 writes and
  /// of FeliCa: 20 ms, the frame waiting time of FWI 6 rounded up.
  static let memory = Nanoseconds.milliseconds(20)

  /// The limit of the answer to `command`.
  mutating func limit(after command: RadioFrame) -> TimeLimit {
    awaitsATS = false
    awaitsATQB = false
    switch command.technology {
    case .a: return limitA(command)
    case .b: return limitB(command)
    case .f, .v, nil: return TimeLimit(.frameDelayTime, Self.memory)
    }
  }

  private mutating func limitA(_ command: RadioFrame) -> TimeLimit {
    guard let first = command.bytes.first else { return TimeLimit(.frameDelayTime, Self.memory) }
    if command.lastByteBits == 7, command.bytes.count == 1 {
      frameWaitingTime = nil
      return TimeLimit(.frameDelayTime, Self.frameDelay)
    }
    if frameWaitingTime == nil {
      switch first {
      case 0x93, 0x95, 0x97: return TimeLimit(.frameDelayTime, Self.frameDelay)
      case 0xE0 where command.bytes.count == 4:
        awaitsATS = true
        return TimeLimit(.activation, Self.activation)
      default: return TimeLimit(.frameDelayTime, Self.memory)
      }
    }
    return blockLimit(first, Self.standard)
  }

  private mutating func limitB(_ command: RadioFrame) -> TimeLimit {
    guard let first = command.bytes.first else { return TimeLimit(.frameDelayTime, Self.memory) }
    switch first {
    case 0x05:
      awaitsATQB = true
      return TimeLimit(.activation, Self.activation)
    case 0x1D, 0x50: return TimeLimit(.frameWaitingTime, frameWaitingTime ?? Self.standard)
    default: return blockLimit(first, Self.standard)
    }
  }

  /// PPS and S(DESELECT) have a limit of their own; an answered S(WTX) extends the next one.
  private mutating func blockLimit(_ control: UInt8, _ fallback: Nanoseconds) -> TimeLimit {
    let waiting = frameWaitingTime ?? fallback
    if control & 0xF0 == 0xD0 || control & 0xF7 == 0xC2 {
      return TimeLimit(.activation, Self.activation)
    }
    if control & 0xF7 == 0xF2, let multiplier = extendedBy {
      extendedBy = nil
      return TimeLimit(
        .waitingTimeExtension, min(waiting * Int64(max(1, multiplier)), Self.longest))
    }
    return TimeLimit(.frameWaitingTime, waiting)
  }

  /// Learns from what the card answers: FWI from ATS and ATQB, WTXM from S(WTX).
  mutating func see(answer: RadioFrame) {
    let content = answer.content(assuming: answer.technology ?? .a)
    if awaitsATS {
      awaitsATS = false
      let fwi = RecordedActivation.frameWaitingInteger(ats: Array(content))
      frameWaitingTime = .carrierCycles(4_096 << Int64(fwi))
    } else if awaitsATQB, content.count >= 12, content.first == 0x50 {
      let fwi = content[content.startIndex + 11] >> 4
      frameWaitingTime = .carrierCycles(4_096 << Int64(fwi > 14 ? 4 : fwi))
    } else if let control = content.first, control & 0xF7 == 0xF2, content.count >= 2 {
      extendedBy = content[content.endIndex - 1] & 0x3F
    }
  }
}

extension RecordedActivation {
  /// The frame waiting integer of an ATS, ISO/IEC 14443-4 5.2.5; 4 where it tells none, or 15.
  static func frameWaitingInteger(ats: [UInt8]) -> UInt8 {
    guard ats.count >= 2 else { return 4 }
    let format = ats[1]
    guard format & 0x20 != 0 else { return 4 }
    let index = 2 + (format & 0x10 != 0 ? 1 : 0)
    guard index < ats.count, ats[index] >> 4 <= 14 else { return 4 }
    return ats[index] >> 4
  }
}
