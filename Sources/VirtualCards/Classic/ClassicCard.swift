public import Exploration
public import NFCProtocols

/// MIFARE Classic at the level of its commands, without the cipher on the air.
///
/// Crypto1 is not modelled. Authentication is one exchange in the form in which PN53x hosts give
/// it: `60|61 block key(6)` and at wish the last four bytes of the UID. The right key is answered
/// with ACK, a wrong one with silence, and the card leaves ACTIVE; all other commands and answers
/// are those of the card in plain text. The two-byte form of the air (`60 block`) is answered with
/// a nonce, and what follows fails, since no card without the cipher can go on.
public struct ClassicCard: CardModel {
  /// The size.
  public let size: ClassicSize
  /// The blocks as they are now.
  public private(set) var memory: CardMemory
  /// Activation.
  public private(set) var activation: TypeAActivation
  /// The time that commands take inside the card, on top of the shortest frame delay.
  public var processing: Type2Card.Processing

  /// The sector that is open, and with which key.
  var session: (sector: Int, key: ClassicKey)?
  /// The first half of a command of two steps.
  var pending: Pending?
  /// The transfer buffer of value operations.
  var transferBuffer: ClassicValue?
  private let image: CardImage
  private var decisions: any Decisions

  /// What the next frame completes.
  enum Pending: Hashable, Sendable {
    case write(Int)
    case change(UInt8, Int)
    case nonceAnswer
  }

  /// Makes a card from an image.
  ///
  /// - Throws: `CardImageError` if the image is of another kind or lacks UID or blocks.
  public init(
    _ image: CardImage, decisions: any Decisions = CalmDecisions(),
    processing: Type2Card.Processing = Type2Card.Processing()
  ) throws(CardImageError) {
    guard case .classic(let size) = image.kind else {
      throw .notModelled(kind: image.kindName)
    }
    guard image.memory.unitSize == 16, image.memory.unitCount == size.blockCount else {
      throw .missing(
        what: "\(size.blockCount) blocks of 16 bytes", remedy: "give a dump of the whole card")
    }
    self.size = size
    self.image = image
    self.decisions = decisions
    self.processing = processing
    memory = image.memory
    let atqa = size.atqa(uidLength: image.uid.count)
    activation = TypeAActivation(try image.typeAIdentity(sak: size.sak, atqa: atqa))
  }

  /// The product's name.
  public var name: String { size.name }
  /// One line: product, UID, blocks.
  public var summary: String { image.summary }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      activation.fieldChanged(isOn: isOn, decisions: &decisions)
      endSession()
    case .received(let frame):
      receive(frame, into: &outputs)
    case .start, .receiving, .sent, .timer, .application, .applicationEnded:
      break
    }
  }

  private mutating func receive(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    switch activation.receive(frame) {
    case .silence:
      endSession()
    case .answer(let answer), .selected(let answer):
      endSession()
      outputs.append(.send(answer, after: TypeAFrameDelay.afterCommand(frame)))
    case .forCard:
      let (answer, time) = execute(SelectedCommand(frame))
      guard let reply = answer.frame else { return }
      let delay = TypeAFrameDelay.afterCommand(frame, processing: time)
      outputs.append(.send(reply, after: delay))
    }
  }

  // MARK: State that commands change

  mutating func store(_ block: Int, _ content: [UInt8]) { memory.set(block, to: content) }

  mutating func endSession() {
    session = nil
    pending = nil
    transferBuffer = nil
  }

  /// After an error the card leaves ACTIVE and forgets the authentication.
  mutating func fail() {
    activation.leave()
    endSession()
  }

  mutating func drawNonce() -> [UInt8] { randomBytes(4, "card.nonce", &decisions) }

  /// The UID of this power-up.
  var uid: [UInt8] { activation.uid }
}
