import CLibUSB
import HostIO
import PN53x

/// An opened USB device; closing it is the end of everything that goes over it.
struct USBDeviceHandle: ~Copyable {
  let pointer: OpaquePointer
  let description: USBDeviceDescription
  /// Goes after the handle, which belongs to it.
  let context: USBContext

  /// Opens the first device that `isWanted` accepts.
  init(
    address: String, where isWanted: (USBDeviceDescription) -> Bool
  ) throws(HostLinkError) {
    let context = try USBContext()
    var opened: (OpaquePointer, USBDeviceDescription)?
    try context.withDevices { (device, description) throws(HostLinkError) in
      guard isWanted(description) else { return false }
      var handle: OpaquePointer?
      let status = libusb_open(device, &handle)
      guard status == 0, let handle else {
        throw Self.error(status, description, address)
      }
      opened = (handle, description)
      return true
    }
    guard let opened else { throw .notFound(address: address) }
    (pointer, description) = opened
    self.context = context
  }

  private static func error(
    _ status: Int32, _ description: USBDeviceDescription, _ address: String
  ) -> HostLinkError {
    switch status {
    case LIBUSB_ERROR_ACCESS.rawValue: .noPermission(path: description.place.path)
    case LIBUSB_ERROR_NO_DEVICE.rawValue, LIBUSB_ERROR_NOT_FOUND.rawValue: .gone
    case LIBUSB_ERROR_BUSY.rawValue:
      .busy(address: address, holder: ReaderHolder.text(of: description.place))
    default: .failed(step: "opening \(description.place.path)", reason: USBStatus.text(status))
    }
  }

  deinit { libusb_close(pointer) }
}

/// Interface 0 of a reader, claimed for this process alone.
///
/// A kernel driver that holds it gives way, and gets it back at the end.
struct ClaimedInterface: ~Copyable {
  /// All readers of the PN53x family have their bulk endpoints here.
  static let number: Int32 = 0

  let handle: USBDeviceHandle
  let reader: KnownReader

  /// Opens and claims the first device that `isWanted` accepts.
  init(
    address: String, where isWanted: (USBDeviceDescription) -> Bool
  ) throws(HostLinkError) {
    let handle = try USBDeviceHandle(address: address, where: isWanted)
    // NOT_SUPPORTED means that there are no kernel drivers that could be in the way.
    _ = libusb_set_auto_detach_kernel_driver(handle.pointer, 1)
    try Self.configure(handle.pointer)
    let status = libusb_claim_interface(handle.pointer, Self.number)
    switch status {
    case 0: break
    case LIBUSB_ERROR_BUSY.rawValue:
      throw .busy(address: address, holder: ReaderHolder.text(of: handle.description.place))
    case LIBUSB_ERROR_NO_DEVICE.rawValue: throw .gone
    default: throw .failed(step: "claiming interface 0", reason: USBStatus.text(status))
    }
    let identity = handle.description.identity
    reader =
      handle.description.reader
      ?? KnownReader.unlisted(vendor: identity.vendor, product: identity.product)
    self.handle = handle
  }

  /// Sets configuration 1 only if none is set: the chip would keep its data toggles, the host would
  /// begin anew, and the first transfer would be lost (firmware-notes/pn53x/data-toggle.md).
  private static func configure(_ handle: OpaquePointer) throws(HostLinkError) {
    var configuration: Int32 = 0
    guard libusb_get_configuration(handle, &configuration) == 0, configuration == 0 else { return }
    let status = libusb_set_configuration(handle, 1)
    // BUSY: somebody set and claimed it since; claiming will tell.
    guard status == 0 || status == LIBUSB_ERROR_BUSY.rawValue else {
      throw status == LIBUSB_ERROR_NO_DEVICE.rawValue
        ? .gone : .failed(step: "setting the configuration", reason: USBStatus.text(status))
    }
  }

  deinit { libusb_release_interface(handle.pointer, Self.number) }
}
