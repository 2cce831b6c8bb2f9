import CLibUSB
public import HostIO
public import PN53x

/// What a USB device says of itself without being opened.
public struct USBDeviceDescription: Hashable, Sendable {
  /// Where it sits.
  public var place: USBPlace
  /// Its numbers.
  public var identity: USBIdentity
  /// The release number (bcdDevice); a SCL3711 states its firmware here.
  public var release: UInt16
  /// The entry of the list of readers, or `nil` if it is none.
  public var reader: KnownReader?

  /// Describes a device.
  public init(
    place: USBPlace, identity: USBIdentity, release: UInt16 = 0
  ) {
    self.place = place
    self.identity = identity
    self.release = release
    reader = KnownReader.named(vendor: identity.vendor, product: identity.product)
  }

  /// Reads what libusb knows; `nil` if the device has gone meanwhile.
  init?(_ device: OpaquePointer) {
    var descriptor = libusb_device_descriptor()
    guard libusb_get_device_descriptor(device, &descriptor) == 0 else { return nil }
    self.init(
      place: USBPlace(
        bus: libusb_get_bus_number(device), device: libusb_get_device_address(device)),
      identity: USBIdentity(vendor: descriptor.idVendor, product: descriptor.idProduct),
      release: descriptor.bcdDevice)
  }
}

/// The devices that are plugged in.
public enum USBDevices {
  /// Describes all devices, in the order of bus and number.
  public static func all() throws(HostLinkError) -> [USBDeviceDescription] {
    let context = try USBContext()
    var found: [USBDeviceDescription] = []
    try context.withDevices { (_, description) throws(HostLinkError) in
      found.append(description)
      return false
    }
    return found
  }

  /// The version of libusb that runs, for example `1.0.26`.
  public static var libraryVersion: String {
    guard let version = libusb_get_version() else { return "unknown" }
    return "\(version.pointee.major).\(version.pointee.minor).\(version.pointee.micro)"
  }
}
