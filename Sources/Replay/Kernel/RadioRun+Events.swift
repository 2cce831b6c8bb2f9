import Exploration
import NFCProtocols

extension RadioRun {
  /// What an event does; one `switch` over all of them.
  mutating func handle(_ event: RunEvent) {
    switch event.kind {
    case .start:
      step(event.side, .start)
    case .frameStart:
      frameStarts(Int(event.number), from: event.side)
    case .frameEnd:
      frameEnds(Int(event.number), from: event.side)
    case .timer:
      // Timers are the endpoint's own affair; what comes of them is logged.
      step(event.side, .timer(RadioTimer(UInt8(event.number))))
    case .fieldOn:
      step(.card, .fieldChanged(isOn: true))
    case .fieldOff:
      step(.card, .fieldChanged(isOn: false))
    case .application:
      let slot = Int(event.number)
      let bytes = messages[slot]
      messages[slot] = []
      freeMessages.append(slot)
      logApplication(event.side, event.side.sends, bytes)
      step(event.side, .application(bytes))
    case .applicationEnded:
      logLine(event.side) { $0.append("application ended") }
      step(event.side, .applicationEnded)
    }
  }

  /// What an output does; one `switch` over all of them.
  mutating func perform(_ output: RadioOutput, of side: RunSide) {
    switch output {
    case .send(let frame, let after):
      launch(frame, after: after, from: side)
    case .setTimer(let timer, let instant):
      let generation = advance(timer, of: side)
      queue.add(
        RunEvent(.timer, side, number: UInt32(timer.rawValue), generation: generation),
        at: max(instant, now))
    case .cancelTimer(let timer):
      _ = advance(timer, of: side)
    case .awaitAnswer(let limit):
      // When the reader asks again, what counts is still how long the answer took altogether.
      if pendingLimit == nil {
        pendingLimit = PendingLimit(
          limit: limit,
          exchange: max(reader.exchangeNumber(of: limit), card.exchangeNumber(of: limit)),
          start: readerFrameEnd == now ? now : nil)
      }
    case .field(let isOn):
      precondition(side == .reader, "only a reader has a field to switch")
      changeField(isOn)
    case .application(let bytes):
      extensionCount = 0
      logApplication(side, side.opposite.sends, bytes)
      stops.append(.application(side, bytes))
    case .note(let note):
      if case .waitingTimeExtended = note, side == .reader { extensionCount += 1 }
      // What follows, a DESELECT say, has limits of its own.
      if note == .gaveUp, side == .reader { closeLimits() }
      log.write(at: now, name(of: side)) { RunLog.append(note, to: &$0) }
    case .finished:
      logLine(side) { $0.append("finished") }
      stops.append(.finished(side))
    }
  }

  private mutating func advance(_ timer: RadioTimer, of side: RunSide) -> UInt32 {
    let slot = side.timerSlot(UInt32(timer.rawValue))
    timerGenerations[slot] &+= 1
    return timerGenerations[slot]
  }

  private mutating func changeField(_ isOn: Bool) {
    guard isOn != fieldIsOn else { return }
    fieldIsOn = isOn
    if !isOn { fieldEpoch += 1 }
    log.write(at: now, "reader") {
      if isOn { $0.append("field on") } else { $0.append("field off") }
    }
    queue.add(RunEvent(isOn ? .fieldOn : .fieldOff, .card), at: now)
  }

  func exchangeNumber(of direction: Direction) -> Int {
    max(reader.exchangeNumber(of: direction), card.exchangeNumber(of: direction))
  }

  private mutating func launch(
    _ frame: RadioFrame, after: Nanoseconds, from side: RunSide
  ) {
    precondition(after >= .zero, "a frame cannot be sent in the past")
    let exchange = exchangeNumber(of: side.sends)
    if side == .reader, exchange == 0 || pendingLimit?.exchange != exchange { dropLimit() }
    var flight = Flight(
      frame: frame, effect: nil, exchange: exchange, fieldEpoch: fieldEpoch)
    var start = now + after
    if !faults.isEmpty, let effect = faults.strike(exchange: exchange, side: side) {
      flight.effect = effect
      if case .late(let delay) = effect { start = start + delay }
      log.write(at: now, "fault") { Self.append(effect, exchange: exchange, to: &$0) }
    }
    let slot: Int
    if let free = freeFlights.popLast() {
      slot = free
      flights[free] = flight
    } else {
      slot = flights.count
      flights.append(flight)
    }
    queue.add(RunEvent(.frameStart, side, number: UInt32(slot)), at: start)
  }

  private mutating func frameStarts(_ slot: Int, from side: RunSide) {
    let other = side.opposite
    var duration = Nanoseconds.zero
    if medium == .air {
      duration = AirTime.duration(of: flights[slot].frame, side.sends)
      if !fieldIsOn || flights[slot].fieldEpoch != fieldEpoch {
        flights[slot].isLost = true
        logLine(side) { $0.append("lost, no field") }
        // What a card without power would have sent is not on the air at all.
        if side == .card { return release(slot) }
      }
      if let crossing = onAir[Int(other.rawValue)] {
        flights[slot].isLost = true
        flights[crossing].isLost = true
        logLine(side) { $0.append("lost, collision") }
      }
      onAir[Int(side.rawValue)] = slot
    }
    logFrame(flights[slot].frame, from: side, duration: duration)
    if side == .card { answerBegins(exchange: flights[slot].exchange) }
    queue.add(RunEvent(.frameEnd, side, number: UInt32(slot)), at: now + duration)
    if flights[slot].effect != .drop, !flights[slot].isLost { step(other, .receiving) }
  }

  private mutating func answerBegins(exchange: Int) {
    guard let pending = pendingLimit else { return }
    pendingLimit = nil
    limitUses.append(
      LimitUse(
        exchange: pending.exchange > 0 && exchange > 0 ? exchange : pending.exchange,
        limit: pending.limit,
        used: now - (pending.start ?? readerFrameEnd)))
  }

  private mutating func frameEnds(_ slot: Int, from side: RunSide) {
    if onAir[Int(side.rawValue)] == slot { onAir[Int(side.rawValue)] = nil }
    if side == .reader {
      readerFrameEnd = now
      if pendingLimit != nil, pendingLimit?.start == nil { pendingLimit?.start = now }
    }
    var flight = flights[slot]
    if medium == .air, flight.fieldEpoch != fieldEpoch { flight.isLost = true }
    release(slot)
    step(side, .sent)
    guard !flight.isLost, flight.effect != .drop else { return }
    if case .corrupt(let bit) = flight.effect { Self.invert(bit, of: &flight.frame) }
    step(side.opposite, .received(flight.frame))
    if flight.effect == .duplicate { step(side.opposite, .received(flight.frame)) }
  }

  private mutating func release(_ slot: Int) {
    flights[slot].frame.bytes = []
    freeFlights.append(slot)
  }

  /// Inverts one bit of a frame as it arrives; without a number the last bit of the first byte.
  private static func invert(_ bit: Int?, of frame: inout RadioFrame) {
    guard frame.bitCount > 0 else { return }
    let bit = min(bit ?? 7, frame.bitCount - 1)
    frame.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    if frame.crc == .good { frame.crc = .bad }
  }
}
