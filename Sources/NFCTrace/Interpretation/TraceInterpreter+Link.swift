import NFCProtocols
import PN53x

extension TraceInterpreter {
  mutating func link(_ transfer: LinkTransfer, into output: inout Interpretation) {
    linkMessages.removeAll(keepingCapacity: true)
    reassembler.take(transfer, into: &linkMessages)
    guard !linkMessages.isEmpty else {
      let start = output.words.bytes.count
      if let setup = transfer.setup, setup.count == 8 {
        USBRequestText.write(setup, to: &output.words)
      } else {
        output.words.append(Self.words(ofPiece: transfer))
      }
      write(transfer.outcome, into: &output.words)
      output.add(
        .link, transfer.direction, transfer.bytes.isEmpty ? .none : .event, wordsFrom: start,
        isFault: transfer.outcome.isFault)
      return
    }
    let found = linkMessages
    for message in found { link(message, transfer, into: &output) }
  }

  private static func words(ofPiece transfer: LinkTransfer) -> StaticString {
    switch transfer.payload {
    case .other:
      transfer.transport == .usbControl ? "USB control transfer" : "not interpreted"
    case .pn53x where transfer.bytes.isEmpty: "no data"
    case .pn53x where transfer.bytes.allSatisfy { $0 == 0 }: "padding"
    default: transfer.bytes.isEmpty ? "no data" : "piece of a message"
    }
  }

  private func write(_ outcome: LinkTransfer.Outcome, into words: inout TextBuffer) {
    switch outcome {
    case .completed: break
    case .stall: words.append(", STALL")
    case .timeout: words.append(", timed out")
    case .unplugged: words.append(", unplugged")
    case .cancelled: words.append(", cancelled")
    case .overflow: words.append(", overflow")
    case .failed(let status):
      words.append(", failed with status ")
      words.append(decimal: Int64(status))
    }
  }

  private mutating func link(
    _ message: LinkMessage, _ transfer: LinkTransfer, into output: inout Interpretation
  ) {
    let start = output.words.bytes.count
    var content = LiftedContent.nothing
    var bytes: [UInt8] = []
    var isFault = transfer.outcome.isFault
    switch message.content {
    case .pn53x(let frame):
      bytes = frame.body
      content = chip.interpret(message.direction, frame, into: &output.words)
      if case .error = frame { isFault = true }
    case .wakeUp:
      output.words.append("wake-up")
    case .ccid(let whole):
      bytes = whole
      content = chip.interpret(ccid: whole, into: &output.words)
    case .nci(let packet):
      bytes = packet
      content = controller.interpret(message.direction, packet, into: &output.words)
    case .incomplete(let torn):
      bytes = torn
      isFault = true
      output.words.append("no whole message")
    }
    write(transfer.outcome, into: &output.words)
    let source: Interpretation.Source =
      bytes.isEmpty ? .none : bytes == transfer.bytes ? .event : keep(bytes, in: &output)
    output.add(.link, message.direction, source, wordsFrom: start, isFault: isFault)
    lift(content, into: &output)
  }

  private mutating func lift(_ content: LiftedContent, into output: inout Interpretation) {
    switch content {
    case .nothing: break
    case .apdu(let direction, let bytes):
      apdu(direction, bytes[...], keep(bytes, in: &output), isLifted: true, into: &output)
    case .radio(let direction, let frame):
      radioFrame(
        direction, frame, keep(frame.bytes, in: &output), isLifted: true, into: &output)
    case .activation(let technology, let sak, let isISODEP):
      radio.activated(technology, sak: sak, isISODEP: isISODEP)
      assembler.forget()
      messages.forget()
    case .field(let isOn):
      if !isOn {
        radio.fieldChanged()
        assembler.forget()
        messages.forget()
      }
    }
  }
}

extension LinkTransfer.Outcome {
  /// True for everything that a link does not do in good order.
  var isFault: Bool {
    switch self {
    case .completed, .cancelled: false
    default: true
    }
  }
}
