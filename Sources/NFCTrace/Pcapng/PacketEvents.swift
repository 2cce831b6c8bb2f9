import NFCProtocols

/// Makes events of the packets of Retap's own pcapng files, which are the truth.
struct PacketEvents {
  /// Reads attributes, and knows the technology of frames that do not name their own.
  let parser: EventLineParser
  /// An outbound transfer whose completion may be the next packet.
  private var submitted: (event: TraceEvent, transfer: LinkTransfer, id: UInt64)?
  /// The setup bytes of an inbound control transfer that was submitted.
  private var setup: (bytes: [UInt8], id: UInt64)?

  init(technology: Technology?) { parser = EventLineParser(technology: technology) }

  /// What the options of a packet tell.
  private struct Extras {
    var attributes: ArraySlice<UInt8>?
    var leadingLines: [String] = []
    var comment: String?
    var companion: OwnBlocks.Companion?
  }

  /// Takes one packet and appends the events that it completes.
  mutating func take(
    _ packet: PcapngPacket, of interface: PcapngInterface, _ order: PcapngByteOrder,
    into events: inout [TraceEvent]
  ) throws(TraceError) {
    let extras = try Self.extras(of: packet)
    let start = try Self.time(of: packet, interface)
    switch interface.linkType {
    case OwnBlocks.iso14443:
      flush(into: &events)
      events.append(try radioEvent(packet, extras, at: start))
    case OwnBlocks.usbmon:
      guard let usbmon = UsbmonPacket(packet.data, order) else {
        throw PcapngReader.fault(
          packet.offset + 28, found: "a USB packet of \(packet.data.count) bytes",
          expected: "a header of \(UsbmonPacket.headerLength) bytes")
      }
      try take(usbmon, packet, extras, at: start, into: &events)
    default:
      flush(into: &events)
    }
  }

  /// Appends an event that waits for a completion.
  mutating func flush(into events: inout [TraceEvent]) {
    guard let (event, transfer, _) = submitted else { return }
    var whole = event
    whole.content = .link(transfer)
    events.append(whole)
    submitted = nil
  }

  // MARK: Link type 264

  private func radioEvent(
    _ packet: PcapngPacket, _ extras: Extras, at start: Nanoseconds
  ) throws(TraceError) -> TraceEvent {
    let data = packet.data
    guard data.count >= 4, data[data.startIndex] == 0,
      Int(data.number16(at: 2, .big)) == data.count - 4
    else {
      throw PcapngReader.fault(
        packet.offset + 28, found: "a packet that is no ISO 14443 pseudo header and frame",
        expected: "00, the event, and the length of the frame in two bytes")
    }
    let mark = data[data.startIndex + 1]
    var frame = RadioFrame(Array(data.dropFirst(4)), technology: parser.technology)
    var scanner = LineScanner(extras.attributes ?? [], at: .byte(packet.offset))
    let direction: Direction
    switch mark {
    case 0xFC, 0xFD:
      // The word for the technology is an attribute here and stands apart in the text.
      frame.technology = nil
      var event = TraceEvent(start: start, .field(FieldChange(isOn: mark == 0xFC)))
      try parser.attributes(of: &event, &frame, &scanner)
      event.content = .field(FieldChange(isOn: mark == 0xFC, technology: frame.technology))
      Self.add(extras, to: &event)
      return event
    case 0xFE, 0xFA: direction = .outbound
    case 0xFF, 0xFB: direction = .inbound
    default:
      var found = TextBuffer()
      found.append("the event ")
      found.append(hex: mark)
      throw PcapngReader.fault(
        packet.offset + 29, found: found.string, expected: "FA, FB, FC, FD, FE or FF")
    }
    var event = TraceEvent(start: start, .radio(direction, frame))
    try parser.attributes(of: &event, &frame, &scanner)
    if mark == 0xFA || mark == 0xFB {
      frame.crc = .notCaptured
    } else if frame.crc == .notCaptured {
      frame.crc = nil
    }
    event.content = .radio(direction, frame)
    Self.add(extras, to: &event)
    return event
  }

  // MARK: Link type 220

  private mutating func take(
    _ usbmon: UsbmonPacket, _ packet: PcapngPacket, _ extras: Extras, at time: Nanoseconds,
    into events: inout [TraceEvent]
  ) throws(TraceError) {
    if let (event, transfer, id) = submitted, id == usbmon.id, usbmon.kind != .submit,
      !usbmon.isInbound
    {
      complete(event, transfer, by: usbmon, extras, at: time, into: &events)
      return
    }
    flush(into: &events)
    guard extras.companion != .descriptor else { return }
    switch (usbmon.kind, usbmon.isInbound) {
    case (.submit, true):
      setup = usbmon.setup.map { ($0, usbmon.id) }
    case (.submit, false):
      var event = TraceEvent(start: time, .field(FieldChange(isOn: false)))
      var transfer = try transfer(usbmon, .outbound, packet, extras, &event)
      if let bytes = usbmon.setup { transfer.setup = bytes }
      submitted = (event, transfer, usbmon.id)
    case (_, true):
      guard extras.companion == nil else { return }
      var event = TraceEvent(start: time, .field(FieldChange(isOn: false)))
      var transfer = try transfer(usbmon, .inbound, packet, extras, &event)
      if let setup, setup.id == usbmon.id { transfer.setup = setup.bytes }
      Self.set(usbmon.status, of: &transfer)
      event.content = .link(transfer)
      events.append(event)
    case (_, false):
      break
    }
  }

  /// Adds what the completion of an outbound transfer tells.
  private mutating func complete(
    _ event: TraceEvent, _ transfer: LinkTransfer, by usbmon: UsbmonPacket, _ extras: Extras,
    at time: Nanoseconds, into events: inout [TraceEvent]
  ) {
    var event = event
    var transfer = transfer
    if extras.companion != .filler { event.end = time }
    Self.set(usbmon.status, of: &transfer)
    event.content = .link(transfer)
    events.append(event)
    submitted = nil
  }

  private func transfer(
    _ usbmon: UsbmonPacket, _ direction: Direction, _ packet: PcapngPacket, _ extras: Extras,
    _ event: inout TraceEvent
  ) throws(TraceError) -> LinkTransfer {
    var transfer = LinkTransfer(direction, Array(usbmon.data))
    var scanner = LineScanner(extras.attributes ?? [], at: .byte(packet.offset))
    try parser.attributes(of: &event, &transfer, &scanner)
    let address = usbmon.endpoint
    if let written = transfer.endpoint {
      if written & 0x7F != address & 0x7F { transfer.endpoint = address }
    } else if address != transfer.usualEndpoint {
      transfer.endpoint = address
    }
    Self.add(extras, to: &event)
    return transfer
  }

  /// Sets the outcome by the status of a packet, unless the attributes tell it more exactly.
  private static func set(_ status: Int32, of transfer: inout LinkTransfer) {
    if transfer.outcome != .completed, transfer.outcome.usbmonStatus == status { return }
    if case .failed(let written) = transfer.outcome, written == status { return }
    transfer.outcome = LinkTransfer.Outcome(usbmonStatus: status)
  }

  // MARK: Times and options

  private static func time(
    of packet: PcapngPacket, _ interface: PcapngInterface
  ) throws(TraceError) -> Nanoseconds {
    guard let count = interface.nanoseconds(of: packet.timestamp),
      count.magnitude <= TraceLimits.time.magnitude
    else {
      throw PcapngReader.fault(
        packet.offset + 12, found: "a time stamp of \(packet.timestamp)",
        expected: "a time within 126 years of the clock's origin")
    }
    return Nanoseconds(count)
  }

  private static func add(_ extras: Extras, to event: inout TraceEvent) {
    event.comment = extras.comment
    event.leadingLines = extras.leadingLines
  }

  private static func extras(of packet: PcapngPacket) throws(TraceError) -> Extras {
    var extras = Extras()
    var options = packet.options
    while let (code, value) = try options.next() {
      switch code {
      case 1:
        // Of several comments, which other programs may add, each is kept.
        let text = String(decoding: value, as: UTF8.self)
        extras.comment = extras.comment.map { $0 + " " + text } ?? text
      case OwnBlocks.attributes:
        extras.attributes = extras.attributes.map { $0 + value } ?? value
      case OwnBlocks.leadingLines:
        extras.leadingLines.append(value.dropLast().text)
      case OwnBlocks.companion:
        extras.companion = value.first.flatMap { OwnBlocks.Companion(rawValue: $0) }
      default: break
      }
    }
    return extras
  }
}
