import CLibUSB
import Glibc
import HostIO
import NFCProtocols

/// The transfers of one claimed interface: one read always posted, writes as they come.
///
/// Callbacks of libusb come on the thread that runs it, inside `run`. After each the thread waits
/// for the next completion still inside the callback: libusb then finds it at once, where it would
/// otherwise ask the system once more in vain and leave its loop. One exchange so costs the six
/// calls that submit and reap three transfers.
final class USBTransfers {
  /// Writes under way at a time; a host sends a command and at most an abort behind it.
  static let maximumOutgoing = 16
  /// A write that a reader does not take for so long has failed (libnfc: 1000 ms for an abort).
  static let sendLimit = Nanoseconds.seconds(1)
  /// Failed reads in a row after which the link is given up.
  static let maximumReadErrors = 3
  /// The packet size of full-speed bulk endpoints (pn53x.md 8.2 of the reference, USB 2.0 5.8.3).
  static let packetLength = 64
  /// How long the end waits for transfers to be taken back.
  static let closingLimit = Nanoseconds.seconds(1)

  let context: OpaquePointer
  let handle: OpaquePointer
  let outEndpoint: UInt8
  let inEndpoint: UInt8
  private let interruption: Interruption?
  private var descriptors: [pollfd]

  private let incoming: USBTransfer
  private var outgoing: [USBTransfer] = []
  private var readErrors = 0
  private var isClosing = false
  /// Endpoints that answered STALL and wait to be cleared, outside the callbacks.
  private var stalledEndpoints: [UInt8] = []

  /// Why nothing goes over the link any more.
  private(set) var failure: HostLinkError?
  /// What a write failed of; the link lives on.
  private var writeFailure: HostLinkError?

  private var events: [HostLinkEvent] = []
  private var handler: ((HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep)?
  private var deadline: Nanoseconds?
  private var isStopped = false
  private var outbox: [[UInt8]] = []

  init(
    context: OpaquePointer, handle: OpaquePointer, outEndpoint: UInt8, inEndpoint: UInt8,
    interruption: Interruption?
  ) throws(HostLinkError) {
    guard let incoming = USBTransfer(), let descriptors = Self.descriptors(of: context) else {
      throw .failed(step: "preparing transfers", reason: "no memory, or no descriptors to wait for")
    }
    self.context = context
    self.handle = handle
    self.outEndpoint = outEndpoint
    self.inEndpoint = inEndpoint
    self.interruption = interruption
    self.incoming = incoming
    // The interruption is always the last; poll(2) passes over negative descriptors.
    let waker = pollfd(fd: interruption?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    self.descriptors = descriptors + [waker]
    postRead()
    if let failure { throw failure }
  }

  /// What libusb wants to be woken by.
  private static func descriptors(of context: OpaquePointer) -> [pollfd]? {
    guard let list = libusb_get_pollfds(context) else { return nil }
    defer { libusb_free_pollfds(list) }
    var found: [pollfd] = []
    var place = list
    while let entry = place.pointee {
      found.append(pollfd(fd: entry.pointee.fd, events: entry.pointee.events, revents: 0))
      place += 1
    }
    return found
  }

  private var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

// MARK: Running

extension USBTransfers {
  func run(
    until first: Nanoseconds?, _ handle: (HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep
  ) throws(HostLinkError) {
    precondition(handler == nil, "a link is run by one caller at a time, not from its handler")
    let result = withoutActuallyEscaping(handle) { handle in
      handler = handle
      deadline = first
      isStopped = false
      defer { handler = nil }
      return loop()
    }
    if let result { throw result }
  }

  /// Works until the handler stops it or the link fails.
  private func loop() -> HostLinkError? {
    let waiting = events
    events.removeAll(keepingCapacity: true)
    for event in waiting { deliver(event) }
    while !isStopped {
      if let failure { return failure }
      if let failed = writeFailure {
        writeFailure = nil
        return failed
      }
      if clearStalledEndpoint() { continue }
      wait()
      if isWoken(), interruption?.take() ?? false {
        deliver(HostLinkEvent(at: MonotonicClock.now(), .interrupted))
      } else {
        handleEvents()
      }
      guard !isStopped, failure == nil else { continue }
      let now = MonotonicClock.now()
      cancelOverdueWrites(now)
      if let deadline, deadline <= now { deliver(nil) }
    }
    return nil
  }

  private func isWoken() -> Bool { descriptors[descriptors.count - 1].revents != 0 }

  /// Waits for a completion, an interruption, or the earliest deadline.
  private func wait() {
    var limit = deadline
    for transfer in outgoing where transfer.isUnderWay {
      let end = Nanoseconds(transfer.submittedAt) + Self.sendLimit
      limit = min(limit ?? end, end)
    }
    _ = DescriptorWait.wait(for: &descriptors, until: limit)
  }

  private func handleEvents() {
    var atOnce = timeval()
    let status = libusb_handle_events_timeout_completed(context, &atOnce, nil)
    switch status {
    case 0, LIBUSB_ERROR_INTERRUPTED.rawValue, LIBUSB_ERROR_TIMEOUT.rawValue,
      LIBUSB_ERROR_NO_DEVICE.rawValue:
      break
    default: fail(.failed(step: "waiting for the reader", reason: USBStatus.text(status)))
    }
  }

  /// Hands an event on, or keeps it until somebody asks.
  private func deliver(_ event: HostLinkEvent?) {
    guard let handler, !isStopped else {
      if let event { events.append(event) }
      return
    }
    let step = handler(event, &outbox)
    let sending = outbox
    outbox.removeAll(keepingCapacity: true)
    for bytes in sending {
      do throws(HostLinkError) { try send(bytes) } catch { fail(error) }
    }
    switch step {
    case .wait(let next): deadline = next
    case .stop: isStopped = true
    }
  }

  /// Called at the end of a callback.
  private func waitForNextCompletion() {
    guard handler != nil, !isStopped, !isClosing, failure == nil, writeFailure == nil,
      stalledEndpoints.isEmpty
    else { return }
    wait()
  }

  private func fail(_ error: HostLinkError) {
    if failure == nil { failure = error }
  }
}

// MARK: Writing

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
      if !transfer.isTerminator { deliver(HostLinkEvent(at: now, .sent)) }
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

  private func cancelOverdueWrites(_ now: Nanoseconds) {
    for transfer in outgoing
    where transfer.isUnderWay && Nanoseconds(transfer.submittedAt) + Self.sendLimit <= now {
      // Its callback tells; if that does not come either, the system has lost the transfer.
      if libusb_cancel_transfer(transfer.pointer) != 0, failure == nil {
        fail(.timedOut(step: "taking a write back", waited: Self.sendLimit))
      }
    }
  }
}

// MARK: Reading

extension USBTransfers {
  /// Posts the read again, unless the link is at its end.
  private func postRead() {
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
  private func noteStall(_ endpoint: UInt8) {
    if !stalledEndpoints.contains(endpoint) { stalledEndpoints.append(endpoint) }
  }

  /// Clears the halt of one endpoint, tells, and posts the read again.
  ///
  /// - Returns: False if no endpoint had stalled.
  private func clearStalledEndpoint() -> Bool {
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

  private static func owner(
    of pointer: UnsafeMutablePointer<libusb_transfer>?
  ) -> USBTransfers? {
    guard let data = pointer?.pointee.user_data else { return nil }
    return Unmanaged<USBTransfers>.fromOpaque(data).takeUnretainedValue()
  }

  private static func submissionError(_ step: String, _ status: Int32) -> HostLinkError {
    switch status {
    case LIBUSB_ERROR_NO_DEVICE.rawValue, LIBUSB_ERROR_NOT_FOUND.rawValue: .gone
    default: .failed(step: step, reason: USBStatus.text(status))
    }
  }

  private static func hex(_ endpoint: UInt8) -> String {
    (endpoint < 16 ? "0" : "") + String(endpoint, radix: 16)
  }
}
