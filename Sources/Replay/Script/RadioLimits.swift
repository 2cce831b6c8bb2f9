import NFCProtocols

/// Which limit the standards set for the answer to each recorded command.
struct RadioLimits: Sendable {
  private var frameWaitingTime: FrameWaitingTime?
  private var awaitsATS = false
  private var awaitsATQB = false
  private var extendedBy: UInt8?

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
    case .f, .v, nil: return TimeLimit(.responseTime, Self.memory)
    }
  }

  private mutating func limitA(_ command: RadioFrame) -> TimeLimit {
    guard let first = command.bytes.first else { return TimeLimit(.responseTime, Self.memory) }
    if command.lastByteBits == 7, command.bytes.count == 1 {
      frameWaitingTime = nil
      return TimeLimit(.frameDelayTime, Self.frameDelay)
    }
    if frameWaitingTime == nil {
      switch first {
      case 0x93, 0x95, 0x97: return TimeLimit(.frameDelayTime, Self.frameDelay)
      case 0xE0 where command.bytes.count == 4:
        awaitsATS = true
        return TimeLimit(.activation, ProtocolTiming.activation)
      default: return TimeLimit(.responseTime, Self.memory)
      }
    }
    return blockLimit(first)
  }

  private mutating func limitB(_ command: RadioFrame) -> TimeLimit {
    guard let first = command.bytes.first else { return TimeLimit(.responseTime, Self.memory) }
    switch first {
    case 0x05:
      awaitsATQB = true
      return TimeLimit(.activation, ProtocolTiming.activation)
    case 0x1D, 0x50: return TimeLimit(.frameWaitingTime, (frameWaitingTime ?? .standard).duration)
    default: return blockLimit(first)
    }
  }

  /// PPS and S(DESELECT) have a limit of their own; an answered S(WTX) extends the next one.
  private mutating func blockLimit(_ control: UInt8) -> TimeLimit {
    let waiting = frameWaitingTime ?? .standard
    if control & 0xF0 == 0xD0 || control & 0xF7 == 0xC2 {
      return TimeLimit(.activation, ProtocolTiming.activation)
    }
    if control & 0xF7 == 0xF2, let multiplier = extendedBy {
      extendedBy = nil
      return TimeLimit(.waitingTimeExtension, waiting.extended(by: multiplier))
    }
    return TimeLimit(.frameWaitingTime, waiting.duration)
  }

  /// Learns from what the card answers: FWI from ATS and ATQB, WTXM from S(WTX).
  mutating func see(answer: RadioFrame) {
    let content = answer.content(assuming: answer.technology ?? .a)
    if awaitsATS {
      awaitsATS = false
      frameWaitingTime = (try? ATS(content))?.frameWaitingTime ?? .standard
    } else if awaitsATQB, let atqb = try? ATQB(content) {
      frameWaitingTime = atqb.frameWaitingTime
    } else if let control = content.first, control & 0xF7 == 0xF2, content.count >= 2 {
      extendedBy = content[content.endIndex - 1] & 0x3F
    }
  }
}
