import NFCProtocols
import PN53x

/// What a message between host and chip carries, with the places of its bytes.
enum TracedContent {
  /// Nothing of the exchange between reader and card.
  case nothing
  /// A command or response APDU.
  case apdu(Direction, TracedBytes)
  /// A frame on the air.
  case radio(Direction, RadioFrame, TracedBytes)
  /// A card was activated.
  case activation(Technology, sak: UInt8?, isISODEP: Bool)
  /// The field went off.
  case fieldOff
}

/// Lifts what reader and card say out of host frames, CCID messages and NCI packets.
///
/// The interpreters say what there is; the places follow from where each message keeps its load.
struct CarrierTracer: Sendable {
  private var chip = ChipInterpreter()
  private var controller = NCIInterpreter()
  private var words = TextBuffer()
  private var command: Command?
  /// The loads of the messages so far, of which a joined APDU is the tail.
  private var fromHost = TracedBytes()
  private var fromChip = TracedBytes()
  /// True if the last CCID request was for the card itself.
  private var expectsAnswerOfCard = false

  /// The longest tail in bytes of loads that is kept: the longest APDU that is joined.
  private static let longestTail = ChipInterpreter.maximumJoinedLength

  /// Lifts what a message carries, and appends the identifiers of cards that it names.
  mutating func lift(
    _ message: TracedMessage, identifiers: inout [TracedBytes]
  ) -> TracedContent {
    words.removeAll()
    switch message.content {
    case .frame(let frame, let body):
      let content = chip.interpret(message.direction, frame, into: &words)
      note(body, &identifiers)
      return place(content, load(of: body), message.direction)
    case .ccid(let whole):
      return ccid(whole, message.direction, &identifiers)
    case .nci(let packet):
      let content = controller.interpret(message.direction, packet.bytes, into: &words)
      if let range = Self.identifier(inNCI: packet.bytes) { identifiers.append(packet[range]) }
      let isData = packet.count > 3 && packet.bytes[0] >> 5 == 0
      return place(content, isData ? packet[3..<packet.count] : nil, message.direction)
    case .other:
      return .nothing
    }
  }

  private mutating func ccid(
    _ whole: TracedBytes, _ direction: Direction, _ identifiers: inout [TracedBytes]
  ) -> TracedContent {
    let content = chip.interpret(ccid: whole.bytes, into: &words)
    guard let message = try? CCIDMessage(whole.bytes) else { return .nothing }
    let data = whole[CCIDMessage.headerLength..<whole.count]
    if message.type.isAnswer {
      guard case .body(let body) = ACR122Envelope.Reply(message.data) else {
        // An answer of the card itself to an APDU without an envelope.
        let isForCard = expectsAnswerOfCard && message.type == .dataBlock && data.count >= 2
        return isForCard ? .apdu(.inbound, data) : .nothing
      }
      let traced = data[0..<body.count]
      note(traced, &identifiers)
      return place(content, load(of: traced), direction)
    }
    expectsAnswerOfCard = false
    switch ACR122Envelope.Request(message.data) {
    case .body(let body):
      let traced = data[(data.count - body.count)..<data.count]
      note(traced, &identifiers)
      return place(content, load(of: traced), direction)
    case .other where message.type == .transferBlock && data.count >= 4:
      expectsAnswerOfCard = true
      return .apdu(.outbound, data)
    default: return .nothing
    }
  }

  /// The part of a body that goes to or comes from the other side of the air.
  private func load(of body: TracedBytes) -> TracedBytes? {
    guard body.count >= 2 else { return nil }
    let header: Int
    switch (body.bytes[0], body.bytes[1]) {
    case (0xD4, 0x42), (0xD4, 0x8E), (0xD4, 0x90), (0xD4, 0x94): header = 2
    case (0xD4, 0x40), (0xD5, 0x41), (0xD5, 0x43), (0xD5, 0x87), (0xD5, 0x89), (0xD5, 0x8D):
      header = 3
    case (0xD6, 0x04): header = 4
    case (0xD7, 0x05): header = 7
    default: return nil
    }
    return body.count > header ? body[header..<body.count] : nil
  }

  /// Gives what an interpreter lifted the places of the load that it was made of.
  private mutating func place(
    _ content: LiftedContent, _ load: TracedBytes?, _ direction: Direction
  ) -> TracedContent {
    switch content {
    case .nothing:
      if let load { keep(load, direction) }
      return .nothing
    case .activation(let technology, let sak, let isISODEP):
      return .activation(technology, sak: sak, isISODEP: isISODEP)
    case .field(let isOn):
      return isOn ? .nothing : .fieldOff
    case .radio(let way, let frame):
      guard let load, let traced = Self.tail(load, frame.bytes) else { return .nothing }
      return .radio(way, frame, traced)
    case .apdu(let way, let bytes):
      if let load { keep(load, direction) }
      let tail = direction == .outbound ? fromHost : fromChip
      if direction == .outbound { fromHost.removeAll() } else { fromChip.removeAll() }
      return Self.tail(tail, bytes).map { .apdu(way, $0) } ?? .nothing
    }
  }

  private mutating func keep(_ load: TracedBytes, _ direction: Direction) {
    if direction == .outbound {
      Self.keep(load, in: &fromHost)
    } else {
      Self.keep(load, in: &fromChip)
    }
  }

  private static func keep(_ load: TracedBytes, in tail: inout TracedBytes) {
    if tail.count + load.count > longestTail { tail.removeAll() }
    tail.append(load)
  }

  /// The bytes at the end of a load, or in front of its last byte: the status that some end with.
  private static func tail(_ load: TracedBytes, _ bytes: [UInt8]) -> TracedBytes? {
    for end in [load.count, load.count - 1] {
      let start = end - bytes.count
      if start >= 0, load.bytes[start..<end].elementsEqual(bytes) { return load[start..<end] }
    }
    return nil
  }

  // MARK: Identifiers

  /// Takes note of a command, or of the cards that the answer to it names.
  private mutating func note(_ body: TracedBytes, _ identifiers: inout [TracedBytes]) {
    if body.bytes.first == HostFrame.hostToChip {
      command = try? Command(body: body.bytes, for: chip.chip)
      return
    }
    guard let command, body.bytes.first == HostFrame.chipToHost,
      let response = try? Response(body: body.bytes, to: command, from: chip.chip)
    else { return }
    var targets: [PassiveTarget] = []
    switch response {
    case .passiveTargets(let found): targets = found
    case .autoPolled(let entries): targets = entries.compactMap { try? $0.target(on: chip.chip) }
    default: return
    }
    for target in targets {
      if let range = body.firstRange(of: Self.identifier(of: target), from: 2) {
        identifiers.append(body[range])
      }
    }
  }

  private static func identifier(of target: PassiveTarget) -> [UInt8] {
    switch target.data {
    case .typeA(let data): data.uid
    case .typeB(let data): Array(data.atqb.dropFirst().prefix(4))
    case .feliCa(let data): data.nfcid2
    case .jewel(let data): data.identifier
    }
  }

  /// Where RF_INTF_ACTIVATED_NTF holds the identifier (NCI 2.0, tables 54 to 59).
  private static func identifier(inNCI packet: [UInt8]) -> Range<Int>? {
    guard packet.count > 13, packet[0] == 0x61, packet[1] == 0x05 else { return nil }
    let range: Range<Int>
    switch packet[6] {
    case 0x00: range = 13..<(13 + Int(packet[12]))
    case 0x01: range = 11..<15
    case 0x02, 0x06: range = 12..<20
    default: return nil
    }
    return range.upperBound <= packet.count && !range.isEmpty ? range : nil
  }
}
