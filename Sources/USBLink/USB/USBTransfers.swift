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
  var descriptors: [pollfd]

  let incoming: USBTransfer
  var outgoing: [USBTransfer] = []
  var readErrors = 0
  var isClosing = false
  /// Endpoints that answered STALL and wait to be cleared, outside the callbacks.
  var stalledEndpoints: [UInt8] = []

  /// Why nothing goes over the link any more.
  private(set) var failure: HostLinkError?
  /// What a write failed of; the link lives on.
  var writeFailure: HostLinkError?

  private var events: [HostLinkEvent] = []
  private var handler: ((HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep)?
  private var deadline: Nanoseconds?
  private var isStopped = false
  private var outbox: [[UInt8]] = []

  init(
    on handle: borrowing USBDeviceHandle, outEndpoint: UInt8, inEndpoint: UInt8,
    interruption: Interruption?
  ) throws(HostLinkError) {
    guard let incoming = USBTransfer(), let descriptors = handle.context.descriptors else {
      throw .failed(step: "preparing transfers", reason: "no memory, or no descriptors to wait for")
    }
    context = handle.context.pointer
    self.handle = handle.pointer
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

  var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
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

  func handleEvents() {
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
  func deliver(_ event: HostLinkEvent?) {
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
  func waitForNextCompletion() {
    guard handler != nil, !isStopped, !isClosing, failure == nil, writeFailure == nil,
      stalledEndpoints.isEmpty
    else { return }
    wait()
  }

  func fail(_ error: HostLinkError) {
    if failure == nil { failure = error }
  }
}
