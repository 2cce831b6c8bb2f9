import NFCProtocols

/// How one Proxmark3 trace is to be read: layout, technology, units.
struct ProxmarkReading: Equatable {
  var layout: ProxmarkRecord.Layout
  var technology: Technology?
  /// Why this technology, in words; `nil` if the user named it or nothing tells.
  var reason: String?
  var isBitStream = false
  /// Counter units in a unit of the duration field, or `nil` if the field is not to be trusted.
  var durationScale: Int64?
  /// True if version 1 parity words hold the first byte in their lowest bit.
  var isVersion1ParityLowFirst = true

  /// One bit of a Hitag stream, 8 us (125 kHz carrier), in nanoseconds.
  static let bitStreamUnit: Int64 = 8_000
  /// ISO/IEC 15693 durations are stored in units of 32 carrier cycles.
  static let vicinityScale: Int64 = 32

  /// The unit of the counter in words, for the header.
  var tickUnit: String { isBitStream ? "8 us" : "1/13.56 MHz" }

  /// Decides from the records, and from what the user knows.
  init(_ records: [ProxmarkRecord], _ layout: ProxmarkRecord.Layout, technology: Technology?) {
    self.layout = layout
    let evidence = ProxmarkEvidence(records)
    if let technology {
      self.technology = technology
    } else if layout == .version2, evidence.isBitStream {
      isBitStream = true
      reason = "bit counts in the parity bytes, as Hitag traces have them"
    } else if let found = evidence.technology {
      self.technology = found.0
      reason = found.reason
    }
    guard layout == .version2 else {
      isVersion1ParityLowFirst = Self.fitsLowFirst(records)
      return
    }
    switch self.technology {
    case .a: durationScale = 1
    case .v: durationScale = Self.vicinityScale(of: records)
    // Stored durations of type B and FeliCa do not agree with the time on air.
    case .b, .f: durationScale = nil
    case nil: durationScale = isBitStream ? 1 : nil
    }
  }

  /// The length of `ticks` counter units.
  func time(_ ticks: Int64) -> Nanoseconds {
    isBitStream ? Nanoseconds(ticks * Self.bitStreamUnit) : .carrierCycles(ticks)
  }

  /// The scale by which no reader frame ends after the start of the record behind it.
  private static func vicinityScale(of records: [ProxmarkRecord]) -> Int64? {
    let scales: [Int64] = [vicinityScale, 1]
    return scales.first { scale in
      zip(records, records.dropFirst()).allSatisfy { record, next in
        fits(record, before: next, scale)
      }
    }
  }

  private static func fits(
    _ record: ProxmarkRecord, before next: ProxmarkRecord, _ scale: Int64
  ) -> Bool {
    if record.direction == .inbound || next.start < record.start { return true }
    let end = Int64(record.start) + Int64(record.duration ?? 0) * scale
    return end <= Int64(next.start)
  }

  /// Version 1 files were written with either bit order: the one that gives odd parity more often.
  private static func fitsLowFirst(_ records: [ProxmarkRecord]) -> Bool {
    var low = 0
    var high = 0
    for record in records where !record.data.isEmpty && record.data.count <= 32 {
      let odd = ParityBits.odd(for: record.data)
      if record.version1Parity(isLowFirst: true) == odd { low += 1 }
      if record.version1Parity(isLowFirst: false) == odd { high += 1 }
    }
    return low >= high
  }

  /// The frame of a record.
  func frame(of record: ProxmarkRecord) -> RadioFrame {
    var frame = RadioFrame(record.data, technology: technology)
    guard let last = record.data.indices.last else { return frame }
    if isBitStream {
      let bits = record.parity[0]
      frame.lastByteBits = bits == 0 ? 8 : bits
      return frame
    }
    guard technology == .a else { return frame }
    guard let duration = record.duration else {
      if record.data.count <= 32 {
        frame.parity = record.version1Parity(isLowFirst: isVersion1ParityLowFirst)
      }
      return frame
    }
    frame.parity = record.parityBits
    if last == 0 {
      frame.lastByteBits = ProxmarkDuration.bitsOfSingleByte(lasting: duration)
    } else if let bits = Self.anticollisionBits(record) {
      frame.lastByteBits = bits
    }
    return frame
  }

  /// Bits of the last byte of a split anticollision frame, ISO/IEC 14443-3 6.5.3.1: SEL 93, 95 or
  /// 97, then NVB with whole bytes in the upper half and further bits in the lower.
  private static func anticollisionBits(_ record: ProxmarkRecord) -> UInt8? {
    let data = record.data
    guard record.direction == .outbound, data.count >= 3, [0x93, 0x95, 0x97].contains(data[0])
    else { return nil }
    let bits = data[1] & 0x0F
    guard (1...7).contains(bits), Int(data[1] >> 4) + 1 == data.count else { return nil }
    return bits
  }
}

extension ProxmarkRecord {
  /// The parity bits of version 1: one 32-bit word for at most 32 bytes.
  func version1Parity(isLowFirst: Bool) -> ParityBits {
    precondition(data.count <= 32, "a parity word of version 1 covers 32 bytes")
    let word = RecordFields(parity[...]).u32(0)
    return ParityBits(
      data.indices.map { index in
        word >> UInt32(isLowFirst ? index : data.count - 1 - index) & 1 == 1
      })
  }
}
