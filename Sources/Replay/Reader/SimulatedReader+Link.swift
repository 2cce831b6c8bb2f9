import NFCProtocols
import PN53x

/// The link between host and chip, with its faults.
extension SimulatedReader {
  mutating func arrive(_ transfer: [UInt8], at instant: VirtualInstant) {
    let arrival = outbound.send(transfer, until: instant)
    queue.add(ReaderEvent(.hostTransfer), at: arrival)
  }

  /// Sends a transfer to the chip that a fault has struck; `completion` is when the host sees it
  /// complete.
  mutating func sendFaulty(
    _ transfer: [UInt8], _ effect: ReaderFault.Effect, at completion: inout VirtualInstant
  ) {
    switch effect {
    case .drop: break
    case .duplicate:
      arrive(transfer, at: completion)
      arrive(transfer, at: completion)
    case .late(let delay):
      completion = completion + delay
      arrive(transfer, at: completion)
    case .completesLate(let delay):
      arrive(transfer, at: completion)
      completion = completion + delay
    case .split(let place):
      let place = min(max(place, 0), transfer.count)
      arrive(Array(transfer[..<place]), at: completion)
      arrive(Array(transfer[place...]), at: completion)
    case .insert(let bytes):
      arrive(bytes, at: completion)
      arrive(transfer, at: completion)
    case .unplug:
      unplug(at: completion)
    case .removeCard:
      removeCard(at: completion)
      arrive(transfer, at: completion)
    case .corrupt, .truncate, .replace, .merge, .emptyTransferAfter, .status, .stall:
      arrive(effect.applied(to: transfer), at: completion)
    }
  }

  /// A transfer of the chip leaves at `instant`.
  mutating func deliver(_ bytes: [UInt8], at instant: VirtualInstant) {
    guard !isUnplugged else { return }
    guard let (number, effect) = faults.next(.toHost) else {
      return send(joined(bytes), at: instant)
    }
    strike(effect, number, .toHost)
    switch effect {
    case .drop, .completesLate: break
    case .duplicate:
      send(joined(bytes), at: instant)
      send(bytes, at: instant)
    case .late(let delay): send(joined(bytes), at: instant + delay)
    case .split(let place):
      let whole = joined(bytes)
      let place = min(max(place, 0), whole.count)
      send(Array(whole[..<place]), at: instant)
      send(Array(whole[place...]), at: instant)
    case .merge: heldBack = joined(bytes)
    case .emptyTransferAfter:
      send(joined(bytes), at: instant)
      send([], at: instant)
    case .insert(let other):
      send(other, at: instant)
      send(joined(bytes), at: instant)
    case .stall: send([], at: instant, kind: .stalled)
    case .unplug: unplug(at: instant)
    case .removeCard:
      removeCard(at: instant)
      send(joined(bytes), at: instant)
    case .corrupt, .truncate, .replace, .status:
      send(joined(effect.applied(to: bytes)), at: instant)
    }
  }

  private mutating func joined(_ bytes: [UInt8]) -> [UInt8] {
    guard !heldBack.isEmpty else { return bytes }
    let whole = heldBack + bytes
    heldBack = []
    return whole
  }

  private mutating func send(
    _ bytes: [UInt8], at instant: VirtualInstant, kind: HostDelivery.Kind = .transfer
  ) {
    let arrival = max(instant, inbound.lastArrival)
    let delivery = HostDelivery(at: arrival, bytes, kind: kind)
    if arrival <= now, inbound.isEmpty {
      inbound.arrived(at: arrival)
      return hand(over: delivery)
    }
    _ = inbound.send(delivery, until: arrival)
    queue.add(ReaderEvent(.delivery), at: arrival)
  }

  mutating func hand(over delivery: HostDelivery) {
    log.write(at: now, "chip") { line in
      switch delivery.kind {
      case .transfer:
        line.append("< ")
        line.append(compactHex: delivery.bytes)
      case .stalled: line.append("stalled")
      case .unplugged: line.append("unplugged")
      }
    }
    deliveries.append(delivery)
  }

  mutating func strike(_ effect: ReaderFault.Effect, _ number: Int, _ place: ReaderFault.Place) {
    log.write(at: now, "fault") { line in
      effect.append(to: &line)
      line.append(ascii: 0x20)
      line.append(place.logName)
      line.append(ascii: 0x20)
      line.append(decimal: Int64(number))
    }
  }
}

extension ReaderFault.Effect {
  /// What arrives of a transfer; the effects that are more than other bytes change nothing here.
  func applied(to transfer: [UInt8]) -> [UInt8] {
    switch self {
    case .corrupt(let bit):
      guard bit >= 0, bit / 8 < transfer.count else { return transfer }
      var bytes = transfer
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      return bytes
    case .truncate(let count): return Array(transfer.prefix(max(count, 0)))
    case .replace(let bytes): return bytes
    case .status(let value): return Self.replaceStatus(in: transfer, with: value)
    default: return transfer
    }
  }

  /// The response with another status and without data; what is no response stays as it is.
  private static func replaceStatus(in transfer: [UInt8], with status: UInt8) -> [UInt8] {
    var decoder = HostFrameDecoder()
    var found: [HostFrameEvent] = []
    decoder.decode(transfer, into: &found)
    guard found.count == 1, case .frame(.information(let body, _)) = found[0], body.count >= 3
    else { return transfer }
    return HostFrame.information([body[0], body[1], status], .normal).encoded()
  }
}
