import NFCProtocols

extension CommandFailure {
  /// The failure as one line of text without a full stop, with what to try where that is known.
  public var message: String {
    let what = command.map {
      $0.name.map { "\($0)" } ?? "command " + Hexadecimal.pairs([$0.rawValue])
    }
    return
      "\(what ?? "reader"): \(problem.text), \(step.text) after \(Self.milliseconds(waited)) ms"
  }

  private static func milliseconds(_ time: Nanoseconds) -> String {
    var text = TextBuffer(capacity: 16)
    let micro = (time.count + 500) / 1_000
    text.append(decimal: micro / 1_000)
    text.append(ascii: 0x2E)
    text.append(decimal: micro % 1_000, width: 3, pad: 0x30)
    return text.string
  }
}

extension CommandFailure.Step {
  var text: String {
    switch self {
    case .preparing: "before it was sent"
    case .sending: "while it was sent"
    case .acknowledging: "while waiting for the acknowledgement"
    case .answering: "while waiting for the answer"
    case .reading: "when the answer was read"
    }
  }
}

extension CommandFailure.Problem {
  /// The problem in words without a full stop.
  public var text: String {
    switch self {
    case .link(let failure): failure.text
    case .radio(let failure): failure.text
    case .chip(let status):
      "chip status \(Hexadecimal.pairs([status.rawValue])) (\(status.name))"
    }
  }
}

extension RadioFailure {
  var text: String {
    switch self {
    case .silence: "no answer on the air"
    case .damaged(let status), .released(let status), .unknown(let status):
      "status \(Hexadecimal.pairs([status.rawValue])) (\(status.name))"
    case .authentication: "MIFARE authentication refused, the card must be selected again"
    }
  }
}

extension LinkFailure {
  var text: String {
    switch self {
    case .ended: "the reader has gone; plug it in again"
    case .cancelled: "cancelled"
    case .notSent: "the reader takes no data; unplug it and plug it in again"
    case .stalled: "the reader refused the transfer"
    case .notAcknowledged:
      "no acknowledgement; is another program using the reader? If not, plug it in again"
    case .notAnswered: "no answer; try again, and if it stays so, plug the reader in again"
    case .damagedAnswer(let reason): "damaged answer (\(reason))"
    case .uncertain: "the answer was lost and the command may have run; begin the session again"
    case .syntaxError: "the chip does not understand the command (error frame)"
    case .malformed(let error): "unreadable answer: \(error.message)"
    case .notEncodable(let error): "cannot be sent: \(error.message)"
    case .notSupported(let chip): "a \(chip.name) does not have this command"
    case .neverQuiet: "the reader sends without end; unplug it and plug it in again"
    case .chipSilent: "the PN532 in the reader is silent (63 00)"
    case .mute(let error): "the card is mute (bError \(Hexadecimal.pairs([error])))"
    case .notFetched(let length): "an answer of \(length) bytes could not be fetched"
    case .unexpectedBlock(let bytes): "unexpected block \(Hexadecimal.pairs(bytes))"
    }
  }
}
