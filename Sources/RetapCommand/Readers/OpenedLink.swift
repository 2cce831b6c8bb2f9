import HostIO
import NFCProtocols
import PN53x
import USBLink

/// The link to whatever reader an address names; one of its kinds is there.
struct OpenedLink: HostLink, ~Copyable {
  private var usb: USBReaderLink?
  private var serial: SerialReaderLink?

  /// The name of the reader and what it is known for.
  let reader: Description

  /// What is known of a reader before it was asked.
  struct Description {
    /// The shortest address that names it, for traces.
    var address: String
    /// Name and chip.
    var title: String
    /// How its frames travel.
    var configuration: HostEngineConfiguration
    /// What has to be put back in the end.
    var descriptors: DescriptorImage?
  }

  /// Opens a reader.
  ///
  /// - Throws: `CommandError.link`.
  init(_ address: ReaderAddress, interruption: Interruption?) throws(CommandError) {
    do throws(HostLinkError) {
      switch address {
      case .firstUSB, .usbIdentity, .usbPlace:
        let link = try USBReaderLink(address, interruption: interruption)
        reader = Description(
          address: "usb:\(link.device.identity.text)", title: link.reader.title,
          configuration: link.reader.configuration, descriptors: link.reader.descriptors)
        usb = consume link
      case .serial(let path, let speed):
        serial = try SerialReaderLink(path: path, speed: speed, interruption: interruption)
        reader = Description(
          address: address.text, title: "serial line",
          configuration: HostEngineConfiguration(.serial(baud: speed.bitsPerSecond)))
      case .replay, .model:
        throw .badAddress(address.text, reason: "this command needs a reader that is attached")
      }
    } catch {
      throw .link(error)
    }
  }

  /// Readers that are attached live on the clock of the machine.
  var now: Nanoseconds { MonotonicClock.now() }

  mutating func send(_ bytes: [UInt8]) throws(HostLinkError) {
    try usb?.send(bytes)
    try serial?.send(bytes)
  }

  mutating func nextEvent(
    until deadline: Nanoseconds?
  ) throws(HostLinkError) -> HostLinkEvent? {
    if usb != nil { return try usb?.nextEvent(until: deadline) }
    return try serial?.nextEvent(until: deadline)
  }

  mutating func run(
    until deadline: Nanoseconds?,
    _ handle: (HostLinkEvent?, inout [[UInt8]]) -> HostLinkStep
  ) throws(HostLinkError) {
    try usb?.run(until: deadline, handle)
    try serial?.run(until: deadline, handle)
  }
}
