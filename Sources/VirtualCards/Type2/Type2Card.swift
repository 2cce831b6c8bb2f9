public import Exploration
public import NFCProtocols

/// MIFARE Ultralight and NTAG: a Type 2 card with its commands, locks, counters and password.
///
/// Not modelled: 3DES and AES authentication, memory sectors above 0, mirror functions and
/// originality keys. Commands that need them are refused as the card refuses unknown ones.
public struct Type2Card: CardModel {
  /// The product.
  public let product: Type2Product
  /// The pages as they are now.
  public private(set) var memory: CardMemory
  /// The counters as they are now.
  public private(set) var counters: [CardCounter]
  /// Activation.
  public private(set) var activation: TypeAActivation
  /// The time that commands take inside the card, on top of the shortest frame delay.
  public var processing: Processing

  var configuration = Type2Configuration()
  var isAuthenticated = false
  var failedAttempts: UInt8 = 0
  var hasCountedRead = false
  /// The page of a COMPATIBILITY_WRITE whose data is still to come.
  var pendingWrite: Int?

  let version: [UInt8]?
  let signature: [UInt8]?
  let locks: Type2Locks
  private let image: CardImage
  private var decisions: any Decisions

  /// Declared processing times.
  public struct Processing: Hashable, Sendable {
    /// Reading and everything that does not write.
    public var read: Nanoseconds
    /// Programming a page; data sheets state about 4 ms (MF0ICU1 table 3) [M].
    public var write: Nanoseconds
    /// Makes times; by default reading costs nothing and writing 4.1 ms.
    public init(read: Nanoseconds = .zero, write: Nanoseconds = .microseconds(4_100)) {
      self.read = read
      self.write = write
    }
  }

  /// Makes a card from an image.
  ///
  /// - Throws: `CardImageError` if the image is of another kind or lacks UID or pages.
  public init(
    _ image: CardImage, decisions: any Decisions = CalmDecisions(),
    processing: Processing = Processing()
  ) throws(CardImageError) {
    guard case .type2(let product) = image.kind else {
      throw .notModelled(kind: image.kindName)
    }
    guard image.memory.unitSize == 4, image.memory.unitCount >= 4 else {
      throw .missing(what: "pages 0 to 3", remedy: "give a dump of the whole card")
    }
    self.product = product
    self.image = image
    self.processing = processing
    self.decisions = decisions
    memory = image.memory
    counters = image.counters
    let identity = try image.typeAIdentity(sak: 0x00)
    activation = TypeAActivation(identity)
    version = image.version ?? product.version
    signature = image.signature
    locks = Type2Locks(product: product, pageCount: image.memory.unitCount)
    if let numbers = product.counterNumbers {
      while counters.count <= numbers.upperBound { counters.append(CardCounter()) }
    }
  }

  /// The product's name.
  public var name: String { product.rawValue }
  /// One line: product, UID, pages, NDEF.
  public var summary: String { image.summary }

  /// The number of pages.
  public var pageCount: Int { memory.unitCount }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      activation.fieldChanged(isOn: isOn, decisions: &decisions)
      forgetSession()
      if isOn {
        hasCountedRead = false
        configuration =
          product.configurationPage.map { Type2Configuration(memory, at: $0) }
          ?? Type2Configuration()
      }
    case .received(let frame):
      receive(frame, into: &outputs)
    case .start, .receiving, .sent, .timer, .application, .applicationEnded:
      break
    }
  }

  private mutating func receive(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    switch activation.receive(frame) {
    case .silence:
      forgetSession()
    case .answer(let answer):
      outputs.append(.send(answer, after: TypeAFrameDelay.afterCommand(frame)))
    case .selected(let answer):
      forgetSession()
      outputs.append(.send(answer, after: TypeAFrameDelay.afterCommand(frame)))
    case .forCard:
      let (answer, time) = execute(SelectedCommand(frame))
      if case .nibble(let value) = answer, value != 0xA { leave() }
      guard let reply = answer.frame else { return leave() }
      let delay = TypeAFrameDelay.afterCommand(frame, processing: time)
      outputs.append(.send(reply, after: delay))
    }
  }

  /// A command that the card does not take ends the session.
  private mutating func leave() {
    activation.leave()
    forgetSession()
  }

  private mutating func forgetSession() {
    isAuthenticated = false
    pendingWrite = nil
  }

  // MARK: State that commands change

  mutating func store(_ page: Int, _ content: [UInt8]) { memory.set(page, to: content) }

  mutating func changeCounter(_ number: Int, by increment: UInt32) -> Bool {
    let sum = counters[number].value + increment
    guard sum <= CardCounter.greatestValue else { return false }
    counters[number].value = sum
    return true
  }
}
