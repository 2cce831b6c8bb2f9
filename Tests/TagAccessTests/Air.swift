import NFCProtocols
import TagAccess

/// Hexadecimal text as bytes; a text that is none gives no bytes, which no test expects.
func hex(_ text: String) -> [UInt8] { Hexadecimal.bytes(of: text) ?? [] }

/// A reader and a card on one field, with faults by the number of the frame: a kernel in small.
///
/// `frames` lists what went over the air, CRC included: `> 26` from the reader, `< 04 00` from the
/// card. Frames count from 1 in the order in which they begin.
struct Air<Reader: RadioEndpoint, Card: RadioEndpoint> {
  var reader: Reader
  var card: Card
  var now = VirtualInstant.start
  var frames: [String] = []
  /// When each frame began, from the end of the frame before.
  var delays: [Nanoseconds] = []
  var limits: [TimeLimit] = []
  var notes: [RadioNote] = []
  var fieldOffAt: [VirtualInstant] = []
  var fieldOnAt: [VirtualInstant] = []
  var hasFinished = false

  /// Frames that nobody hears.
  var dropped: (Int) -> Bool = { _ in false }
  /// Frames of which one bit is wrong when they arrive.
  var corrupted: (Int) -> Bool = { _ in false }
  /// How much later than asked for a frame begins.
  var late: (Int) -> Nanoseconds = { _ in .zero }
  /// After the end of this frame the card leaves the field for a while, for every reader.
  var removal: (frame: Int, pause: Nanoseconds)?
  /// The program behind the reader: gives the next command for a response.
  var nextCommand: ([UInt8]) -> [UInt8]? = { _ in nil }
  /// The program behind the card: gives the response and the time that it takes.
  var respond: ([UInt8]) -> (bytes: [UInt8], work: Nanoseconds)? = { _ in nil }

  private enum Event {
    case start
    case frameStart(isReader: Bool, RadioFrame)
    case frameEnd(isReader: Bool, RadioFrame, number: Int)
    case timer(isReader: Bool, RadioTimer, generation: Int)
    case field(Bool)
    case application(isReader: Bool, [UInt8])
    case applicationEnded
  }

  private var events: [(at: VirtualInstant, order: Int, event: Event)] = []
  private var order = 0
  private var generations = [Int](repeating: 0, count: 512)
  private var lastEnd = VirtualInstant.start
  private var isFieldOn = false
  private var isCardThere = true
  private static var mostEvents: Int { 100_000 }

  init(_ reader: Reader, _ card: Card) {
    self.reader = reader
    self.card = card
  }

  /// Runs until nothing is left to happen.
  mutating func run(firstCommand: [UInt8]? = nil) {
    add(.start, after: .zero)
    if let firstCommand { add(.application(isReader: true, firstCommand), after: .zero) }
    for _ in 0..<Self.mostEvents {
      guard
        let index = events.indices.min(by: {
          (events[$0].at, events[$0].order) < (events[$1].at, events[$1].order)
        })
      else { return }
      let next = events.remove(at: index)
      now = next.at
      handle(next.event)
    }
  }

  /// Lets an application of the reader give one more command, or end with `nil`.
  mutating func tell(_ command: [UInt8]?) {
    add(command.map { .application(isReader: true, $0) } ?? .applicationEnded, after: .zero)
    run()
  }

  private mutating func add(_ event: Event, after delay: Nanoseconds) {
    order += 1
    events.append((now + delay, order, event))
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .start:
      step(isReader: false, .start)
      step(isReader: true, .start)
    case .frameStart(let isReader, let frame):
      if !isReader, !isFieldOn || !isCardThere { return }
      delays.append(now - lastEnd)
      frames.append((isReader ? "> " : "< ") + Hexadecimal.pairs(frame.bytes))
      let number = frames.count
      let duration = AirTime.duration(of: frame, isReader ? .outbound : .inbound)
      if isHeard(number), isReader ? isCardThere : true { step(isReader: !isReader, .receiving) }
      add(.frameEnd(isReader: isReader, frame, number: number), after: duration)
    case .frameEnd(let isReader, let frame, let number):
      lastEnd = now
      step(isReader: isReader, .sent)
      guard isReader ? isCardThere : isFieldOn else { return }
      var arriving = frame
      if corrupted(number) {
        arriving.bytes[0] ^= 0x40
        if arriving.crc == .good { arriving.crc = .bad }
      }
      if isHeard(number) { step(isReader: !isReader, .received(arriving)) }
      if let removal, removal.frame == number {
        isCardThere = false
        add(.field(false), after: .zero)
        add(.field(true), after: removal.pause)
      }
    case .timer(let isReader, let timer, let generation):
      guard generations[slot(isReader, timer)] == generation else { return }
      step(isReader: isReader, .timer(timer))
    case .field(let isOn):
      isCardThere = isOn
      step(isReader: false, .fieldChanged(isOn: isOn && isFieldOn))
    case .application(let isReader, let bytes):
      step(isReader: isReader, .application(bytes))
    case .applicationEnded:
      step(isReader: true, .applicationEnded)
    }
  }

  private func isHeard(_ number: Int) -> Bool { !dropped(number) }

  private func slot(_ isReader: Bool, _ timer: RadioTimer) -> Int {
    (isReader ? 256 : 0) + Int(timer.rawValue)
  }

  private mutating func step(isReader: Bool, _ input: RadioInput) {
    var outputs: [RadioOutput] = []
    if isReader {
      reader.step(input, at: now, into: &outputs)
    } else {
      card.step(input, at: now, into: &outputs)
    }
    for output in outputs { perform(output, isReader) }
  }

  private mutating func perform(_ output: RadioOutput, _ isReader: Bool) {
    switch output {
    case .field(let isOn):
      isFieldOn = isOn
      if isOn { fieldOnAt.append(now) } else { fieldOffAt.append(now) }
      if isCardThere { step(isReader: false, .fieldChanged(isOn: isOn)) }
    case .send(let frame, let delay):
      // Later frames are not known yet: the fault counts the frame that would begin next.
      add(
        .frameStart(isReader: isReader, frame), after: delay + late(frames.count + 1))
    case .setTimer(let timer, let instant):
      generations[slot(isReader, timer)] += 1
      add(
        .timer(isReader: isReader, timer, generation: generations[slot(isReader, timer)]),
        after: max(.zero, instant - now))
    case .cancelTimer(let timer):
      generations[slot(isReader, timer)] += 1
    case .awaitAnswer(let limit):
      limits.append(limit)
    case .application(let bytes):
      if isReader {
        if let next = nextCommand(bytes) {
          add(.application(isReader: true, next), after: .zero)
        } else {
          add(.applicationEnded, after: .zero)
        }
      } else if let answer = respond(bytes) {
        add(.application(isReader: false, answer.bytes), after: answer.work)
      }
    case .note(let note):
      notes.append(note)
    case .finished:
      hasFinished = true
    }
  }
}

/// A card that knows answers by heart: whole frames with CRC in, whole frames out.
struct ScriptedCard: RadioEndpoint {
  /// Command content without CRC, and the answer; an answer that ends with `!` has no CRC.
  var answers: [(command: String, answer: String)]
  var technology = Technology.a
  var delay = Nanoseconds.microseconds(100)

  init(_ answers: [(command: String, answer: String)], _ technology: Technology = .a) {
    self.answers = answers
    self.technology = technology
  }

  mutating func step(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [RadioOutput]
  ) {
    guard case .received(let frame) = input else { return }
    let command = Hexadecimal.pairs(Array(frame.content(assuming: technology)))
    guard let index = answers.firstIndex(where: { $0.command == command }) else { return }
    let text = answers[index].answer
    if text.isEmpty { return }
    let bytes = hex(text.filter { $0 != "!" })
    let answer =
      text.hasSuffix("!")
      ? RadioFrame(bytes, technology: technology, crc: .absent)
      : RadioFrame.protected(bytes, technology)
    outputs.append(.send(answer, after: delay))
  }
}

/// A card program that answers with what it was sent and 90 00.
struct EchoCard: EmulatedCard {
  var processing = Nanoseconds.zero
  var commands: [[UInt8]] = []

  mutating func respond(to command: [UInt8]) -> EmulatedAnswer {
    commands.append(command)
    return EmulatedAnswer(command + [0x90, 0x00], processing: processing)
  }
}
