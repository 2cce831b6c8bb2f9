/// What a test bed holds in files, folders and links, from the root on; made without I/O.
struct SysfsTree: Hashable, Sendable {
  /// The entries, folders before what is in them.
  private(set) var entries: [Entry] = []

  /// One entry and its path below the root.
  struct Entry: Hashable, Sendable {
    var path: String
    var content: Content
  }

  /// What an entry is.
  enum Content: Hashable, Sendable {
    case folder
    case file([UInt8])
    case link(to: String)
    /// A node of a device that is polled; see `NodeFIFO`.
    case fifo
  }

  /// What is there whether or not a reader is plugged in: classes, buses and the root hub.
  static var permanent: SysfsTree {
    var tree = SysfsTree()
    for folder in [
      "sys", "sys/bus", "sys/bus/usb", "sys/bus/usb/devices", "sys/class", "sys/dev",
      "sys/dev/char", "sys/devices", "sys/devices/pci0000:00", "dev", "dev/bus", "dev/bus/usb",
      "dev/bus/usb/001", "dev/.node", "ioctl", "ioctl/dev", "ioctl/dev/bus", "ioctl/dev/bus/usb",
      "ioctl/dev/bus/usb/001",
    ] {
      tree.add(folder, .folder)
    }
    tree.addDevice(
      TestBedPaths.hub, name: "usb1",
      [
        ("busnum", "1"), ("devnum", "1"), ("speed", "480"), ("dev", "\(TestBedPaths.major):0"),
        ("bConfigurationValue", "1"), ("idVendor", "1d6b"), ("idProduct", "0002"),
      ],
      descriptors: hubDescriptors, numbers: "\(TestBedPaths.major):0",
      properties: [
        ("DEVNAME", "bus/usb/001/001"), ("DEVTYPE", "usb_device"),
        ("MAJOR", "\(TestBedPaths.major)"), ("MINOR", "0"),
      ])
    return tree
  }

  /// What is there while a reader is plugged in.
  static func reader(_ device: VirtualUSBDevice) -> SysfsTree {
    var tree = SysfsTree()
    let numbers = "\(TestBedPaths.major):\(TestBedPaths.minor)"
    tree.addDevice(
      TestBedPaths.device, name: "1-1",
      [
        ("busnum", "\(TestBedPaths.busNumber)"), ("devnum", "\(TestBedPaths.deviceNumber)"),
        ("speed", "12"), ("dev", numbers), ("bConfigurationValue", "1"),
        ("idVendor", hex(device.vendor)), ("idProduct", hex(device.product)),
        ("bcdDevice", hex(device.release)), ("manufacturer", device.strings.first ?? ""),
        ("product", device.strings.dropFirst().first ?? ""),
      ],
      descriptors: device.allDescriptors, numbers: numbers,
      properties: HotplugMessage.deviceProperties(device))
    tree.addInterface(device)
    tree.add(TestBedPaths.node, .fifo)
    tree.add(TestBedPaths.nodeNumbers, .link(to: numbers))
    return tree
  }

  private mutating func add(_ path: String, _ content: Content) {
    entries.append(Entry(path: path, content: content))
  }

  private mutating func addDevice(
    _ path: String, name: String, _ attributes: [(String, String)], descriptors: [UInt8],
    numbers: String, properties: [(String, String)]
  ) {
    addFolder(path, name: name, attributes, properties)
    add("sys/\(path)/descriptors", .file(descriptors))
    add("sys/dev/char/\(numbers)", .link(to: "../../" + path))
  }

  /// Interface 0; pcscd looks at interfaces and sees nothing without it.
  private mutating func addInterface(_ device: VirtualUSBDevice) {
    let (kind, subclass, proto) = device.interfaceClass
    addFolder(
      TestBedPaths.interface, name: "1-1:1.0",
      [
        ("bInterfaceNumber", "00"), ("bInterfaceClass", hex(kind)),
        ("bInterfaceSubClass", hex(subclass)), ("bInterfaceProtocol", hex(proto)),
        ("bAlternateSetting", " 0"), ("bNumEndpoints", hex(UInt8(device.endpoints.count))),
      ], HotplugMessage.interfaceProperties(device))
  }

  private mutating func addFolder(
    _ path: String, name: String, _ attributes: [(String, String)],
    _ properties: [(String, String)]
  ) {
    let depth = path.utf8.count { $0 == 0x2F }
    add("sys/\(path)", .folder)
    add("sys/bus/usb/devices/\(name)", .link(to: "../../../" + path))
    add(
      "sys/\(path)/subsystem",
      .link(to: String(repeating: "../", count: depth + 1) + "bus/usb"))
    for (name, value) in attributes {
      add("sys/\(path)/\(name)", .file(Array((value + "\n").utf8)))
    }
    let lines = properties.map { "\($0)=\($1)\n" }.joined()
    add("sys/\(path)/uevent", .file(Array(lines.utf8)))
  }

  /// A USB 2.0 hub of the Linux Foundation, as every root hub presents itself.
  private static let hubDescriptors: [UInt8] = [
    18, 1, 0, 2, 9, 0, 1, 64, 0x6B, 0x1D, 2, 0, 0, 6, 0, 0, 0, 1,
    9, 2, 25, 0, 1, 1, 0, 0xE0, 0,
    9, 4, 0, 0, 1, 9, 0, 0, 0,
    7, 5, 0x81, 3, 4, 0, 12,
  ]
}

/// Four lower-case digits, as sysfs writes numbers of USB devices.
func hex(_ number: UInt16) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 4 - digits.utf8.count) + digits
}

/// Two lower-case digits.
func hex(_ number: UInt8) -> String {
  number < 16 ? "0" + String(number, radix: 16) : String(number, radix: 16)
}
