import CLibUSB
import HostIO
import NFCProtocols

/// Writes: one transfer a frame, and an empty one behind full packets.
extension USBTransfers {
  func send(_ bytes: [UInt8]) throws(HostLinkError) {
    if let failure { throw failure }
    precondition(!bytes.isEmpty, "an empty transfer is sent by the link itself where it is due")
    guard bytes.count <= USBTransfer.bufferLength else {
      throw .failed(
        step: "writing \(bytes.count) bytes",
        reason: "no frame of this family has more than \(USBTransfer.bufferLength)")
    }
    try submit(bytes)
    // Full packets only: without a shorter one the reader would wait for more (USB 2.0, 5.8.3).
    if bytes.count % Self.packetLength == 0 { try submit([]) }
  }

  private func submit(_ bytes: [UInt8]) throws(HostLinkError) {
    let transfer = try freeTransfer()
    transfer.fill(bytes)
    transfer.isTerminator = bytes.isEmpty
    transfer.prepare(handle, endpoint: outEndpoint, length: bytes.count, owner: owner) { pointer in
      USBTransfers.owner(of: pointer)?.completeWrite(pointer)
    }
    transfer.submittedAt = MonotonicClock.now().count
    let status = libusb_submit_transfer(transfer.pointer)
    guard status == 0 else {
      let error = Self.submissionError("writing \(bytes.count) bytes", status)
      if error == .gone { fail(.gone) }
      throw error
    }
    transfer.isUnderWay = true
  }

  private func freeTransfer() throws(HostLinkError) -> USBTransfer {
    if let free = outgoing.first(where: { !$0.isUnderWay }) { return free }
    guard outgoing.count < Self.maximumOutgoing, let new = USBTransfer() else {
      throw .failed(
        step: "writing", reason: "\(outgoing.count) transfers already wait for the reader")
    }
    outgoing.append(new)
    return new
  }

  private func completeWrite(_ pointer: UnsafeMutablePointer<libusb_transfer>?) {
    guard let transfer = outgoing.first(where: { $0.pointer == pointer }) else { return }
    let now = MonotonicClock.now()
    transfer.isUnderWay = false
    let length = Int(transfer.pointer.pointee.length)
    switch transfer.status {
    case LIBUSB_TRANSFER_COMPLETED where transfer.count == length:
      if !transfer.isTerminator {
        deliver(HostLinkEvent(at: now, began: Nanoseconds(transfer.submittedAt), .sent))
      }
    case LIBUSB_TRANSFER_STALL: noteStall(outEndpoint)
    case LIBUSB_TRANSFER_NO_DEVICE: fail(.gone)
    case LIBUSB_TRANSFER_CANCELLED:
      writeFailure =
        writeFailure
        ?? .timedOut(
          step: "writing \(length) bytes to endpoint \(Self.hex(outEndpoint))",
          waited: now - Nanoseconds(transfer.submittedAt))
    default:
      writeFailure =
        writeFailure
        ?? .failed(
          step: "writing \(length) bytes to endpoint \(Self.hex(outEndpoint))",
          reason: "the bus reported an error after \(transfer.count) bytes")
    }
    waitForNextCompletion()
  }

  func cancelOverdueWrites(_ now: Nanoseconds) {
    for transfer in outgoing
    where transfer.isUnderWay && Nanoseconds(transfer.submittedAt) + Self.sendLimit <= now {
      // Its callback tells; if that does not come either, the system has lost the transfer.
      if libusb_cancel_transfer(transfer.pointer) != 0, failure == nil {
        fail(.timedOut(step: "taking a write back", waited: Self.sendLimit))
      }
    }
  }
}
