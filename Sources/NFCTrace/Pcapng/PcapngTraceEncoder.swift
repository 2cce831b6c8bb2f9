import NFCProtocols

/// Writes the pcapng encoding of a trace, which Wireshark opens.
///
/// Frames of ISO/IEC 14443 are packets of link type 264, host frames are packets of link type 220;
/// what those cannot hold stands in options and blocks for local use, so that nothing is lost.
public struct PcapngTraceEncoder: TraceEncoder {
  private let pcapng = PcapngWriter()
  private var lines = EventLineWriter(technology: nil)
  private var header = TraceHeader()
  private var seal = TraceSeal()
  private var buffer = TextBuffer()
  private var packet: [UInt8] = []
  /// Numbers of the interfaces by link type and sign of the time, once written.
  private var interfaces = InterfaceNumbers()
  private var hasDescriptors = Array(repeating: false, count: LinkTransfer.Payload.allCases.count)
  private var nextTransfer: UInt64 = 2

  private struct InterfaceNumbers {
    var count = 0
    var numbers: [Int?] = [nil, nil, nil, nil]
  }

  /// Makes an encoder.
  public init() {}

  /// Writes section, header block and the two usual interfaces.
  public mutating func begin(
    _ header: TraceHeader, into output: inout [UInt8]
  ) throws(TraceError) {
    self.header = header
    lines = EventLineWriter(technology: header.technology)
    buffer.removeAll()
    try HeaderText.write(header, into: &buffer)
    try buffer.append(commentLines: header.trailingLines)
    pcapng.section(
      options: [PcapngWriter.Option(code: 4, value: Array("retap".utf8))], into: &output)
    OwnBlocks.write(.header, text: buffer.bytes[...], with: pcapng, into: &output)
    _ = interface(OwnBlocks.iso14443, isNegative: false, into: &output)
    _ = interface(OwnBlocks.usbmon, isNegative: false, into: &output)
  }

  /// Writes one event.
  public mutating func encode(
    _ event: TraceEvent, into output: inout [UInt8]
  ) throws(TraceError) {
    buffer.removeAll()
    let line = try lines.write(event, into: &buffer)
    seal.add(line: buffer.bytes[line.start...])
    switch event.content {
    case .field(let change):
      try encode(event, change, isOutOfOrder: line.isOutOfOrder, into: &output)
    case .radio(let direction, let frame)
    where frame.bytes.count <= Int(UInt16.max) && isISO14443(frame):
      try encode(event, direction, frame, isOutOfOrder: line.isOutOfOrder, into: &output)
    case .link(let transfer) where transfer.fitsUsbmon:
      try encode(event, transfer, isOutOfOrder: line.isOutOfOrder, into: &output)
    case .radio, .link, .apdu, .application:
      let eventLine = buffer.bytes
      buffer.removeAll()
      try buffer.append(commentLines: event.leadingLines)
      buffer.bytes.append(contentsOf: eventLine)
      if let comment = event.comment {
        buffer.append(" ; ")
        buffer.append(comment: comment)
      }
      OwnBlocks.write(.event, text: buffer.bytes[...], with: pcapng, into: &output)
    }
  }

  /// Writes the block with the lines behind the last event and the seal.
  public mutating func finish(
    _ ending: TraceEnding, into output: inout [UInt8]
  ) throws(TraceError) {
    buffer.removeAll()
    try buffer.append(commentLines: ending.trailingLines)
    if ending.isComplete != false { buffer.append(seal: seal) }
    OwnBlocks.write(.ending, text: buffer.bytes[...], with: pcapng, into: &output)
  }

  /// True for frames of type A and B, and for those of which nothing is known.
  private func isISO14443(_ frame: RadioFrame) -> Bool {
    switch frame.technology ?? header.technology {
    case .a, .b, nil: true
    case .f, .v: false
    }
  }

  // MARK: Packets of link type 264

  private mutating func encode(
    _ event: TraceEvent, _ change: FieldChange, isOutOfOrder: Bool, into output: inout [UInt8]
  ) throws(TraceError) {
    packet.removeAll(keepingCapacity: true)
    packet.append(contentsOf: [0, change.isOn ? 0xFC : 0xFD, 0, 0])
    buffer.removeAll()
    if let technology = change.technology {
      buffer.append(" tech=")
      buffer.append(ascii: technology.letter)
    }
    lines.writeAttributes(of: event, isOutOfOrder: isOutOfOrder, omitting: [], into: &buffer)
    try write(OwnBlocks.iso14443, event, into: &output)
  }

  private mutating func encode(
    _ event: TraceEvent, _ direction: Direction, _ frame: RadioFrame, isOutOfOrder: Bool,
    into output: inout [UInt8]
  ) throws(TraceError) {
    packet.removeAll(keepingCapacity: true)
    packet.append(0)
    let hasCRC = frame.crc != .notCaptured
    switch direction {
    case .outbound: packet.append(hasCRC ? 0xFE : 0xFA)
    case .inbound: packet.append(hasCRC ? 0xFF : 0xFB)
    }
    packet.append16(UInt16(frame.bytes.count), .big)
    packet.append(contentsOf: frame.bytes)
    buffer.removeAll()
    if frame.lastByteBits != 8 {
      buffer.append(" bits=")
      buffer.append(ascii: 0x30 + frame.lastByteBits)
    }
    lines.writeAttributes(
      of: event, isOutOfOrder: isOutOfOrder, omitting: .uncapturedCRC, into: &buffer)
    try write(OwnBlocks.iso14443, event, into: &output)
  }

  // MARK: Packets of link type 220

  private mutating func encode(
    _ event: TraceEvent, _ transfer: LinkTransfer, isOutOfOrder: Bool,
    into output: inout [UInt8]
  ) throws(TraceError) {
    writeDescriptors(of: transfer, at: event.start, into: &output)
    var submit = UsbmonPacket()
    submit.id = nextTransfer
    nextTransfer += 1
    submit.transferType = transfer.usbmonTransferType
    submit.device = transfer.usbDevice
    let endpoint = transfer.endpoint ?? transfer.usualEndpoint
    submit.endpoint = endpoint & 0x7F | (transfer.direction == .inbound ? 0x80 : 0)
    submit.status = UsbmonPacket.inProgress
    submit.length = transfer.originalLength ?? transfer.bytes.count
    let isControl = transfer.transport == .usbControl
    submit.setup = isControl ? transfer.setup : nil
    var complete = submit
    complete.kind = .complete
    complete.setup = nil
    complete.status = transfer.outcome.usbmonStatus
    var omissions: AttributeOmissions = isControl ? .setup : []
    if LinkTransfer.Outcome(usbmonStatus: complete.status) == transfer.outcome {
      omissions.insert(.outcome)
    }
    if transfer.direction == .outbound {
      omissions.insert(.end)
      submit.data = transfer.bytes[...]
    } else {
      submit.length = transfer.requestedLength ?? submit.length
      complete.data = transfer.bytes[...]
    }
    buffer.removeAll()
    lines.writeAttributes(
      of: event, isOutOfOrder: isOutOfOrder, omitting: omissions, into: &buffer)
    if transfer.direction == .outbound {
      write(submit, at: event.start)
      try write(OwnBlocks.usbmon, event, into: &output)
      write(
        complete, event.end == nil ? .filler : .end, at: event.end ?? event.start,
        into: &output)
    } else {
      write(submit, .filler, at: event.start, into: &output)
      write(complete, at: event.start)
      try write(OwnBlocks.usbmon, event, into: &output)
    }
  }

  private mutating func writeDescriptors(
    of transfer: LinkTransfer, at time: Nanoseconds, into output: inout [UInt8]
  ) {
    let payload = transfer.payload
    guard payload == .pn53x || payload == .ccid, !hasDescriptors[Int(payload.rawValue)] else {
      return
    }
    hasDescriptors[Int(payload.rawValue)] = true
    let identity = UsbDescriptors.identity(ofAddress: header.reader?.address)
    let packets = UsbDescriptors.transfers(
      of: identity, payload: payload, device: transfer.usbDevice)
    for packet in packets { write(packet, .descriptor, at: time, into: &output) }
  }

  private mutating func write(_ usbmon: UsbmonPacket, at time: Nanoseconds) {
    packet.removeAll(keepingCapacity: true)
    usbmon.append(to: &packet, time: time.count)
  }

  /// Writes a packet that is no event by itself.
  private mutating func write(
    _ usbmon: UsbmonPacket, _ role: OwnBlocks.Companion, at time: Nanoseconds,
    into output: inout [UInt8]
  ) {
    write(usbmon, at: time)
    let option = PcapngWriter.Option(code: OwnBlocks.companion, value: [role.rawValue])
    write(OwnBlocks.usbmon, at: time, options: [option], into: &output)
  }

  // MARK: Blocks

  /// Writes `packet` as the packet of an event, with the attributes in `buffer`.
  private mutating func write(
    _ linkType: UInt16, _ event: TraceEvent, into output: inout [UInt8]
  ) throws(TraceError) {
    var options: [PcapngWriter.Option] = []
    if let comment = event.comment {
      var text = TextBuffer()
      text.append(comment: comment)
      if !text.bytes.isEmpty { options.append(.init(code: 1, value: text.bytes)) }
    }
    var attributes = buffer.bytes[...].dropFirst()
    repeat {
      let part = attributes.prefix(PcapngWriter.Option.longestValue)
      options.append(.init(code: OwnBlocks.attributes, value: Array(part)))
      attributes = attributes.dropFirst(part.count)
    } while !attributes.isEmpty
    for line in event.leadingLines {
      var text = TextBuffer()
      try text.append(commentLines: [line])
      options.append(.init(code: OwnBlocks.leadingLines, value: text.bytes))
    }
    write(
      linkType, at: event.start, missingBytes: missingBytes(of: event), options: options,
      into: &output)
  }

  /// How many bytes of a transfer the capture did not keep.
  private func missingBytes(of event: TraceEvent) -> Int {
    guard case .link(let transfer) = event.content, let original = transfer.originalLength else {
      return 0
    }
    return min(max(0, original - transfer.bytes.count), Int(Int32.max))
  }

  private mutating func write(
    _ linkType: UInt16, at time: Nanoseconds, missingBytes: Int = 0,
    options: [PcapngWriter.Option], into output: inout [UInt8]
  ) {
    let isNegative = time.count < 0
    let number = interface(linkType, isNegative: isNegative, into: &output)
    let timestamp =
      isNegative
      ? UInt64(bitPattern: time.count &- OwnBlocks.negativeOffset &* 1_000_000_000)
      : UInt64(time.count)
    pcapng.packet(
      interface: number, timestamp: timestamp, data: packet,
      originalLength: packet.count + missingBytes, options: options, into: &output)
  }

  /// The number of an interface, which is described at its first use.
  private mutating func interface(
    _ linkType: UInt16, isNegative: Bool, into output: inout [UInt8]
  ) -> Int {
    let slot = (linkType == OwnBlocks.usbmon ? 1 : 0) + (isNegative ? 2 : 0)
    if let number = interfaces.numbers[slot] { return number }
    let number = interfaces.count
    interfaces.numbers[slot] = number
    interfaces.count += 1
    pcapng.interface(
      PcapngInterface(
        linkType: linkType, offsetSeconds: isNegative ? OwnBlocks.negativeOffset : 0),
      into: &output)
    return number
  }
}
