import CLibUSB
import HostIO
import NFCProtocols

/// The read that is always posted.
extension USBTransfers {
  /// Posts the read again, unless the link is at its end.
  func postRead() {
    guard !isClosing, failure == nil, !incoming.isUnderWay else { return }
    incoming.prepare(
      handle, endpoint: inEndpoint, length: USBTransfer.bufferLength, owner: owner
    ) { pointer in
      USBTransfers.owner(of: pointer)?.completeRead()
    }
    let status = libusb_submit_transfer(incoming.pointer)
    guard status == 0 else { return fail(Self.submissionError("reading", status)) }
    incoming.isUnderWay = true
  }

  private func completeRead() {
    let now = MonotonicClock.now()
    incoming.isUnderWay = false
    switch incoming.status {
    case LIBUSB_TRANSFER_COMPLETED:
      readErrors = 0
      let bytes = incoming.bytes
      postRead()
      // An empty transfer ends one of full packets; frames tell their length themselves.
      if !bytes.isEmpty { deliver(HostLinkEvent(at: now, .received(bytes))) }
    case LIBUSB_TRANSFER_STALL: noteStall(inEndpoint)
    case LIBUSB_TRANSFER_NO_DEVICE: fail(.gone)
    case LIBUSB_TRANSFER_CANCELLED: break
    default: noteReadError()
    }
    waitForNextCompletion()
  }

  /// A packet that was damaged on the bus, or more bytes than a read has room for: what was in it
  /// is lost, and the next layer asks again; a reader that does nothing else is given up.
  private func noteReadError() {
    readErrors += 1
    if readErrors < Self.maximumReadErrors { return postRead() }
    let isTooLong = incoming.status == LIBUSB_TRANSFER_OVERFLOW
    fail(
      .failed(
        step: "reading from endpoint \(Self.hex(inEndpoint))",
        reason: isTooLong
          ? "the reader sends more than \(USBTransfer.bufferLength) bytes at once"
          : "\(readErrors) transfers in a row were damaged; try another cable or socket"))
  }
}

// MARK: Stalls and the end

extension USBTransfers {
  func noteStall(_ endpoint: UInt8) {
    if !stalledEndpoints.contains(endpoint) { stalledEndpoints.append(endpoint) }
  }

  /// Clears the halt of one endpoint, tells, and posts the read again.
  ///
  /// - Returns: False if no endpoint had stalled.
  func clearStalledEndpoint() -> Bool {
    guard let endpoint = stalledEndpoints.popLast() else { return false }
    let status = libusb_clear_halt(handle, endpoint)
    guard status == 0 else {
      fail(Self.submissionError("clearing a stall of endpoint \(Self.hex(endpoint))", status))
      return true
    }
    postRead()
    deliver(HostLinkEvent(at: MonotonicClock.now(), .stalled))
    return true
  }

  /// Takes back what is under way and waits for it.
  ///
  /// If the system does not give a transfer back, its memory is kept for ever rather than reused.
  func close() {
    isClosing = true
    let all = [incoming] + outgoing
    for transfer in all where transfer.isUnderWay { _ = libusb_cancel_transfer(transfer.pointer) }
    let limit = MonotonicClock.now() + Self.closingLimit
    while all.contains(where: \.isUnderWay), MonotonicClock.now() < limit {
      _ = DescriptorWait.wait(for: &descriptors, until: limit)
      handleEvents()
    }
    if all.contains(where: \.isUnderWay) { _ = Unmanaged.passRetained(self) }
  }

  static func owner(
    of pointer: UnsafeMutablePointer<libusb_transfer>?
  ) -> USBTransfers? {
    guard let data = pointer?.pointee.user_data else { return nil }
    return Unmanaged<USBTransfers>.fromOpaque(data).takeUnretainedValue()
  }

  static func submissionError(_ step: String, _ status: Int32) -> HostLinkError {
    switch status {
    case LIBUSB_ERROR_NO_DEVICE.rawValue, LIBUSB_ERROR_NOT_FOUND.rawValue: .gone
    default: .failed(step: step, reason: USBStatus.text(status))
    }
  }

  static func hex(_ endpoint: UInt8) -> String {
    (endpoint < 16 ? "0" : "") + String(endpoint, radix: 16)
  }
}
