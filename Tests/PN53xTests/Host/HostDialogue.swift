import NFCProtocols
import PN53x
import Testing

/// A dialogue of a host engine with a chip that the test plays, in the notation of the scenarios:
/// `02`, `4A 01 00` are bodies after D4 or D5; `ACK`, `NACK`, `ERR` are frames; `raw …` is as is.
final class HostDialogue {
  private(set) var engine: HostEngine
  var now = VirtualInstant.start
  /// Transfers that the engine has sent and the test has not yet looked at.
  private(set) var sent: [String] = []
  private(set) var outcomes: [CommandOutcome] = []
  private(set) var answers: [Result<[UInt8], CommandFailure>] = []
  private(set) var notes: [HostNote] = []
  /// False if the test reports the ends of transfers itself.
  var reportsSent = true
  private(set) var deadline: VirtualInstant?

  init(_ configuration: HostEngineConfiguration = .usb) {
    engine = HostEngine(configuration)
  }

  func perform(_ command: Command, _ timing: CommandTiming = .within(.seconds(1))) {
    input(.perform(command, timing))
  }

  /// The chip sends one transfer for each text.
  func chip(_ texts: String...) {
    for text in texts { input(.received(Self.bytes(text))) }
  }

  /// The chip sends all frames in one transfer.
  func chip(merged texts: String...) {
    input(.received(texts.flatMap { Self.bytes($0) }))
  }

  /// Time goes on; timers fire when they are due.
  func wait(_ time: Nanoseconds) {
    let end = now + time
    while let deadline, deadline <= end {
      now = deadline
      self.deadline = nil
      input(.timer)
    }
    now = end
  }

  func wait(milliseconds: Int64) { wait(.milliseconds(milliseconds)) }

  func input(_ input: HostInput) {
    var queue = [input]
    while !queue.isEmpty {
      var outputs: [HostOutput] = []
      engine.step(queue.removeFirst(), at: now, into: &outputs)
      for output in outputs {
        switch output {
        case .send(let bytes):
          sent.append(text(bytes))
          if reportsSent { queue.append(.sent) }
        case .setTimer(let instant): deadline = instant
        case .cancelTimer: deadline = nil
        case .completed(let outcome): outcomes.append(outcome)
        case .answered(let answer): answers.append(answer)
        case .note(let note): notes.append(note)
        }
      }
    }
  }

  // MARK: What the engine did since the last look

  func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  func takeOutcome() -> CommandOutcome? {
    #expect(outcomes.count <= 1, "one command completes once")
    defer { outcomes = [] }
    return outcomes.first
  }

  func takeNotes() -> [HostNote] {
    defer { notes = [] }
    return notes
  }

  func takeResponse() -> Response? {
    try? takeOutcome()?.result.get()
  }

  func takeFailure() -> CommandFailure? {
    if case .failure(let failure)? = takeOutcome()?.result { failure } else { nil }
  }

  // MARK: Notation

  static func bytes(_ text: String) -> [UInt8] {
    switch text {
    case "ACK": return HostFrame.ack.encoded()
    case "NACK": return HostFrame.nack.encoded()
    case "ERR": return HostFrame.error.encoded()
    default: break
    }
    if text.hasPrefix("raw ") { return hex(String(text.dropFirst(4))) }
    return frame([HostFrame.chipToHost] + hex(text))
  }

  static func frame(_ body: [UInt8]) -> [UInt8] {
    HostFrame.information(body, body.count > 255 ? .extended : .normal).encoded()
  }

  private func text(_ bytes: [UInt8]) -> String {
    if engine.configuration.link == .ccid(usesEscape: false) { return Hexadecimal.pairs(bytes) }
    var decoder = HostFrameDecoder()
    var events: [HostFrameEvent] = []
    decoder.decode(bytes, into: &events)
    let words = events.map { event in
      switch event {
      case .frame(.ack): "ACK"
      case .frame(.nack): "NACK"
      case .frame(.error): "ERR"
      case .frame(.information(let body, _)): Hexadecimal.pairs(Array(body.dropFirst()))
      case .wakeUp: "wake"
      case .corrupt: "corrupt"
      }
    }
    return words.joined(separator: " ")
  }
}

extension Command {
  static let poll = Command.inListPassiveTarget(maximum: 1, .typeA106, initiatorData: [])
  static func exchange(_ bytes: [UInt8]) -> Command { .inDataExchange(TargetReference(1), bytes) }
}
