import NFCProtocols

/// Where the chip stands on the air.
enum AirState: Hashable, Sendable {
  /// Nothing is under way.
  case quiet
  /// The command is still being taken in, or a pause of the procedure runs.
  case pausing(AirEvent)
  /// A frame is being sent; with a limit its answer is due then.
  case sending(TimeLimit?)
  /// An answer is due.
  case waiting
  /// An answer is arriving.
  case receiving
}

extension ChipModel {
  /// The longest wait of a command that has no limit on the air: one day, for arithmetic's sake.
  static let endless = Nanoseconds.seconds(86_400)

  /// Begins a procedure on the air for the command at work.
  mutating func begin(
    _ procedure: any AirProcedure, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    self.procedure = procedure
    let start = airStart(now)
    air = .pausing(.begin)
    if start <= now { return startAir(at: now, into: &outputs) }
    outputs.append(.setTimer(Self.pauseTimer, at: start))
  }

  /// When the work of the command just taken in begins on the air.
  func airStart(_ now: VirtualInstant) -> VirtualInstant {
    (running?.acknowledgedAt ?? now) + configuration.latency.radioStart
  }

  /// The command at work has ended on the air now, and its response takes a while.
  mutating func airEnded(at now: VirtualInstant) {
    guard var work = running else { return }
    work.readyAt = max(work.readyAt, now + configuration.latency.radioReport)
    running = work
  }

  private mutating func startAir(at now: VirtualInstant, into outputs: inout [ChipOutput]) {
    switchField(true, at: now, into: &outputs)
    drive(.begin, at: now, into: &outputs)
  }

  /// Stops whatever is under way on the air.
  mutating func stopAir(into outputs: inout [ChipOutput]) {
    procedure = nil
    guard air != .quiet else { return }
    air = .quiet
    outputs.append(.cancelTimer(Self.pauseTimer))
    outputs.append(.cancelTimer(Self.limitTimer))
  }

  mutating func switchField(
    _ isOn: Bool, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard isOn != fieldIsOn else { return }
    fieldIsOn = isOn
    if isOn {
      registers[.txControl] |= 0x03
      earliestFrame = max(earliestFrame, now + configuration.fieldGuard)
    } else {
      registers[.txControl] &= ~0x03
      hasPolledTypeA = false
      targets = []
      registers[.status2] &= ~ChipRegisters.cryptoIsOn
    }
    outputs.append(.radio(.field(isOn: isOn)))
  }

  // MARK: Events

  mutating func airTimer(
    _ timer: RadioTimer, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch (timer, air) {
    case (Self.pauseTimer, .pausing(.begin)): startAir(at: now, into: &outputs)
    case (Self.pauseTimer, .pausing(let event)): drive(event, at: now, into: &outputs)
    case (Self.limitTimer, .waiting): drive(.silence, at: now, into: &outputs)
    default: break
    }
  }

  mutating func heard(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    if case .fieldChanged(let isOn) = input {
      return externalFieldChanged(isOn, at: now, into: &outputs)
    }
    if targetMode != nil { return heardAsTarget(input, at: now, into: &outputs) }
    if blockWork != nil { return heardBlock(input, at: now, into: &outputs) }
    switch (input, air) {
    case (.sent, .sending(let limit)):
      guard let limit else { return drive(.ready, at: now, into: &outputs) }
      air = .waiting
      outputs.append(.radio(.awaitAnswer(limit)))
      // An answer at the limit is in time, so the timer runs out one nanosecond later.
      outputs.append(.setTimer(Self.limitTimer, at: now + limit.duration + Nanoseconds(1)))
    case (.receiving, .waiting):
      air = .receiving
      outputs.append(.cancelTimer(Self.limitTimer))
    case (.received(let frame), .receiving):
      noteAnswer(frame, at: now)
      drive(.answer(frame), at: now, into: &outputs)
    default: break
    }
  }

  private mutating func heardBlock(
    _ input: RadioInput, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch input {
    case .sent: step(.sent, at: now, into: &outputs)
    case .receiving: step(.receiving, at: now, into: &outputs)
    case .received(let frame):
      noteAnswer(frame, at: now)
      step(.received(frame), at: now, into: &outputs)
    default: break
    }
  }

  /// Keeps what the registers tell of an answer.
  private mutating func noteAnswer(_ frame: RadioFrame, at now: VirtualInstant) {
    earliestFrame = max(earliestFrame, now + ProtocolTiming.cardToReaderMinimum)
    queueByte = frame.bytes.first ?? queueByte
    registers[.control] = registers[.control] & ~0x07 | frame.lastByteBits & 0x07
    registers[.commIrq] |= ChipRegisters.receiverInterrupt
  }

  /// Sends a frame not before the air is free.
  private mutating func send(
    _ frame: RadioFrame, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    // Without an answer the data queue shows what was sent: nfcpy looks for the 26 of REQA.
    // Quirk: firmware-notes/pn53x/data-queue-after-silence.md.
    queueByte = frame.bytes.first ?? queueByte
    registers[.commIrq] &= ~ChipRegisters.receiverInterrupt
    outputs.append(.radio(.send(frame, after: max(.zero, earliestFrame - now))))
  }

  /// Lets the procedure decide, and does what it says.
  mutating func drive(
    _ event: AirEvent, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    guard var current = procedure else { return }
    procedure = nil
    let move = current.next(event, at: now)
    procedure = current
    perform(move, at: now, into: &outputs)
  }

  private mutating func perform(
    _ move: AirMove, at now: VirtualInstant, into outputs: inout [ChipOutput]
  ) {
    switch move {
    case .exchange(let frame, let limit):
      air = .sending(limit)
      send(frame, at: now, into: &outputs)
    case .send(let frame):
      air = .sending(nil)
      send(frame, at: now, into: &outputs)
    case .pause(let instant):
      air = .pausing(.ready)
      outputs.append(.setTimer(Self.pauseTimer, at: instant))
    case .done(let result):
      procedure = nil
      air = .quiet
      airEnded(at: now)
      finish(result, at: now, into: &outputs)
    }
  }
}
