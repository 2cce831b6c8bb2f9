import NFCProtocols
import NFCTrace

/// Reads logs of a ChameleonMini RevG, from its memory or from live mode.
struct ChameleonMiniDecoder: TraceDecoder {
  /// The millisecond counter has 16 bits; it starts again after 65.5 s.
  static let counterModulus: Int64 = 1 << 16
  /// How far back an entry may begin across the end of the counter, in ms.
  static let counterReach: Int64 = 1_000

  private let options: ImportOptions
  private var input = InputBuffer()
  private var counter = WrappingCounter(modulus: counterModulus, reach: counterReach)
  private var order = EventOrder()
  private var origin: Int64?
  private var hasEnded = false
  private var technology: Technology?
  /// In reader mode what the codec receives comes from the card.
  private var isReader = false

  init(_ options: ImportOptions) {
    self.options = options
    technology = options.technology
  }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    input.append(chunk)
    while !hasEnded {
      guard let type = input.bytes.first else { return }
      if type == ChameleonMiniEntry.end {
        hasEnded = true
        break
      }
      guard ChameleonMiniEntry.name(of: type) != nil else {
        throw bad(
          "entry type \(CaptureText.hex(type, digits: 2))", "a known entry type, or 00 at the end")
      }
      guard let head = input.peek(ChameleonMiniEntry.headerLength) else { return }
      let fields = RecordFields(head, isBigEndian: true)
      let length = ChameleonMiniEntry.headerLength + Int(fields.u8(1))
      guard let entry = input.peek(length) else { return }
      emit(type, time: fields.u16(2), entry.dropFirst(head.count), into: &batch)
      input.drop(length)
    }
    try skipFilling()
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    if !hasEnded, !input.isEmpty {
      throw bad(
        "an entry cut off after \(input.count) bytes", "whole entries up to the last byte")
    }
    guard batch.header != nil || origin != nil else {
      throw bad("a log without entries", "at least one entry")
    }
    batch.ending = TraceEnding(isComplete: nil)
  }

  private mutating func skipFilling() throws(TraceError) {
    guard hasEnded else { return }
    if let other = input.bytes.firstIndex(where: { $0 != 0 }) {
      let distance = other - input.bytes.startIndex
      input.drop(distance)
      throw bad("data behind the end of the log", "zeros behind the end of the log")
    }
    input.drop(input.count)
  }

  private func bad(_ found: String, _ expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .byte(input.offset), found: found, expected: expected,
        remedy: "download the log again (LOGDOWNLOAD), in binary mode"))
  }

  private mutating func emit(
    _ type: UInt8, time: UInt16, _ data: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) {
    let ticks = counter.extend(Int64(time))
    let first = origin ?? ticks
    if origin == nil {
      batch.header = TraceHeader(
        role: options.role, technology: options.technology,
        clock: TraceClock(tickUnit: "ms", origin: "first event"), madeBy: "ChameleonMini log")
    }
    origin = first
    var event = TraceEvent(
      start: .milliseconds(ticks - first), content(type, data),
      sourceTicks: SourceTicks(start: Int64(time)))
    order.place(&event)
    batch.events.append(event)
  }

  private mutating func content(
    _ type: UInt8, _ data: ArraySlice<UInt8>
  ) -> TraceEvent.Content {
    let received: Direction = isReader ? .inbound : .outbound
    switch type {
    case 0x40, 0x42: return radio(received, data, hasParity: type == 0x42)
    case 0x41, 0x43: return radio(received.opposite, data, hasParity: type == 0x43)
    case 0x44, 0x45: return radio(.outbound, data, hasParity: type == 0x45)
    case 0x46, 0x47: return radio(.inbound, data, hasParity: type == 0x47)
    case 0x48: return .field(FieldChange(isOn: true, technology: technology))
    case 0x11:
      let name = CaptureText.line(data)
      isReader = name.uppercased().contains("READER")
      technology = options.technology ?? ChameleonMiniEntry.technology(ofConfiguration: name)
      return .application(nil, "chameleon: configuration \(name)")
    default:
      let name = ChameleonMiniEntry.name(of: type) ?? "entry"
      var text = "chameleon: \(name)"
      if !data.isEmpty { text += " " + Hexadecimal.pairs(Array(data)) }
      return .application(nil, text)
    }
  }

  private func radio(
    _ direction: Direction, _ data: ArraySlice<UInt8>, hasParity: Bool
  ) -> TraceEvent.Content {
    var frame = RadioFrame(Array(data), technology: technology)
    if hasParity {
      let (bytes, parity) = NineBitGroups.split(data, bitCount: data.count * 8)
      frame.bytes = bytes
      frame.parity = parity
      frame.technology = technology ?? .a
    }
    frame.markShortRequest(direction)
    return .radio(direction, frame)
  }
}

extension RadioFrame {
  /// REQA 26 and WUPA 52 are always sent as seven bits (ISO/IEC 14443-3 table 3), also where a
  /// source has no bit counts.
  mutating func markShortRequest(_ direction: Direction) {
    let isTypeA = technology == .a || technology == nil
    if isTypeA, direction == .outbound, bytes == [0x26] || bytes == [0x52] { lastByteBits = 7 }
  }
}
