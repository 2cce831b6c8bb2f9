import NFCProtocols

/// Notes of endpoints as they stand in logs.
extension RunLog {
  static func append(_ note: RadioNote, to line: inout TextBuffer) {
    switch note {
    case .limitExceeded(let limit, let attempt):
      line.append("limit exceeded ")
      append(limit, to: &line)
      line.append(" attempt ")
      line.append(decimal: Int64(attempt))
    case .waitingTimeExtended(let multiplier, let granted):
      line.append("waiting time extended ")
      line.append(decimal: Int64(multiplier))
      line.append(ascii: 0x20)
      line.append(decimal: granted.count)
    case .lateAnswer(let delay, let limit):
      line.append("late answer ")
      line.append(decimal: delay.count)
      line.append(ascii: 0x20)
      append(limit, to: &line)
    case .delayed(let delay):
      line.append("fault late ")
      line.append(decimal: delay.count)
    case .retransmission(let attempt):
      line.append("retransmission ")
      line.append(decimal: Int64(attempt))
    case .activated(let technology, let identifier):
      line.append("activated ")
      line.append(ascii: technology.letter)
      line.append(ascii: 0x20)
      line.append(compactHex: identifier)
    case .deselected:
      line.append("deselected")
    case .answerDropped(let byteCount):
      line.append("answer dropped ")
      line.append(decimal: Int64(byteCount))
    case .gaveUp:
      line.append("gave up")
    }
  }

  private static func append(_ limit: TimeLimit, to line: inout TextBuffer) {
    line.append(limit.kind.logName)
    line.append(ascii: 0x20)
    line.append(decimal: limit.duration.count)
  }
}
