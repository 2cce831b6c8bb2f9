import NFCProtocols

/// The reader's half against a card that the test speaks for.
///
/// Steps give what the reader did as lines: `> 02 00` a block (CRC checked and left out), `= 90 00`
/// a response, and words for the rest. Frames take no time on this air.
struct ReaderPlaybook {
  var reader: IsoDepInitiator
  var now = VirtualInstant.start
  var timer: VirtualInstant?
  var limit: TimeLimit?
  var notes: [RadioNote] = []
  var failure: IsoDepFailure?
  /// The delays with which the reader asked to send its blocks.
  var delays: [Nanoseconds] = []

  init(
    _ parameters: IsoDepParameters = IsoDepParameters(cardFrameSize: 256), fwi: UInt8 = 7,
    margin: Nanoseconds = .zero, recovery: RecoveryPolicy = RecoveryPolicy()
  ) {
    reader = IsoDepInitiator(
      parameters,
      timings: IsoDepTimings(FrameWaitingTime(integer: fwi), waitingTimeMargin: margin),
      recovery: recovery)
  }

  mutating func command(_ text: String) -> [String] { command(hex(text)) }
  mutating func command(_ bytes: [UInt8]) -> [String] { run(.transceive(bytes)) }
  mutating func checkPresence() -> [String] { run(.checkPresence) }
  mutating func deselect() -> [String] { run(.deselect) }

  /// The card's block begins `after` the end of the reader's last frame.
  mutating func card(
    _ text: String, after delay: Nanoseconds = .microseconds(100), crc: CRCState = .good
  ) -> [String] {
    card(bytes: hex(text), after: delay, crc: crc)
  }

  mutating func card(
    bytes: [UInt8], after delay: Nanoseconds = .microseconds(100), crc: CRCState = .good
  ) -> [String] {
    now = now + delay
    if let timer, timer <= now { return ["(the timer ran out before this block began)"] }
    var frame = RadioFrame.protected(bytes, reader.parameters.technology)
    frame.crc = crc
    return run(.receiving) + run(.received(frame))
  }

  /// A frame that is no sound block.
  mutating func garbage(_ frame: RadioFrame) -> [String] {
    now = now + .microseconds(100)
    return run(.receiving) + run(.received(frame))
  }

  /// Nothing comes until the timer runs out.
  mutating func silence() -> [String] {
    guard let timer else { return ["(no timer is running)"] }
    now = timer
    self.timer = nil
    return run(.timerFired)
  }

  mutating func run(_ input: IsoDepInitiator.Input) -> [String] {
    var outputs: [IsoDepInitiator.Output] = []
    reader.step(input, at: now, into: &outputs)
    var lines: [String] = []
    var hasSent = false
    for output in outputs {
      switch output {
      case .send(let frame, let delay):
        hasSent = true
        delays.append(delay)
        now = now + delay
        lines.append("> " + text(frame))
      case .setTimer(let at): timer = at
      case .cancelTimer: timer = nil
      case .awaitAnswer(let limit): self.limit = limit
      case .response(let bytes): lines.append(("= " + Hexadecimal.pairs(bytes)))
      case .present: lines.append("present")
      case .deselected(let confirmed): lines.append(confirmed ? "deselected" : "left alone")
      case .failed(let failure):
        self.failure = failure
        lines.append("failed")
      case .note(let note): notes.append(note)
      }
    }
    return hasSent ? lines + run(.sent) : lines
  }
}

/// The card's half against a reader that the test speaks for; see `ReaderPlaybook` for the lines.
struct CardPlaybook {
  var card: IsoDepTarget
  var now = VirtualInstant.start
  var timer: VirtualInstant?
  /// When the last block began, from the end of the reader's last frame.
  var delay: Nanoseconds?
  private var heard = VirtualInstant.start

  init(
    _ parameters: IsoDepParameters = IsoDepParameters(cardFrameSize: 256), fwi: UInt8 = 7,
    waiting: IsoDepTarget.WaitingPolicy = .standard
  ) {
    card = IsoDepTarget(
      parameters, timings: IsoDepTimings(FrameWaitingTime(integer: fwi)), waiting: waiting)
  }

  mutating func reader(_ text: String) -> [String] { reader(bytes: hex(text)) }

  mutating func reader(bytes: [UInt8], crc: CRCState = .good) -> [String] {
    now = now + .milliseconds(1)
    heard = now
    var frame = RadioFrame.protected(bytes, card.parameters.technology)
    frame.crc = crc
    return run(.received(frame))
  }

  mutating func response(_ text: String, after delay: Nanoseconds = .zero) -> [String] {
    run(.response(hex(text), after: delay))
  }

  mutating func wait() -> [String] {
    guard let timer else { return ["(no timer is running)"] }
    now = timer
    self.timer = nil
    return run(.timerFired)
  }

  mutating func run(_ input: IsoDepTarget.Input) -> [String] {
    var outputs: [IsoDepTarget.Output] = []
    card.step(input, at: now, into: &outputs)
    var lines: [String] = []
    for output in outputs {
      switch output {
      case .send(let frame, let after):
        delay = now + after - heard
        now = now + after
        lines.append("< " + text(frame))
      case .setTimer(let at): timer = at
      case .cancelTimer: timer = nil
      case .command(let bytes): lines.append("? " + Hexadecimal.pairs(bytes))
      case .deselected: lines.append("deselected")
      case .note: break
      }
    }
    return lines
  }
}

private func text(_ frame: RadioFrame) -> String {
  guard CRC16(of: frame.technology ?? .a).check(frame.bytes) else { return "wrong CRC" }
  return Hexadecimal.pairs(Array(frame.bytes.dropLast(2)))
}
