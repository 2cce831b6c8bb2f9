import NFCProtocols

/// Facts that stand elsewhere already and are left out of the attributes.
///
/// The pcapng encoding leaves out what its packets hold by themselves.
struct AttributeOmissions: OptionSet {
  let rawValue: UInt8
  /// The end, which a packet of its own tells.
  static let end = AttributeOmissions(rawValue: 1)
  /// That the CRC was not captured, which the kind of packet tells.
  static let uncapturedCRC = AttributeOmissions(rawValue: 2)
  /// The outcome, which the status of a packet tells.
  static let outcome = AttributeOmissions(rawValue: 4)
  /// The setup bytes, which a packet holds.
  static let setup = AttributeOmissions(rawValue: 8)
}

extension EventLineWriter {
  /// Writes all attributes of an event, each with a blank in front.
  func writeAttributes(
    of event: TraceEvent, isOutOfOrder: Bool, omitting omissions: AttributeOmissions,
    into buffer: inout TextBuffer
  ) {
    if let end = event.end, !omissions.contains(.end) {
      buffer.append(" +")
      buffer.append(duration: end - event.start)
    }
    switch event.content {
    case .radio(_, let frame): write(frame, omitting: omissions, into: &buffer)
    case .link(let transfer): write(transfer, omitting: omissions, into: &buffer)
    case .field, .apdu, .application: break
    }
    if let ticks = event.sourceTicks {
      buffer.append(" ticks=")
      buffer.append(decimal: ticks.start)
      if let length = ticks.length {
        buffer.append(ascii: 0x2B)
        buffer.append(decimal: length)
      }
    }
    if let uncertainty = event.uncertainty {
      buffer.append(" \u{B1}")
      buffer.append(duration: uncertainty)
    }
    if event.isTimeUnknown { buffer.append(" time-unknown") }
    if isOutOfOrder { buffer.append(" out-of-order") }
  }

  private func write(
    _ frame: RadioFrame, omitting omissions: AttributeOmissions, into buffer: inout TextBuffer
  ) {
    if let own = frame.technology, own != technology {
      buffer.append(" tech=")
      buffer.append(ascii: own.letter)
    }
    if let rate = frame.kilobitsPerSecond {
      buffer.append(" rate=")
      buffer.append(decimal: Int64(rate))
    }
    if let crc = frame.crc, !(crc == .notCaptured && omissions.contains(.uncapturedCRC)) {
      buffer.append(" crc=")
      buffer.append(crc.word)
    }
    if let parity = frame.parity { write(parity, of: frame, into: &buffer) }
    if frame.isCollision { buffer.append(" collision") }
    if frame.isEncrypted { buffer.append(" encrypted") }
    if frame.isTruncated { buffer.append(" truncated") }
  }

  private func write(
    _ parity: ParityBits, of frame: RadioFrame, into buffer: inout TextBuffer
  ) {
    buffer.append(" parity=")
    if parity.isOdd(for: frame.bytes) {
      buffer.append("odd")
    } else if parity.bits.isEmpty {
      buffer.append(ascii: 0x2D)
    } else {
      for bit in parity.bits { buffer.append(ascii: bit ? 0x31 : 0x30) }
    }
  }

  private func write(
    _ transfer: LinkTransfer, omitting omissions: AttributeOmissions,
    into buffer: inout TextBuffer
  ) {
    if transfer.transport != transfer.payload.usualTransport {
      buffer.append(" via=")
      buffer.append(transfer.transport.word)
    }
    if transfer.payload != .pn53x {
      buffer.append(" payload=")
      buffer.append(transfer.payload.word)
    }
    if let endpoint = transfer.endpoint {
      buffer.append(" ep=")
      buffer.append(hex: endpoint)
    }
    if let setup = transfer.setup, !omissions.contains(.setup) {
      buffer.append(" setup=")
      if setup.isEmpty { buffer.append(ascii: 0x2D) }
      for byte in setup { buffer.append(hex: byte) }
    }
    if !omissions.contains(.outcome) { write(transfer.outcome, into: &buffer) }
    if let length = transfer.requestedLength {
      buffer.append(" requested=")
      buffer.append(decimal: Int64(length))
    }
    if let length = transfer.originalLength {
      buffer.append(" original=")
      buffer.append(decimal: Int64(length))
    }
  }

  private func write(_ outcome: LinkTransfer.Outcome, into buffer: inout TextBuffer) {
    switch outcome {
    case .completed: break
    case .stall: buffer.append(" stall")
    case .timeout: buffer.append(" timeout")
    case .unplugged: buffer.append(" unplugged")
    case .cancelled: buffer.append(" cancelled")
    case .overflow: buffer.append(" overflow")
    case .failed(let status):
      buffer.append(" failed=")
      buffer.append(decimal: Int64(status))
    }
  }
}

extension ParityBits {
  /// True if these are the odd parity bits of `bytes`.
  func isOdd(for bytes: [UInt8]) -> Bool {
    guard bits.count == bytes.count else { return false }
    for (index, byte) in bytes.enumerated() where bits[index] != (byte.nonzeroBitCount % 2 == 0) {
      return false
    }
    return true
  }
}
