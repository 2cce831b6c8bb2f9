/// Where things lie below the root of a test bed: one bus, one reader on it.
enum TestBedPaths {
  /// The number of the bus.
  static let busNumber = 1
  /// The number of the reader on its bus; the root hub is 1.
  static let deviceNumber = 2
  /// The device node, also below `ioctl` as the socket.
  static let node = "dev/bus/usb/001/002"
  /// Where clients of the node connect.
  static let socket = "ioctl/dev/bus/usb/001/002"
  /// A link whose target is the major and minor number of the node.
  static let nodeNumbers = "dev/.node/bus_usb_001_002"
  /// The root hub in sysfs.
  static let hub = "devices/pci0000:00/usb1"
  /// The reader in sysfs.
  static let device = "devices/pci0000:00/usb1/1-1"
  /// The interface of the reader in sysfs.
  static let interface = "devices/pci0000:00/usb1/1-1/1-1:1.0"
  /// Major number of USB devices (Documentation/admin-guide/devices.txt).
  static let major = 189
  /// Minor number of the reader: 128 a bus, counted from device 1.
  static let minor = 1

  /// The longest root folder: `sun_path` has 108 bytes with its NUL (unix(7)).
  static let maximumRootLength = 108 - 1 - socket.utf8.count - 1
}
