import NFCProtocols

/// Follows NFC-DEP between two devices and strings together what each of them sends over LLCP.
struct PeerTracer: Sendable {
  private var fromInitiator = Side()
  private var fromTarget = Side()

  /// The longest stretch in bytes that is strung together.
  static let longestStream = MemoryImage.maximumLength

  private struct Side: Sendable {
    var unit = TracedBytes()
    var stream = TracedBytes()

    mutating func take(_ payload: TracedBytes, isLast: Bool, into views: inout TracedViews) {
      unit.append(payload)
      guard isLast else { return }
      let whole = unit
      unit.removeAll()
      take(unit: whole)
      if stream.count > PeerTracer.longestStream { flush(into: &views) }
    }

    /// One LLCP PDU: I (12) and UI (3) carry information, AGF (2) carries PDUs (LLCP 1.3, 4.3).
    private mutating func take(unit: TracedBytes) {
      guard unit.count >= 2 else { return }
      let type = (unit.bytes[0] & 0x03) << 2 | unit.bytes[1] >> 6
      switch type {
      case 12 where unit.count > 3: stream.append(unit[3..<unit.count])
      case 3: stream.append(unit[2..<unit.count])
      case 2:
        var place = 2
        while place + 2 <= unit.count {
          let length = Int(unit.bytes[place]) << 8 | Int(unit.bytes[place + 1])
          let end = place + 2 + length
          // A PDU within an aggregate is no aggregate, so this ends.
          guard length > 1, end <= unit.count else { return }
          let inner = unit[(place + 2)..<end]
          if (inner.bytes[0] & 0x03) << 2 | inner.bytes[1] >> 6 != 2 { take(unit: inner) }
          place = end
        }
      default: break
      }
    }

    mutating func flush(into views: inout TracedViews) {
      views.add(stream, .memory)
      stream.removeAll()
      unit.removeAll()
    }
  }

  /// Takes what stands behind the command code of an NFC-DEP frame.
  mutating func take(
    _ direction: Direction, code: UInt16, _ content: TracedBytes, into views: inout TracedViews
  ) {
    guard code == 0x06 || code == 0x07, let control = content.bytes.first else { return }
    // Information PDUs only: bit 5 MI, bit 4 NAD, bit 3 DID (ISO/IEC 18092, 12.6.1.1).
    guard control & 0xE0 == 0 else { return }
    let header = 1 + (control & 0x08 != 0 ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0)
    guard content.count >= header else { return }
    let payload = content[header..<content.count]
    let isLast = control & 0x10 == 0
    if direction == .outbound {
      fromInitiator.take(payload, isLast: isLast, into: &views)
    } else {
      fromTarget.take(payload, isLast: isLast, into: &views)
    }
  }

  /// Gives all that was strung together to look at.
  mutating func flush(into views: inout TracedViews) {
    fromInitiator.flush(into: &views)
    fromTarget.flush(into: &views)
  }
}
