import Exploration
public import NFCProtocols

/// The lines that a run writes.
extension RadioRun {
  func name(of side: RunSide) -> StaticString {
    switch (medium, side) {
    case (.air, .reader): "reader"
    case (.air, .card): "card"
    case (.link, .reader): "host"
    case (.link, .card): "chip"
    }
  }

  mutating func logLine(_ side: RunSide, _ fill: (inout TextBuffer) -> Void) {
    log.write(at: now, name(of: side), fill)
  }

  /// `5121000 reader > 26'7 +84956`: the bytes, the bits of a broken last byte, the air time.
  mutating func logFrame(_ frame: RadioFrame, from side: RunSide, duration: Nanoseconds) {
    let words = log.keepsText ? summary?(frame, side.sends) : nil
    let hasAirTime = medium == .air
    log.write(at: now, name(of: side), summary: words) { line in
      if side == .reader { line.append("> ") } else { line.append("< ") }
      line.append(compactHex: frame.bytes)
      if frame.lastByteBits != 8 {
        line.append(ascii: 0x27)
        line.append(ascii: 0x30 + frame.lastByteBits)
      }
      if hasAirTime {
        line.append(" +")
        line.append(decimal: duration.count)
      }
    }
  }

  mutating func logApplication(_ side: RunSide, _ direction: Direction, _ bytes: [UInt8]) {
    logLine(side) { line in
      line.append("application ")
      line.append(direction == .outbound ? "> " : "< ")
      line.append(compactHex: bytes)
    }
  }

  static func append(
    _ effect: FaultRule.Effect, exchange: Int, to line: inout TextBuffer
  ) {
    switch effect {
    case .late(let delay):
      line.append("late ")
      line.append(decimal: delay.count)
    case .drop: line.append("drop")
    case .corrupt(let bit):
      line.append("corrupt")
      if let bit {
        line.append(ascii: 0x20)
        line.append(decimal: Int64(bit))
      }
    case .duplicate: line.append("dup")
    }
    line.append(" exchange ")
    line.append(decimal: Int64(exchange))
  }
}

extension TimeLimit.Kind {
  /// The short name of a limit in logs and tables.
  public var logName: StaticString {
    switch self {
    case .frameWaitingTime: "FWT"
    case .waitingTimeExtension: "WTX"
    case .activation: "activation"
    case .frameDelayTime: "FDT"
    case .responseTime: "response"
    case .application: "application"
    }
  }
}
