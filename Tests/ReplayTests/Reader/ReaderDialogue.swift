import NFCProtocols
import PN53x
import Replay
import Testing
import VirtualCards

/// A host that reads like a listing: sends command bodies and tells what came back.
struct ReaderDialogue {
  var reader: SimulatedReader
  /// How long one answer is waited for, in virtual time.
  var patience = Nanoseconds.seconds(3)
  private var decoder = HostFrameDecoder()

  init(
    _ configuration: ChipModelConfiguration = .pn532(latency: .zero),
    card: (any RadioEndpoint)? = nil, terminal: (any RadioEndpoint)? = nil,
    faults: ReaderFaultPlan = .none
  ) {
    reader = SimulatedReader(
      chip: ChipModel(configuration), card: card, terminal: terminal, faults: faults)
  }

  init(_ reader: SimulatedReader) { self.reader = reader }

  /// Sends a command from the code on; the response from the code on, ACK checked and left out.
  ///
  /// `7f` is the error frame, an empty list is silence after the ACK.
  mutating func send(_ command: [UInt8]) -> [UInt8] {
    let frame = HostFrame.information(
      [0xD4] + command, command.count >= 255 ? .extended : .normal)
    reader.host(frame.encoded(), at: reader.now)
    let frames = listen(count: 2)
    #expect(frames.first == .ack, "the first transfer is the ACK")
    guard frames.count == 2 else { return [] }
    return frames[1] == .error ? [0x7F] : Array(frames[1].body.dropFirst())
  }

  /// The same in hexadecimal digits; blanks may stand between bytes.
  mutating func send(_ command: String) -> String {
    guard let bytes = Hexadecimal.bytes(of: command) else {
      Issue.record("not hexadecimal: \(command)")
      return ""
    }
    return Hexadecimal.pairs(send(bytes))
  }

  /// Hands over bytes as they are.
  mutating func raw(_ bytes: [UInt8]) { reader.host(bytes, at: reader.now) }

  /// Waits for frames until there are `count` of them or patience ends.
  mutating func listen(count: Int) -> [HostFrame] {
    var found: [HostFrameEvent] = []
    let deadline = reader.now + patience
    while found.count < count, let next = reader.nextInstant, next <= deadline {
      reader.advance(to: next)
      for delivery in reader.takeDeliveries() { decoder.decode(delivery.bytes, into: &found) }
    }
    if found.count < count { reader.advance(to: deadline) }
    return found.compactMap { event in
      if case .frame(let frame) = event { return frame }
      return nil
    }
  }
}

/// Cards that tests put into the field.
enum SampleCards {
  /// "hello" as an NDEF text record.
  static let message: [UInt8] = [0xD1, 0x01, 0x08, 0x54, 0x02, 0x65, 0x6E] + Array("hello".utf8)
  static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]

  static func type4() throws -> any CardModel {
    try CardImage.type4(uid: uid, ndefMessage: message).makeCard()
  }

  static func type2() throws -> any CardModel {
    try CardImage.ntag(uid: uid, ndefMessage: message).makeCard()
  }
}

extension SampleCards {
  /// A factory-fresh MIFARE Classic 1K with a UID of four bytes.
  static func classic() throws -> any CardModel {
    try CardImage.classic(.oneK, uid: [0x11, 0x22, 0x33, 0x44]).makeCard()
  }

  static func feliCa() throws -> any CardModel {
    try CardImage.type3(
      idm: [0x02, 0xFE, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06], ndefMessage: message
    ).makeCard()
  }

  /// A card that answers every APDU with as many bytes as its last two say, after a time.
  static func echo(
    processing: Nanoseconds = .zero, ats: ATS = ATS(), typeB: Bool = false
  ) throws -> any CardModel {
    let application = CountingApplication(processing: processing)
    if typeB {
      return ApplicationCard(application, typeB: ATQB(pupi: [0xDE, 0xAD, 0xBE, 0xEF]))
    }
    let identity = TypeAIdentity(uid: try UID(uid), sak: SAK(rawValue: 0x20))
    return ApplicationCard(application, typeA: identity, ats: ats)
  }
}

/// Answers `xx … NN NN` with NNNN bytes that count up, and the number of bytes of the command.
struct CountingApplication: CardApplication {
  var processing = Nanoseconds.zero
  var name: String { "counting" }

  mutating func respond(to command: [UInt8]) -> CardAnswer {
    let last = command.suffix(2)
    let count = last.count == 2 ? Int(last[last.startIndex]) << 8 | Int(last[last.endIndex - 1]) : 0
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let length = UInt16(truncatingIfNeeded: command.count)
    return CardAnswer(
      body + [UInt8(length >> 8), UInt8(length & 0xFF)], processing: processing)
  }
}
