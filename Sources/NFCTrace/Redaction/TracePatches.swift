import NFCProtocols

/// Bytes to be written over those of a trace, and the writing.
struct TracePatches {
  private var patches: [Int: [Patch]] = [:]
  /// How many places were given.
  private(set) var count = 0

  private struct Patch {
    var part: TracePlace.Part
    var offset: Int
    var bytes: [UInt8]
  }

  /// Writes `replacement` in the place of traced bytes, at every place where they stand.
  mutating func add(_ content: TracedBytes, _ replacement: [UInt8]) {
    precondition(content.count == replacement.count, "a value keeps its length")
    for run in content.runs {
      count += 1
      patches[run.place.event, default: []].append(
        Patch(
          part: run.place.part, offset: run.place.offset,
          bytes: Array(replacement[run.start..<run.end])))
    }
  }

  /// Writes into an event; true if its bytes have changed.
  func apply(
    to event: inout TraceEvent, index: Int, technology: Technology?
  ) -> Bool {
    guard let own = patches[index] else { return false }
    var bytes = event.content.bytes
    let before = bytes
    for patch in own {
      switch patch.part {
      case .bytes: Self.write(patch, into: &bytes)
      case .words:
        if case .application(let direction, let text) = event.content {
          event.content = .application(direction, Self.written(patch, into: text))
        }
      case .comment: event.comment = event.comment.map { Self.written(patch, into: $0) }
      case .line(let number):
        event.leadingLines[number] = Self.written(patch, into: event.leadingLines[number])
      }
    }
    guard bytes != before else { return false }
    event.replace(bytes: bytes, technology: technology)
    return true
  }

  /// Writes into the lines of the header or of the ending.
  func apply(to lines: inout [String], of event: Int) {
    for patch in patches[event] ?? [] {
      guard case .line(let number) = patch.part else { continue }
      lines[number] = Self.written(patch, into: lines[number])
    }
  }

  private static func write(_ patch: Patch, into bytes: inout [UInt8]) {
    bytes.replaceSubrange(
      patch.offset..<(patch.offset + patch.bytes.count), with: patch.bytes)
  }

  private static func written(_ patch: Patch, into text: String) -> String {
    var bytes = Array(text.utf8)
    write(patch, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension TraceEvent {
  /// Puts other bytes of the same number in the place of the event's.
  ///
  /// Parity bits follow, and so does the end: a frame of type A ends earlier if its last bit is 1.
  mutating func replace(bytes: [UInt8], technology: Technology?) {
    precondition(bytes.count == content.bytes.count, "an event keeps its length")
    switch content {
    case .radio(let direction, var frame):
      frame.technology = frame.technology ?? technology
      let length = AirTime.carrierCycles(of: frame, direction)
      defer { moveEnd(byCarrierCycles: AirTime.carrierCycles(of: frame, direction) - length) }
      if var parity = frame.parity?.bits, parity.count == bytes.count {
        for index in bytes.indices {
          // Wrong parity bits stay wrong.
          let flips = (bytes[index] ^ frame.bytes[index]).nonzeroBitCount
          if flips % 2 == 1 { parity[index].toggle() }
        }
        frame.parity = ParityBits(parity)
      }
      frame.bytes = bytes
      var kept = frame
      if case .radio(_, let old) = content { kept.technology = old.technology }
      content = .radio(direction, kept)
    case .link(var transfer):
      transfer.bytes = bytes
      content = .link(transfer)
    case .apdu(let direction, _): content = .apdu(direction, bytes)
    case .field, .application: break
    }
  }
  private mutating func moveEnd(byCarrierCycles cycles: Int64) {
    guard cycles != 0, let old = end else { return }
    end = old + .carrierCycles(cycles)
    // Only where the source counted periods of the carrier.
    if let length = sourceTicks?.length, Nanoseconds.carrierCycles(length) == old - start {
      sourceTicks?.length = length + cycles
    }
  }
}
