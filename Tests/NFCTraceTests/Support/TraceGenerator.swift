import NFCProtocols
import NFCTrace
import ProtocolTesting

/// Makes traces of every construct of the model, the same for the same seed.
struct TraceGenerator {
  private var numbers: TestGenerator
  private var time: Int64 = 0

  init(seed: UInt64) { numbers = TestGenerator(seed: seed) }

  mutating func header() -> TraceHeader {
    var header = TraceHeader()
    header.reader = pick([
      nil, ReaderIdentity(address: "usb:04e6:5591", name: "SCL3711, PN533 2.7"),
      ReaderIdentity(address: "usb:072f:2200"), ReaderIdentity(name: "some reader"),
      ReaderIdentity(address: "no colon", name: "odd: name"), ReaderIdentity(name: "-"),
    ])
    header.role = pick([nil, .reader, .sniff, .card])
    header.technology = pick([nil, .a, .b, .f, .v])
    header.clock = pick([
      TraceClock(), TraceClock(tickUnit: "1/13.56 MHz", origin: "first event"),
      TraceClock(origin: "monotonic"), TraceClock(tickUnit: "us, odd"), TraceClock(tickUnit: "ns"),
    ])
    header.madeBy = pick([nil, "retap 0.1 record read", " blank at both ends ", "\"quoted\""])
    header.redaction = pick([nil, "UID replaced", "two\nlines"])
    if flip() { header.extensions.append(HeaderExtension(key: "x-place", value: "gate 7 ü")) }
    if flip() { header.extensions.append(HeaderExtension(key: "x-place", value: "")) }
    header.trailingLines = lines()
    return header
  }

  mutating func event() -> TraceEvent {
    switch numbers.below(8) {
    case 0: time = Int64(truncatingIfNeeded: numbers.next() >> 8) - (1 << 55)
    case 1: time -= Int64(numbers.below(2_000_000))
    default: time += Int64(numbers.below(20_000_000))
    }
    var event = TraceEvent(start: Nanoseconds(time), content())
    if flip() { event.end = Nanoseconds(time + Int64(numbers.below(3_000_000)) - 1_000) }
    event.sourceTicks = pick([
      nil, nil, SourceTicks(start: 4_294_967_295), SourceTicks(start: -7, length: 1056),
    ])
    event.uncertainty = pick([nil, nil, nil, Nanoseconds(1_000), Nanoseconds(2_500_001)])
    event.isTimeUnknown = numbers.below(8) == 0
    event.isOutOfOrder = numbers.below(16) == 0
    event.comment = pick([nil, nil, "REQA", "answers; with ü and \"marks\"", "tab\there", ""])
    if numbers.below(4) == 0 { event.leadingLines = lines() }
    return event
  }

  mutating func ending() -> TraceEnding {
    TraceEnding(isComplete: numbers.below(4) > 0, trailingLines: lines())
  }

  private mutating func content() -> TraceEvent.Content {
    switch numbers.below(12) {
    case 0: .field(FieldChange(isOn: flip(), technology: pick([nil, .a, .b, .f, .v])))
    case 1...5: .radio(direction(), frame())
    case 6...8: .link(transfer())
    case 9, 10: .apdu(direction(), bytes(40))
    default:
      .application(
        pick([nil, .outbound, .inbound]),
        pick(["scan() called", "", "a \"b\" \\ c ; d\n\te\u{1}", "= +1us ±"]))
    }
  }

  private mutating func frame() -> RadioFrame {
    let content = bytes(20)
    var frame = RadioFrame(content)
    frame.lastByteBits = pick([8, 8, 8, 7, 4, 1])
    frame.technology = pick([nil, nil, .a, .b, .f, .v])
    frame.kilobitsPerSecond = pick([nil, 106, 212, 848, 26])
    frame.crc = pick([nil, .good, .bad, .notCaptured, .absent])
    switch numbers.below(5) {
    case 0: frame.parity = .odd(for: content)
    case 1: frame.parity = ParityBits(content.map { $0 & 1 == 1 })
    case 2: frame.parity = ParityBits([])
    default: break
    }
    frame.isCollision = numbers.below(8) == 0
    frame.isEncrypted = numbers.below(8) == 0
    frame.isTruncated = numbers.below(8) == 0
    return frame
  }

  private mutating func transfer() -> LinkTransfer {
    var transfer = LinkTransfer(direction(), bytes(30))
    transfer.transport = pick(LinkTransfer.Transport.allCases + [.usbBulk, .usbBulk])
    transfer.payload = pick(LinkTransfer.Payload.allCases + [.pn53x, .pn53x])
    transfer.endpoint = pick([nil, nil, 0x04, 0x84, 0x02, 0x81])
    if transfer.transport == .usbControl || numbers.below(8) == 0 {
      transfer.setup = pick([nil, [0x80, 6, 0, 1, 0, 0, 18, 0], [0x40, 9, 1, 0, 0, 0, 0, 0]])
    }
    transfer.outcome = pick([
      .completed, .completed, .completed, .stall, .timeout, .unplugged, .cancelled, .overflow,
      .failed(status: -71), .failed(status: -32), .failed(status: 0), .failed(status: -115),
    ])
    transfer.requestedLength = pick([nil, nil, 300, 0])
    transfer.originalLength = pick([nil, nil, nil, 64])
    return transfer
  }

  private mutating func bytes(_ most: Int) -> [UInt8] { numbers.bytes(numbers.below(most + 1)) }

  private mutating func direction() -> Direction { flip() ? .outbound : .inbound }

  private mutating func lines() -> [String] {
    pick([
      [], [], [""], ["# a remark"], ["", "# one", "", "# two ü ; x"], ["##", ""],
    ])
  }

  private mutating func flip() -> Bool { numbers.next() & 1 == 1 }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[numbers.below(values.count)]
  }
}

/// A trace as text, by our own encoder.
func text(
  _ header: TraceHeader, _ events: [TraceEvent], _ ending: TraceEnding
) throws(TraceError) -> [UInt8] {
  try encode(header, events, ending, with: TextTraceEncoder())
}

/// A trace in the form of any encoder.
func encode(
  _ header: TraceHeader, _ events: [TraceEvent], _ ending: TraceEnding,
  with encoder: any TraceEncoder
) throws(TraceError) -> [UInt8] {
  var encoder = encoder
  var output: [UInt8] = []
  try encoder.begin(header, into: &output)
  for event in events { try encoder.encode(event, into: &output) }
  try encoder.finish(ending, into: &output)
  return output
}
