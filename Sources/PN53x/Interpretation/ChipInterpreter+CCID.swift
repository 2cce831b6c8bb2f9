public import NFCProtocols

extension ChipInterpreter {
  /// Appends what a CCID message is in a few words, and gives what it carries.
  ///
  /// The pseudo-APDUs of an ACR122U are unwrapped down to the PN532.
  public mutating func interpret(
    ccid bytes: [UInt8], into text: inout TextBuffer
  ) -> LiftedContent {
    let message: CCIDMessage
    do throws(PN53xError) {
      message = try CCIDMessage(bytes)
    } catch {
      text.append("CCID (")
      text.append(error.message)
      text.append(")")
      return .nothing
    }
    if let name = message.type.name {
      text.append(name)
    } else {
      text.append("CCID ")
      text.append(hex: message.type.rawValue)
    }
    return message.type.isAnswer
      ? reply(message, into: &text) : request(message, into: &text)
  }

  private mutating func request(
    _ message: CCIDMessage, into text: inout TextBuffer
  ) -> LiftedContent {
    guard message.type == .transferBlock || message.type == .escape else { return .nothing }
    text.append("  ")
    switch ACR122Envelope.Request(message.data) {
    case .body(let body):
      useEnvelopedChip()
      return interpret(body, into: &text)
    case .getResponse(let length):
      text.append("get response, ")
      text.append(decimal: Int64(length))
      text.append(" bytes")
    case .setPollingParameter(let value):
      text.append("reader: polling parameter ")
      text.append(hex: value)
    case .setTimeout(let value):
      text.append("reader: time limit ")
      text.append(hex: value)
    case .setLights: text.append("reader: lights")
    case .setBuzzer: text.append("reader: buzzer")
    case .getVersion: text.append("reader: firmware version")
    case .other(let data):
      guard data.count >= 4 else { return .nothing }
      APDUText.writeCommand(data[...], to: &text)
      return .apdu(.outbound, data)
    }
    return .nothing
  }

  private mutating func reply(
    _ message: CCIDMessage, into text: inout TextBuffer
  ) -> LiftedContent {
    guard message.type == .dataBlock || message.type == .escapeAnswer else { return .nothing }
    text.append("  ")
    switch ACR122Envelope.Reply(message.data) {
    case .body(let body):
      useEnvelopedChip()
      return interpret(body, into: &text)
    case .chipSilent: text.append("63 00, the chip is silent")
    case .chipError: text.append("63 7F, error frame of the chip")
    case .moreAvailable(let length):
      text.append(decimal: Int64(length))
      text.append(" bytes wait")
    case .done(let data):
      text.append("90 00 ok")
      if !data.isEmpty {
        text.append(", ")
        text.append(decimal: Int64(data.count))
        text.append(" bytes")
      }
    case .empty: text.append("empty, the card is mute")
    case .other(let data):
      text.append(decimal: Int64(data.count))
      text.append(data.count == 1 ? " byte" : " bytes")
    }
    return .nothing
  }

  /// Behind the envelope there is always a PN532.
  private mutating func useEnvelopedChip() {
    if chip != .pn532 { self = ChipInterpreter(chip: .pn532) }
  }
}
