import Exploration
import NFCProtocols
import PN53x

/// What happens in front of the antenna.
extension SimulatedReader {
  mutating func handle(_ event: ReaderEvent) {
    switch event.kind {
    case .hostTransfer:
      guard !isUnplugged, let bytes = outbound.take() else { return }
      log.write(at: now, "host") {
        $0.append("> ")
        $0.append(compactHex: bytes)
      }
      stepChip(.host(bytes))
    case .delivery:
      if let delivery = inbound.take() { hand(over: delivery) }
    case .timer:
      let timer = RadioTimer(UInt8(event.number))
      if event.side == .chip { stepChip(.timer(timer)) } else { stepPeer(.timer(timer)) }
    case .frameStart: frameStarts(event.number, from: event.side)
    case .frameEnd: frameEnds(event.number, from: event.side)
    case .insertion: put(arrivals.take(event.number))
    case .removal: removePeer()
    case .unplugging: unplugNow()
    case .application: stepPeer(.application(messages.take(event.number)))
    case .applicationEnded: stepPeer(.applicationEnded)
    }
  }

  private mutating func unplugNow() {
    guard !isUnplugged else { return }
    isUnplugged = true
    changeChipField(false)
    outbound.removeAll()
    inbound.removeAll()
    for name in 0..<UInt32(1 << 8) { advanceTimer(name, of: .chip) }
    hand(over: HostDelivery(at: now, [], kind: .unplugged))
  }

  // MARK: The chip

  mutating func stepChip(_ input: ChipInput) {
    guard !isUnplugged else { return }
    var batch: [ChipOutput] = []
    swap(&batch, &chipOutputs)
    chip.step(input, at: now, into: &batch)
    for output in batch { perform(output) }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &chipOutputs)
  }

  private mutating func perform(_ output: ChipOutput) {
    switch output {
    case .host(let bytes, let after):
      deliver(bytes, at: now + max(after, .zero))
    case .setTimer(let timer, let instant):
      setTimer(timer, of: .chip, at: instant)
    case .cancelTimer(let timer):
      advanceTimer(UInt32(timer.rawValue), of: .chip)
    case .listening(let isOn):
      listen(isOn)
    case .radio(let output):
      switch output {
      case .field(let isOn): changeChipField(isOn)
      case .send(let frame, let after): launch(frame, after: after, from: .chip)
      case .note(let note): log.write(at: now, "chip") { RunLog.append(note, to: &$0) }
      case .setTimer(let timer, let instant): setTimer(timer, of: .chip, at: instant)
      case .cancelTimer(let timer): advanceTimer(UInt32(timer.rawValue), of: .chip)
      case .awaitAnswer, .application, .finished: break
      }
    }
  }

  private mutating func listen(_ isOn: Bool) {
    guard isOn != isListening else { return }
    isListening = isOn
    log.write(at: now, "chip") { $0.append(isOn ? "listens" : "listens no more") }
    if isOn { startPeer() }
  }

  private mutating func changeChipField(_ isOn: Bool) {
    guard isOn != chipFieldIsOn else { return }
    chipFieldIsOn = isOn
    if !isOn { fieldEpoch &+= 1 }
    log.write(at: now, "chip") { $0.append(isOn ? "field on" : "field off") }
    if peer?.role == .card { stepPeer(.fieldChanged(isOn: isOn)) }
  }

  // MARK: Card and terminal

  mutating func put(_ newcomer: FieldPeer) {
    removePeer()
    peer = newcomer
    logPeer("arrives")
    startPeer()
  }

  /// A card starts when it is there, a terminal when the chip listens to it.
  private mutating func startPeer() {
    guard let peer, !peer.hasStarted, peer.role == .card || isListening else { return }
    self.peer?.hasStarted = true
    stepPeer(.start)
    if peer.role == .card, chipFieldIsOn { stepPeer(.fieldChanged(isOn: true)) }
  }

  mutating func removePeer() {
    guard peer != nil else { return }
    logPeer("leaves")
    peer = nil
    fieldEpoch &+= 1
    for name in 0..<UInt32(1 << 8) { advanceTimer(name, of: .peer) }
    changePeerField(false)
  }

  mutating func stepPeer(_ input: RadioInput) {
    guard peer?.hasStarted == true else { return }
    var batch: [RadioOutput] = []
    swap(&batch, &peerOutputs)
    peer?.endpoint.step(input, at: now, into: &batch)
    for output in batch { perform(output) }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &peerOutputs)
  }

  private mutating func perform(_ output: RadioOutput) {
    switch output {
    case .send(let frame, let after): launch(frame, after: after, from: .peer)
    case .setTimer(let timer, let instant): setTimer(timer, of: .peer, at: instant)
    case .cancelTimer(let timer): advanceTimer(UInt32(timer.rawValue), of: .peer)
    case .field(let isOn): changePeerField(isOn)
    case .note(let note): log.write(at: now, peerName) { RunLog.append(note, to: &$0) }
    case .application(let bytes):
      log.write(at: now, peerName) {
        $0.append("application ")
        $0.append(compactHex: bytes)
      }
      applicationMessages.append(bytes)
    case .finished: logPeer("finished")
    case .awaitAnswer: break
    }
  }

  private mutating func changePeerField(_ isOn: Bool) {
    guard isOn != peerFieldIsOn else { return }
    peerFieldIsOn = isOn
    if !isOn { fieldEpoch &+= 1 }
    logPeer(isOn ? "field on" : "field off")
    stepChip(.radio(.fieldChanged(isOn: isOn)))
  }

  // MARK: Timers

  private mutating func setTimer(_ timer: RadioTimer, of side: AirSide, at instant: VirtualInstant)
  {
    let name = UInt32(timer.rawValue)
    advanceTimer(name, of: side)
    queue.add(
      ReaderEvent(
        .timer, side, number: name, generation: timerGenerations[side.timerSlot(name)]),
      at: max(instant, now))
  }

  private mutating func advanceTimer(_ name: UInt32, of side: AirSide) {
    timerGenerations[side.timerSlot(name)] &+= 1
  }

  // MARK: Frames

  private mutating func launch(_ frame: RadioFrame, after: Nanoseconds, from side: AirSide) {
    let flight = AirFlight(frame: frame, epoch: fieldEpoch)
    queue.add(
      ReaderEvent(.frameStart, side, number: flights.store(flight)), at: now + max(after, .zero))
  }

  /// Which way a frame of `side` goes: a chip is a reader unless a terminal's field is on.
  private func direction(of side: AirSide) -> Direction {
    let chipReads = peer?.role != .terminal || !peerFieldIsOn
    return (side == .chip) == chipReads ? .outbound : .inbound
  }

  private var carriesFrames: Bool {
    switch peer?.role {
    case .card, nil: chipFieldIsOn
    case .terminal: peerFieldIsOn && !chipFieldIsOn
    }
  }

  private mutating func frameStarts(_ slot: UInt32, from side: AirSide) {
    let direction = direction(of: side)
    var flight = flights.take(slot)
    if !carriesFrames || flight.epoch != fieldEpoch {
      flight.isLost = true
      logFrameLine(side, "lost, no field")
      // What a card without power would have sent is not on the air at all.
      if direction == .inbound { return }
    }
    if !flight.isStruck, !faults.isEmpty {
      flight.isStruck = true
      if let delay = strikeFrame(&flight, direction) {
        let place = flights.store(flight)
        return queue.add(ReaderEvent(.frameStart, side, number: place), at: now + delay)
      }
    }
    if let crossing = onAir[Int(side.opposite.rawValue)] {
      flight.isLost = true
      flights.update(crossing) { $0.isLost = true }
      logFrameLine(side, "lost, collision")
    }
    let duration = AirTime.duration(of: flight.frame, direction)
    logFrame(flight.frame, from: side, direction, duration)
    let isLost = flight.isLost
    let place = flights.store(flight)
    onAir[Int(side.rawValue)] = place
    queue.add(ReaderEvent(.frameEnd, side, number: place), at: now + duration)
    guard !isLost else { return }
    if side == .chip { stepPeer(.receiving) } else { stepChip(.radio(.receiving)) }
  }

  /// What a fault does to a frame; the time by which it makes the frame late.
  private mutating func strikeFrame(
    _ flight: inout AirFlight, _ direction: Direction
  ) -> Nanoseconds? {
    let place: ReaderFault.Place = direction == .outbound ? .fromReader : .fromCard
    guard let (number, effect) = faults.next(place) else { return nil }
    strike(effect, number, place)
    switch effect {
    case .late(let delay): return max(delay, .zero)
    case .drop: flight.isLost = true
    case .duplicate: flight.isDuplicated = true
    case .corrupt(let bit):
      guard flight.frame.bitCount > 0 else { return nil }
      let bit = min(max(bit, 0), flight.frame.bitCount - 1)
      flight.frame.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if flight.frame.crc == .good { flight.frame.crc = .bad }
    case .truncate(let count):
      flight.frame.bytes = Array(flight.frame.bytes.prefix(max(count, 1)))
      flight.frame.lastByteBits = 8
      flight.frame.isTruncated = true
    case .removeCard: removeCard(at: now)
    default: break
    }
    return nil
  }

  private mutating func frameEnds(_ slot: UInt32, from side: AirSide) {
    let flight = flights.take(slot)
    if onAir[Int(side.rawValue)] == slot { onAir[Int(side.rawValue)] = nil }
    if side == .chip { stepChip(.radio(.sent)) } else { stepPeer(.sent) }
    guard !flight.isLost, flight.epoch == fieldEpoch else { return }
    receive(flight.frame, from: side)
    if flight.isDuplicated { receive(flight.frame, from: side) }
  }

  private mutating func receive(_ frame: RadioFrame, from side: AirSide) {
    if side == .chip {
      stepPeer(.received(frame))
    } else {
      stepChip(.radio(.received(frame)))
    }
  }

  // MARK: Lines

  private var peerName: StaticString { peer?.role == .terminal ? "terminal" : "card" }

  private mutating func logPeer(_ words: StaticString) {
    log.write(at: now, peerName) { $0.append(words) }
  }

  private mutating func logFrameLine(_ side: AirSide, _ words: StaticString) {
    log.write(at: now, side == .chip ? "chip" : peerName) { $0.append(words) }
  }

  /// `5121000 chip air > 26'7 +84956`: the bytes, the bits of a broken last byte, the air time.
  private mutating func logFrame(
    _ frame: RadioFrame, from side: AirSide, _ direction: Direction, _ duration: Nanoseconds
  ) {
    log.write(at: now, side == .chip ? "chip" : peerName) { line in
      line.append(direction == .outbound ? "air > " : "air < ")
      line.append(compactHex: frame.bytes)
      if frame.lastByteBits != 8 {
        line.append(ascii: 0x27)
        line.append(ascii: 0x30 + frame.lastByteBits)
      }
      line.append(" +")
      line.append(decimal: duration.count)
    }
  }
}
