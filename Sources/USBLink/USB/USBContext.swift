import CLibUSB
import Glibc
import HostIO

/// A session with libusb; every device and every transfer belongs to one.
///
/// A link has a context of its own, so that nobody else's events are handled on its thread.
struct USBContext: ~Copyable {
  let pointer: OpaquePointer

  /// Starts libusb, which looks at all devices.
  init() throws(HostLinkError) {
    var context: OpaquePointer?
    let status = libusb_init(&context)
    guard status == 0, let context else {
      throw .failed(step: "starting libusb", reason: USBStatus.text(status))
    }
    pointer = context
  }

  deinit { libusb_exit(pointer) }

  /// What libusb wants to be woken by; `nil` where the system has no such thing.
  var descriptors: [pollfd]? {
    guard let list = libusb_get_pollfds(pointer) else { return nil }
    defer { libusb_free_pollfds(list) }
    var found: [pollfd] = []
    var place = list
    while let entry = place.pointee {
      found.append(pollfd(fd: entry.pointee.fd, events: entry.pointee.events, revents: 0))
      place += 1
    }
    return found
  }

  /// Calls `body` with each device that is plugged in, in the order of bus and number, until it
  /// returns true.
  ///
  /// - Returns: False if `body` never did.
  @discardableResult
  func withDevices(
    _ body: (OpaquePointer, USBDeviceDescription) throws(HostLinkError) -> Bool
  ) throws(HostLinkError) -> Bool {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    let count = libusb_get_device_list(pointer, &list)
    guard count >= 0, let list else {
      throw .failed(step: "listing USB devices", reason: USBStatus.text(Int32(count)))
    }
    defer { libusb_free_device_list(list, 1) }
    let devices = (0..<count).compactMap { place in
      list[place].flatMap { device in USBDeviceDescription(device).map { (device, $0) } }
    }
    for (device, description) in devices.sorted(by: { $0.1.place < $1.1.place }) {
      if try body(device, description) { return true }
    }
    return false
  }
}

/// The words of libusb for what it returns.
enum USBStatus {
  static func text(_ status: Int32) -> String {
    guard let text = libusb_strerror(status) else { return "libusb error \(status)" }
    return String(cString: text)
  }
}
