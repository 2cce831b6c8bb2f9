import Testing

@testable import VirtualReaders

/// What programs find in sysfs, and what udev tells them.
struct TestBedContentTests {
  private func file(_ path: String, _ tree: SysfsTree) -> String? {
    for entry in tree.entries where entry.path == path {
      if case .file(let bytes) = entry.content { return String(decoding: bytes, as: UTF8.self) }
    }
    return nil
  }

  private func link(_ path: String, _ tree: SysfsTree) -> String? {
    for entry in tree.entries where entry.path == path {
      if case .link(let target) = entry.content { return target }
    }
    return nil
  }

  @Test func theAttributesOfAReader() {
    let tree = SysfsTree.reader(.scl3711)
    let folder = "sys/devices/pci0000:00/usb1/1-1"
    #expect(file(folder + "/idVendor", tree) == "04e6\n")
    #expect(file(folder + "/idProduct", tree) == "5591\n")
    #expect(file(folder + "/bcdDevice", tree) == "0207\n")
    #expect(file(folder + "/speed", tree) == "12\n")
    #expect(file(folder + "/product", tree) == "SCL3711-NFC&RW\n")
    #expect(
      file(folder + "/uevent", tree) == """
        DEVNAME=bus/usb/001/002
        DEVTYPE=usb_device
        MAJOR=189
        MINOR=1
        PRODUCT=4e6/5591/207
        BUSNUM=001
        DEVNUM=002

        """)
  }

  @Test func linksLeadWhereTheyShould() {
    let tree = SysfsTree.reader(.pn533)
    #expect(
      link("sys/bus/usb/devices/1-1", tree) == "../../../devices/pci0000:00/usb1/1-1")
    #expect(link("sys/dev/char/189:1", tree) == "../../devices/pci0000:00/usb1/1-1")
    #expect(
      link("sys/devices/pci0000:00/usb1/1-1/subsystem", tree) == "../../../../bus/usb")
    #expect(link("dev/.node/bus_usb_001_002", tree) == "189:1")
  }

  @Test func theInterfaceOfACardReader() {
    let tree = SysfsTree.reader(.acr122u)
    let folder = "sys/devices/pci0000:00/usb1/1-1/1-1:1.0"
    #expect(file(folder + "/bInterfaceClass", tree) == "0b\n")
    #expect(file(folder + "/bNumEndpoints", tree) == "03\n")
    #expect(
      file(folder + "/uevent", tree)
        == "DEVTYPE=usb_interface\nPRODUCT=72f/2200/214\nINTERFACE=11/0/0\n")
  }

  @Test func foldersComeBeforeWhatIsInThem() {
    for tree in [SysfsTree.permanent, .reader(.pn533), .reader(.acr122u)] {
      let paths = tree.entries.map(\.path)
      #expect(Set(paths).count == paths.count)
      for (index, path) in paths.enumerated() {
        for later in paths[index...] { #expect(!path.hasPrefix(later + "/")) }
      }
    }
  }

  @Test(arguments: [
    VirtualUSBDevice.pn533, .scl3711, .pn531, .acr122u,
  ])
  func theConfigurationIsAsLongAsItSays(device: VirtualUSBDevice) {
    let bytes = device.configurationDescriptor
    #expect(Int(bytes[2]) | Int(bytes[3]) << 8 == bytes.count)
    #expect(device.bulkEndpoint(isInbound: false) != nil)
    #expect(device.bulkEndpoint(isInbound: true) != nil)
  }

  /// Values under which libudev 252 let the messages of a prototype through its filters.
  @Test(arguments: [
    ("usb", UInt32(0x0577_C5E5)), ("usb_device", 0x27F8_F50C), ("usb_interface", 0xB102_4765),
    ("", 0),
  ])
  func murmurHash(text: String, value: UInt32) {
    #expect(MurmurHash2.hash(Array(text.utf8)) == value)
  }

  @Test func aHotplugMessage() {
    let bytes = HotplugMessage.device(.add, .pn533, sequence: 7).bytes
    #expect(Array(bytes[..<8]) == Array("libudev".utf8) + [0])
    #expect(Array(bytes[8..<12]) == [0xFE, 0xED, 0xCA, 0xFE])
    #expect(bytes[...].word32(at: 12) == 40)
    #expect(bytes[...].word32(at: 16) == 40)
    #expect(Int(bytes[...].word32(at: 20)) == bytes.count - 40)
    let properties = String(decoding: bytes[40...], as: UTF8.self).split(separator: "\0")
    #expect(
      properties == [
        "ACTION=add", "DEVPATH=/devices/pci0000:00/usb1/1-1", "SUBSYSTEM=usb", "SEQNUM=7",
        "DEVNAME=/dev/bus/usb/001/002", "DEVTYPE=usb_device", "MAJOR=189", "MINOR=1",
        "PRODUCT=4cc/2533/100", "BUSNUM=001", "DEVNUM=002",
      ])
  }

  @Test func theLongestRootStillHasRoomForItsSockets() {
    #expect(TestBedPaths.maximumRootLength + 1 + TestBedPaths.socket.utf8.count < 108)
  }
}
