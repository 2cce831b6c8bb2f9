import NFCProtocols
import NFCTrace

/// Reads pcap and pcapng files of any program: ISO 14443 frames (264), NFCGate exports, and USB
/// traffic of readers (220, 189, 249).
struct PacketCaptureDecoder: TraceDecoder {
  private let options: ImportOptions
  private var container = CaptureContainer()
  private var emitter: CaptureEmitter
  private var traffic = USBTraffic()
  private var gate = NFCGatePackets()
  private var listScale: ListTimeScale?
  private var lastTime = LastTime()
  private var packets = 0
  private var skipped: [(linkType: UInt32, count: Int)] = []
  /// The first packet, while it has time zero and it is open whether that means "no time".
  private var held: CapturedPacket?
  private var zeroMeansUnknown = false
  private var ready: [TraceEvent] = []
  private var hasTimeTrouble = false

  init(_ options: ImportOptions) {
    self.options = options
    emitter = CaptureEmitter(options, madeBy: "capture file")
    emitter.isAbsolute = true
    if options.timeScale == ListTimeScale.name { listScale = ListTimeScale() }
  }

  mutating func decode(
    _ chunk: ArraySlice<UInt8>, into batch: inout TraceBatch
  ) throws(TraceError) {
    container.append(chunk)
    while let packet = try container.next() {
      packets += 1
      if packets == 1, packet.time?.isZero ?? false {
        var copy = packet
        copy.bytes = Array(packet.bytes)[...]
        held = copy
        continue
      }
      try releaseHeld(next: packet, into: &batch)
      try take(packet, into: &batch)
      takePlainFrames(into: &batch)
    }
  }

  /// Takes the bulk of a large capture, once nothing is open about its times.
  private mutating func takePlainFrames(into batch: inout TraceBatch) {
    guard emitter.isSettled, listScale == nil, !zeroMeansUnknown, lastTime.isSettled else { return }
    packets += container.visitPlainFrames(tickUnit: emitter.tickUnit) { packet in
      let isReader =
        packet.event == ISO14443Packet.readerToCard
        || packet.event == ISO14443Packet.readerToCardNoCRC
      let direction: Direction = isReader ? .outbound : .inbound
      let hasCRC =
        packet.event == ISO14443Packet.readerToCard || packet.event == ISO14443Packet.cardToReader
      var frame = RadioFrame(Array(packet.bytes), crc: hasCRC ? nil : .notCaptured)
      if frame.bytes.count == 1 { frame.markShortRequest(direction) }
      emitter.emit(direction, frame, at: packet.time, ticks: packet.ticks, into: &batch)
    }
  }

  mutating func finish(into batch: inout TraceBatch) throws(TraceError) {
    try container.finish()
    try releaseHeld(next: nil, into: &batch)
    try checkLinkTypes()
    if traffic.hasRecords {
      traffic.finish(into: &ready, warnings: &batch.warnings)
      flush(into: &batch)
      if let found = traffic.missingReader, !emitter.hasHeader {
        throw .badInput(
          BadInput(
            at: .byte(0), found: found, expected: "the transfers of an NFC reader",
            remedy: "record the bus that the reader is on, from before it is opened"))
      }
    }
    emitter.finish(traffic.reader, into: &batch)
    warnOfTimes(into: &batch)
    for entry in skipped {
      batch.warnings.append(
        TraceWarning(
          at: .byte(0),
          "left out \(entry.count) packets of link type \(LinkType.name(of: entry.linkType))"))
    }
    batch.ending = TraceEnding(isComplete: nil)
  }

  private func checkLinkTypes() throws(TraceError) {
    let types = container.linkTypes
    guard !types.contains(where: { LinkType.readable.contains($0) }) else { return }
    let names = types.map(LinkType.name(of:)).joined(separator: ", ")
    throw .badInput(
      BadInput(
        at: .byte(0),
        found: types.isEmpty ? "a capture without interfaces" : "packets of link type \(names)",
        expected: "link type 264 (ISO 14443), 220, 189 or 249 (USB)",
        remedy: "record the USB bus of the reader (usbmon, USBPcap), not a network"))
  }

  private func warnOfTimes(into batch: inout TraceBatch) {
    if lastTime.isAlwaysSame, packets > 1, !zeroMeansUnknown {
      batch.warnings.append(
        TraceWarning(
          at: .byte(0),
          "all \(packets) packets have one time; a converter lost the times (text2pcap wants "
            + "-t \"%S.%f\", then read with --time-scale pm3-x)"))
    }
    if hasTimeTrouble {
      batch.warnings.append(
        TraceWarning(at: .byte(0), "some packets have no time, or one that is out of range"))
    }
  }

  private mutating func releaseHeld(
    next: CapturedPacket?, into batch: inout TraceBatch
  ) throws(TraceError) {
    guard let first = held else { return }
    held = nil
    zeroMeansUnknown = next?.time?.isZero ?? true
    try take(first, into: &batch)
  }

  private mutating func take(
    _ packet: CapturedPacket, into batch: inout TraceBatch
  ) throws(TraceError) {
    noteSource(packet)
    let (time, uncertainty) = time(of: packet)
    switch packet.linkType {
    case LinkType.usbLinux, LinkType.usbLinuxMapped:
      if let record = try USBMonPacket.record(packet, time: time) {
        traffic.add(record, into: &ready)
      }
    case LinkType.usbPcap:
      if let record = try USBPcapPacket.record(packet, time: time) {
        traffic.add(record, into: &ready)
      }
    default:
      guard let content = try content(packet) else {
        skip(packet.linkType)
        return
      }
      var event = TraceEvent(start: time.nanoseconds ?? .zero, content)
      event.isTimeUnknown = time.nanoseconds == nil
      event.sourceTicks = time.ticks.map { SourceTicks(start: $0) }
      event.uncertainty = uncertainty
      event.comment = packet.comment
      emitter.emit(event, reader: readerForHeader, into: &batch)
    }
    if !ready.isEmpty { flush(into: &batch) }
  }

  /// The reader's identity, which is put together only while the header is still to be written.
  private var readerForHeader: ReaderIdentity? { emitter.hasHeader ? nil : traffic.reader }

  private mutating func flush(into batch: inout TraceBatch) {
    emitter.emit(ready, reader: readerForHeader, into: &batch)
    ready.removeAll(keepingCapacity: true)
  }

  private mutating func content(
    _ packet: CapturedPacket
  ) throws(TraceError) -> TraceEvent.Content? {
    switch packet.linkType {
    case LinkType.iso14443, LinkType.user0:
      if packet.isNFCGateSection { return try gate.content(packet) }
      return packet.linkType == LinkType.iso14443
        ? try ISO14443Packet.content(packet) : ControllerPacket.content(packet)
    case LinkType.nfcLLCP: return ControllerPacket.content(packet)
    default: return nil
    }
  }

  private mutating func skip(_ linkType: UInt32) {
    if let index = skipped.firstIndex(where: { $0.linkType == linkType }) {
      skipped[index].count += 1
    } else {
      skipped.append((linkType, 1))
    }
  }

  private mutating func noteSource(_ packet: CapturedPacket) {
    guard !emitter.hasHeader else { return }
    emitter.madeBy =
      packet.isNFCGateSection
      ? "NFCGate export" : "capture file, link type \(LinkType.name(of: packet.linkType))"
    emitter.tickUnit = packet.time?.resolution.name
  }

  private mutating func time(
    of packet: CapturedPacket
  ) -> (SourceTime, uncertainty: Nanoseconds?) {
    guard let time = packet.time, !(time.isZero && zeroMeansUnknown) else {
      hasTimeTrouble = hasTimeTrouble || packet.time == nil
      return (SourceTime(), nil)
    }
    lastTime.note(time)
    let hasUnit = time.resolution.name == emitter.tickUnit
    let ticks = hasUnit ? Int64(exactly: time.ticks) : nil
    if listScale != nil, let (true_, uncertainty) = listScale?.time(of: time) {
      return (SourceTime(ticks: ticks, nanoseconds: true_), uncertainty)
    }
    if time.sinceEpoch == nil { hasTimeTrouble = true }
    return (SourceTime(ticks: ticks, nanoseconds: time.sinceEpoch), nil)
  }
}

/// Notices captures in which all packets have one time.
private struct LastTime {
  private var first: CaptureTime?
  private var differs = false

  var isAlwaysSame: Bool { first != nil && !differs }
  /// True if the answer is known and further times cannot change it.
  var isSettled: Bool { differs }

  mutating func note(_ time: CaptureTime) {
    if differs { return }
    if let first { differs = first != time } else { first = time }
  }
}
