import NFCProtocols
import NFCTrace

/// Both records of one USB transfer put together, before it is known whose device it is.
struct USBTransfer {
  var identifier: UInt64
  var kind: USBRecord.Kind
  var device: USBDeviceAddress
  var endpoint: UInt8
  /// The data, OUT from the submit, IN from the completion.
  var data: [UInt8] = []
  var setup: [UInt8]?
  var outcome = LinkTransfer.Outcome.completed
  var requestedLength: Int?
  var actualLength: Int?
  /// OUT: when it was handed in; IN: when its data came.
  var start: SourceTime
  var end: SourceTime?
  var comments: [String] = []
  /// True while an OUT transfer has not come back.
  var isOpen = false
  var isInjected = false

  var isInbound: Bool { endpoint & 0x80 != 0 }

  /// True for the standard request GET_DESCRIPTOR of a device or configuration (USB 2.0, 9.4.3).
  var descriptorType: UInt8? {
    guard let setup, setup.count == 8, setup[0] == 0x80, setup[1] == 0x06 else { return nil }
    return setup[3]
  }

  /// The transfer as a trace event whose times still count from the file's origin.
  func event(payload: LinkTransfer.Payload) -> TraceEvent {
    var transfer = LinkTransfer(isInbound ? .inbound : .outbound, data, outcome: outcome)
    switch kind {
    case .bulk:
      transfer.transport = .usbBulk
      transfer.payload = payload
      // 04 and 84 are the endpoints of every PN53x.
      transfer.endpoint = endpoint == 0x04 || endpoint == 0x84 ? nil : endpoint
    case .control:
      transfer.transport = .usbControl
      transfer.payload = .other
      transfer.setup = setup
    case .interrupt, .isochronous:
      transfer.transport = .usbInterrupt
      transfer.payload = .other
      transfer.endpoint = endpoint
    }
    if isInbound { transfer.requestedLength = requestedLength }
    if let actualLength, actualLength > data.count {
      transfer.originalLength = actualLength
    }
    var event = TraceEvent(start: start.nanoseconds ?? .zero, .link(transfer))
    event.isTimeUnknown = start.nanoseconds == nil
    event.end = end?.nanoseconds
    if let ticks = start.ticks {
      let (length, overflows) = (end?.ticks ?? ticks).subtractingReportingOverflow(ticks)
      event.sourceTicks = SourceTicks(
        start: ticks, length: end?.ticks == nil || overflows ? nil : length)
    }
    event.comment = comments.isEmpty ? nil : comments.joined(separator: "; ")
    return event
  }
}
