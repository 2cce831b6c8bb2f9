public import NFCProtocols

/// An ISO/IEC 15693 card (NFC Forum Type 5): inventory, the three states, mandatory and optional
/// commands of ISO/IEC 15693-3.
///
/// An end-of-frame pulse of the reader alone (next slot, or the answer to a write with the option
/// flag) is a frame without bytes. Not modelled: vendor commands (A0 and up), extended commands,
/// 256-of-1 coding as such, dual subcarriers.
public struct Type5Card: CardModel {
  /// The UID, most significant byte (E0) first.
  public let uid: [UInt8]
  /// The blocks as they are now.
  public private(set) var memory: CardMemory
  /// DSFID, AFI, locks.
  public private(set) var information: VicinityInformation
  /// The state.
  public private(set) var state = State.powerOff
  /// The time that writing takes; rounded up to the grid of t1.
  public var writeTime: Nanoseconds

  /// Slots until this card answers an inventory of 16 slots.
  var slotsToWait: Int?
  /// The answer to a write with the option flag, which waits for the end-of-frame pulse.
  var heldAnswer: [UInt8]?
  private let image: CardImage

  /// The states of ISO/IEC 15693-3 7.2.
  public enum State: Hashable, Sendable {
    /// No field.
    case powerOff
    /// Answers inventories.
    case ready
    /// Answers only what is addressed to it.
    case quiet
    /// Also answers what is for the selected card.
    case selected
  }

  /// The nominal time from the reader's last pulse to the answer: t1, 15693-3 table 7.
  public static let answerDelay = Nanoseconds.carrierCycles(4_352)
  /// The grid of answers to write commands: 4096/fc behind t1 (15693-3 8.3.1).
  public static let writeGridCycles: Int64 = 4_096
  /// The limit for write commands: 20 ms.
  public static let greatestWriteTime = Nanoseconds.milliseconds(20)

  /// Makes a card from an image.
  ///
  /// - Throws: `CardImageError` if the image is of another kind or lacks UID or blocks.
  public init(
    _ image: CardImage, writeTime: Nanoseconds = .milliseconds(5)
  ) throws(CardImageError) {
    guard image.kind == .vicinity else { throw .notModelled(kind: image.kindName) }
    guard image.uid.count == 8 else {
      throw .missing(what: "UID of 8 bytes", remedy: "give a dump that holds the UID")
    }
    guard (1...256).contains(image.memory.unitCount), image.memory.unitSize <= 32 else {
      throw .missing(
        what: "1 to 256 blocks of at most 32 bytes", remedy: "give a dump that holds the memory")
    }
    self.image = image
    self.writeTime = min(writeTime, Self.greatestWriteTime)
    uid = image.uid
    memory = image.memory
    information = image.vicinity ?? VicinityInformation()
    let missing = memory.unitCount - information.lockedBlocks.count
    if missing > 0 { information.lockedBlocks += [Bool](repeating: false, count: missing) }
  }

  /// What it is.
  public var name: String { image.kindName }
  /// One line: UID, blocks, NDEF.
  public var summary: String { image.summary }

  /// Takes one input.
  public mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    switch input {
    case .fieldChanged(let isOn):
      state = isOn ? .ready : .powerOff
      slotsToWait = nil
      heldAnswer = nil
    case .received(let frame):
      guard state != .powerOff else { return }
      receive(frame, into: &outputs)
    case .start, .receiving, .sent, .timer, .application, .applicationEnded:
      break
    }
  }

  private mutating func receive(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    if frame.isCollision || frame.isTruncated { return }
    if let technology = frame.technology, technology != .v { return }
    guard let first = frame.bytes.first else {
      endOfFrame(frame, into: &outputs)
      return
    }
    slotsToWait = nil
    heldAnswer = nil
    guard frame.crc != .bad else { return }
    let content: [UInt8]
    if frame.crc == .notCaptured {
      content = frame.bytes
    } else {
      guard CRC16.b.check(frame.bytes) else { return }
      content = Array(frame.bytes.dropLast(CRC16.byteCount))
    }
    guard let answer = respond(to: content) else { return }
    send(answer.bytes, flags: first, after: delay(isWrite: answer.isWrite), into: &outputs)
  }

  private mutating func endOfFrame(_ frame: RadioFrame, into outputs: inout [RadioOutput]) {
    if let answer = heldAnswer {
      heldAnswer = nil
      send(answer, flags: 0x02, after: Self.answerDelay, into: &outputs)
    } else if let slots = slotsToWait {
      slotsToWait = slots > 1 ? slots - 1 : nil
      guard slots == 1 else { return }
      send(inventoryAnswer, flags: 0x02, after: Self.answerDelay, into: &outputs)
    }
  }

  /// The data rate of the answer is bit 2 of the request's flags (15693-3 table 3).
  private func send(
    _ bytes: [UInt8], flags: UInt8, after delay: Nanoseconds, into outputs: inout [RadioOutput]
  ) {
    let rate: UInt16 = flags & 0x02 != 0 ? 26 : 6
    outputs.append(.send(.protected(bytes, .v, kilobitsPerSecond: rate), after: delay))
  }

  private func delay(isWrite: Bool) -> Nanoseconds {
    guard isWrite else { return Self.answerDelay }
    let grid = Nanoseconds.carrierCycles(Self.writeGridCycles).count
    let steps = max(0, (writeTime.count - Self.answerDelay.count + grid - 1) / grid)
    return Self.answerDelay + .carrierCycles(steps * Self.writeGridCycles)
  }

  // MARK: State that commands change

  mutating func enter(_ next: State) { state = next }
  mutating func store(_ block: Int, _ content: [UInt8]) { memory.set(block, to: content) }
  mutating func lock(_ block: Int) { information.lockedBlocks[block] = true }
  mutating func change(_ body: (inout VicinityInformation) -> Void) { body(&information) }

  /// Flags, DSFID and UID, least significant byte first.
  var inventoryAnswer: [UInt8] { [0x00, information.dsfid] + uid.reversed() }
}
