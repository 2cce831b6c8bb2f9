import NFCProtocols
import PN53x

/// Follows the events of a trace through all layers and gives what there is to look at.
struct LayerTracer: Sendable {
  private var link = LinkTracer()
  private var carrier = CarrierTracer()
  /// Frames and APDUs that a source recorded on the air.
  private var air: AirTracer
  /// Frames and APDUs that chips carried.
  private var chip: AirTracer
  /// APDUs that a source recorded as such.
  private var reader: AirTracer
  private var messages: [TracedMessage] = []
  private let isLowFrequency: Bool

  /// Makes a tracer for the events of one trace, in their order.
  init(header: TraceHeader) {
    isLowFrequency = header.isLowFrequency
    air = AirTracer(technology: header.technology)
    chip = AirTracer(technology: nil)
    reader = AirTracer(technology: nil)
  }

  /// Takes the next event and appends what it gives.
  mutating func take(_ event: TraceEvent, index: Int, into views: inout TracedViews) {
    switch event.content {
    case .radio(_, let frame) where isLowFrequency:
      views.add(TracedBytes(frame.bytes, event: index), .frame)
    case .radio(let direction, let frame):
      air.take(direction, frame, TracedBytes(frame.bytes, event: index), into: &views)
    case .apdu(let direction, let bytes):
      reader.take(direction, apdu: TracedBytes(bytes, event: index), into: &views)
    case .link(let transfer):
      take(transfer, index: index, into: &views)
    case .field(let change):
      air.forget(into: &views)
      if !change.isOn { reader.forget(into: &views) }
    case .application(_, let text):
      views.add(TracedBytes(Array(text.utf8), event: index, part: .words), .words)
    }
    if let comment = event.comment {
      views.add(TracedBytes(Array(comment.utf8), event: index, part: .comment), .words)
    }
    for (number, line) in event.leadingLines.enumerated() where !line.isEmpty {
      views.add(TracedBytes(Array(line.utf8), event: index, part: .line(number)), .words)
    }
  }

  private mutating func take(
    _ transfer: LinkTransfer, index: Int, into views: inout TracedViews
  ) {
    messages.removeAll(keepingCapacity: true)
    var outer: [ChecksumSpan] = []
    link.take(transfer, event: index, into: &messages, &outer)
    for message in messages {
      switch carrier.lift(message, identifiers: &views.identifiers) {
      case .nothing: look(at: message, into: &views)
      case .apdu(let direction, let bytes): chip.take(direction, apdu: bytes, into: &views)
      case .radio(let direction, let frame, let bytes):
        chip.take(direction, frame, bytes, into: &views)
      case .activation(let technology, let sak, let isISODEP):
        chip.activated(technology, sak: sak, isISODEP: isISODEP, into: &views)
      case .fieldOff: chip.forget(into: &views)
      }
    }
    // The checksum of a host frame covers those of what it carries.
    views.checksums += outer
  }

  /// A message that carries nothing may still hold a text.
  private func look(at message: TracedMessage, into views: inout TracedViews) {
    switch message.content {
    case .frame(_, let bytes), .ccid(let bytes), .nci(let bytes), .other(let bytes):
      views.add(bytes, .frame)
    }
  }

  /// Gives what is left when the trace has ended.
  mutating func finish(into views: inout TracedViews) {
    air.forget(into: &views)
    chip.forget(into: &views)
    reader.forget(into: &views)
  }
}
