/// A message of udev to its monitors: a device has come or gone.
///
/// Layout: `struct monitor_netlink_header` of libudev, 40 bytes, then `KEY=value` strings.
struct HotplugMessage: Hashable, Sendable {
  /// What happened.
  enum Action: String, Sendable {
    case add, remove
  }

  /// The bytes of one datagram.
  let bytes: [UInt8]

  private static let headerSize: UInt32 = 40
  private static let magic: UInt32 = 0xFEED_CAFE

  /// The message of the device itself.
  static func device(_ action: Action, _ device: VirtualUSBDevice, sequence: Int) -> Self {
    HotplugMessage(
      action, "/" + TestBedPaths.device, kind: "usb_device", sequence,
      deviceProperties(device).map { $0.0 == "DEVNAME" ? ($0.0, "/dev/" + $0.1) : $0 })
  }

  /// The message of its interface.
  static func interface(_ action: Action, _ device: VirtualUSBDevice, sequence: Int) -> Self {
    HotplugMessage(
      action, "/" + TestBedPaths.interface, kind: "usb_interface", sequence,
      interfaceProperties(device))
  }

  private init(
    _ action: Action, _ path: String, kind: String, _ sequence: Int,
    _ properties: [(String, String)]
  ) {
    let all =
      [
        ("ACTION", action.rawValue), ("DEVPATH", path), ("SUBSYSTEM", "usb"),
        ("SEQNUM", "\(sequence)"),
      ] + properties
    var body: [UInt8] = []
    for (key, value) in all { body += Array("\(key)=\(value)".utf8) + [0] }
    var message = Array("libudev".utf8) + [0]
    message.append(word: Self.magic.byteSwapped)
    message.append(word: Self.headerSize)
    message.append(word: Self.headerSize)
    message.append(word: UInt32(body.count))
    message.append(word: MurmurHash2.hash(Array("usb".utf8)).byteSwapped)
    message.append(word: MurmurHash2.hash(Array(kind.utf8)).byteSwapped)
    // The filter of tags: none.
    message.append(word: UInt64(0))
    bytes = message + body
  }

  /// The lines of the device's `uevent` file.
  static func deviceProperties(_ device: VirtualUSBDevice) -> [(String, String)] {
    [
      ("DEVNAME", "bus/usb/001/002"), ("DEVTYPE", "usb_device"),
      ("MAJOR", "\(TestBedPaths.major)"), ("MINOR", "\(TestBedPaths.minor)"),
      ("PRODUCT", product(device)), ("BUSNUM", "001"), ("DEVNUM", "002"),
    ]
  }

  /// The lines of the interface's `uevent` file.
  static func interfaceProperties(_ device: VirtualUSBDevice) -> [(String, String)] {
    let (kind, subclass, proto) = device.interfaceClass
    return [
      ("DEVTYPE", "usb_interface"), ("PRODUCT", product(device)),
      ("INTERFACE", "\(kind)/\(subclass)/\(proto)"),
    ]
  }

  private static func product(_ device: VirtualUSBDevice) -> String {
    [device.vendor, device.product, device.release].map { String($0, radix: 16) }
      .joined(separator: "/")
  }
}
