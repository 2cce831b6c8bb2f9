public import NFCProtocols
import PN53x
public import Replay

/// An ACR122U: a PN532 behind a firmware that speaks CCID and takes pseudo-APDUs.
///
/// What the firmware does by itself (polling, its time limits) is not documented; what is here is
/// what libnfc, nfcpy and libccid rely on and nothing else.
public struct ACR122Reader: VirtualReader {
  /// The PN532 and what is in its field, in PN53x host frames.
  public var base: SimulatedReader
  private var incoming: [UInt8] = []
  private var waiting: [CCIDMessage] = []
  private var work: ACR122Work?
  private var decoder = HostFrameDecoder()
  private var deliveries: [HostDelivery] = []
  private var slot = ACR122Slot()

  /// How long the firmware waits for the chip before it answers `63 00`: 5 s, the smallest step of
  /// its own setting (`FF 00 41`); the default of real readers is not known.
  public static let chipTimeLimit = Nanoseconds.seconds(5)
  /// The most messages that wait while one is worked on; a reader says that it takes one.
  public static let maximumWaiting = 16

  /// Puts the firmware in front of a PN532.
  public init(_ base: SimulatedReader) { self.base = base }

  /// Takes one OUT transfer: a message or a part of one.
  public mutating func host(_ transfer: [UInt8], at instant: VirtualInstant) -> VirtualInstant {
    incoming += transfer
    do throws(PN53xError) {
      while let length = try CCIDMessage.length(of: incoming[...]), incoming.count >= length {
        let message = try CCIDMessage(Array(incoming[..<length]))
        incoming.removeFirst(length)
        if waiting.count < Self.maximumWaiting { waiting.append(message) }
      }
    } catch {
      incoming.removeAll()
    }
    beginNext(at: max(instant, base.now))
    return instant
  }

  /// When the chip or the firmware has something to do.
  public var nextInstant: VirtualInstant? {
    [base.nextInstant, work?.deadline].compactMap { $0 }.min()
  }

  /// Lets time pass.
  public mutating func advance(to instant: VirtualInstant) {
    while let next = nextInstant, next <= instant {
      base.advance(to: next)
      takeFromChip()
      if let deadline = work?.deadline, deadline <= next { chipIsSilent(at: next) }
    }
    base.advance(to: instant)
  }

  /// Takes what has reached the host.
  public mutating func takeDeliveries() -> [HostDelivery] {
    defer { deliveries = [] }
    return deliveries
  }

  /// Puts a card into the field.
  public mutating func insert(_ card: any RadioEndpoint, at instant: VirtualInstant) {
    base.insert(card, at: instant)
  }

  /// Takes away what is in the field.
  public mutating func removeCard(at instant: VirtualInstant) { base.removeCard(at: instant) }

  // MARK: The chip

  private mutating func takeFromChip() {
    for delivery in base.takeDeliveries() {
      guard delivery.kind == .transfer else {
        deliveries.append(delivery)
        continue
      }
      var events: [HostFrameEvent] = []
      decoder.decode(delivery.bytes, into: &events)
      for event in events {
        guard case .frame(let frame) = event, !frame.body.isEmpty else { continue }
        chipAnswered(frame.body, at: delivery.at)
      }
    }
  }

  private mutating func chipAnswered(_ body: [UInt8], at instant: VirtualInstant) {
    // What comes after its time limit is for nobody.
    guard let done = work, done.isAnswered(by: body) else { return }
    work = nil
    reply(slot.answer(done, with: body), to: done.message, at: instant)
    beginNext(at: instant)
  }

  private mutating func chipIsSilent(at instant: VirtualInstant) {
    guard let done = work else { return }
    work = nil
    _ = base.host(HostFrame.ack.encoded(), at: instant)
    reply(slot.answer(done, with: nil), to: done.message, at: instant)
    beginNext(at: instant)
  }

  // MARK: Messages

  private mutating func beginNext(at instant: VirtualInstant) {
    while work == nil, !waiting.isEmpty {
      let message = waiting.removeFirst()
      switch slot.begin(message) {
      case .reply(let answer): reply(answer, to: message, at: instant)
      case .command(let body, let kind):
        let isNormal = body.count <= InformationForm.normalMaximumBodyLength
        let frame = HostFrame.information(body, isNormal ? .normal : .extended)
        work = ACR122Work(
          message: message, kind: kind, command: body, deadline: instant + Self.chipTimeLimit)
        _ = base.host(frame.encoded(), at: instant)
        base.advance(to: instant)
        takeFromChip()
      }
    }
  }

  private mutating func reply(
    _ answer: ACR122Answer, to message: CCIDMessage, at instant: VirtualInstant
  ) {
    let answer = CCIDMessage(
      type: answer.type, slot: message.slot, sequence: message.sequence,
      parameters: answer.parameters, data: answer.data)
    deliveries.append(HostDelivery(at: instant, answer.bytes))
  }
}

/// A message that waits for the chip.
struct ACR122Work {
  /// What the chip's answer is for.
  enum Kind {
    /// A command of the host for the chip.
    case body
    /// IccPowerOn: is a card there?
    case powerOn
    /// An APDU for the card.
    case apdu
  }

  var message: CCIDMessage
  var kind: Kind
  /// The command, from the TFI on.
  var command: [UInt8]
  var deadline: VirtualInstant

  /// True if a body is the answer: the code is one more, or it is the error frame.
  func isAnswered(by body: [UInt8]) -> Bool {
    if body == [HostFrame.errorIdentifier] { return true }
    return body.count > 1 && command.count > 1 && body[1] == command[1] &+ 1
  }

  /// True for InListPassiveTarget of type A cards.
  var listsTypeA: Bool { command.count > 3 && command[1] == 0x4A && command[3] == 0 }
}

/// What goes back to the host.
struct ACR122Answer {
  var type: CCIDMessage.MessageType
  var data: [UInt8] = []
  var parameters = CCIDMessage.Parameters()
}
