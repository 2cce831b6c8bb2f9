public import HostIO
public import NFCProtocols
public import PN53x

/// A link to a reader over USB; goes with it: its transfers, its interface, its handle.
public struct USBReaderLink: HostLink, ~Copyable {
  /// What the reader is.
  public let reader: KnownReader
  /// What the device says of itself.
  public let device: USBDeviceDescription
  private let transfers: USBTransfers
  private let interface: ClaimedInterface

  /// Opens a reader and claims its interface.
  ///
  /// - Parameters:
  ///   - address: One of the `usb:` forms; `firstUSB` takes listed PN53x readers only.
  ///   - interruption: What wakes `nextEvent`, if anything does.
  /// - Throws: `badAddress`, `notFound`, `noPermission`, `busy`, `gone` or `failed`.
  public init(
    _ address: ReaderAddress, interruption: Interruption? = nil
  ) throws(HostLinkError) {
    let interface = try Self.claim(address)
    let reader = interface.reader
    guard reader.chip != .rcS380 else {
      throw .failed(
        step: "opening \(address.text)",
        reason: "the \(reader.name) speaks another language than the PN53x family")
    }
    let transfers = try USBTransfers(
      on: interface.handle, outEndpoint: reader.outEndpoint, inEndpoint: reader.inEndpoint,
      interruption: interruption)
    self.reader = reader
    self.transfers = transfers
    device = interface.handle.description
    self.interface = interface
  }

  private static func claim(_ address: ReaderAddress) throws(HostLinkError) -> ClaimedInterface {
    switch address {
    case .firstUSB:
      try ClaimedInterface(address: address.text) { device in
        device.reader.map { $0.chip != .rcS380 } ?? false
      }
    case .usbIdentity(let identity):
      try ClaimedInterface(address: address.text) { $0.identity == identity }
    case .usbPlace(let place):
      try ClaimedInterface(address: address.text) { $0.place == place }
    case .serial, .replay, .model:
      throw .badAddress(address.text, reason: "this is no USB device")
    }
  }

  deinit { transfers.close() }

  /// The clock of the machine.
  public var now: Nanoseconds { MonotonicClock.now() }

  /// Begins to send one transfer, and behind full packets an empty one.
  public mutating func send(_ bytes: [UInt8]) throws(HostLinkError) {
    try transfers.send(bytes)
  }

  /// Waits for the next event.
  public mutating func nextEvent(
    until deadline: Nanoseconds?
  ) throws(HostLinkError) -> HostLinkEvent? {
    var next: HostLinkEvent?
    try transfers.run(until: deadline) { event, _ in
      next = event
      return .stop
    }
    return next
  }

  /// Hands events to `handle` until it says `stop`, from inside libusb's event handling.
  public mutating func run(
    until deadline: Nanoseconds?,
    _ handle: (HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep
  ) throws(HostLinkError) {
    try transfers.run(until: deadline, handle)
  }
}
