extension VirtualUSBDevice {
  /// A reader with the descriptors of NXP's PN533: 04CC:2533.
  public static let pn533 = VirtualUSBDevice(
    deviceDescriptor: [18, 1, 0, 2, 0, 0, 0, 64, 0xCC, 0x04, 0x33, 0x25, 0, 1, 1, 2, 0, 1],
    configurationDescriptor: plainConfiguration, strings: ["NXP", "PN533"])

  /// An SCL3711: 04E6:5591, a PN533 with firmware 2.7; descriptor bytes of a real one.
  public static let scl3711 = VirtualUSBDevice(
    deviceDescriptor: [18, 1, 0, 2, 0, 0, 0, 8, 0xE6, 0x04, 0x91, 0x55, 7, 2, 1, 2, 0, 1],
    configurationDescriptor: plainConfiguration, strings: ["SCM Micro", "SCL3711-NFC&RW"])

  /// A Philips PN531: 04CC:0531.
  public static let pn531 = VirtualUSBDevice(
    deviceDescriptor: [18, 1, 0, 2, 0, 0, 0, 64, 0xCC, 0x04, 0x31, 0x05, 0, 1, 1, 2, 0, 1],
    configurationDescriptor: plainConfiguration, strings: ["Philips", "PN531"])

  /// An ACS ACR122U: 072F:2200, class 0B (CCID), bulk 02 and 82, interrupt 81.
  public static let acr122u = VirtualUSBDevice(
    deviceDescriptor: [18, 1, 0x10, 1, 0, 0, 0, 8, 0x2F, 0x07, 0x00, 0x22, 0x14, 2, 1, 2, 0, 1],
    configurationDescriptor: ccidConfiguration, strings: ["ACS", "ACR122U PICC Interface"])

  /// Interface 0 of class FF, bulk 04 OUT and 84 IN of 64 bytes, bus powered, 100 mA: as a PN533
  /// keeps it in its memory from 0019 on.
  private static let plainConfiguration: [UInt8] = [
    9, 2, 32, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0,
    7, 5, 0x04, 2, 64, 0, 4,
    7, 5, 0x84, 2, 64, 0, 4,
  ]

  /// One CCID interface (USB CCID 1.1, table 5.1-1): short APDUs, 271 bytes a message.
  private static let ccidConfiguration: [UInt8] = [
    9, 2, 93, 0, 1, 1, 0, 0x80, 100,
    9, 4, 0, 0, 3, 0x0B, 0, 0, 0,
    // Length, type, CCID 1.00, highest slot 0, 5 V 3 V 1.8 V.
    54, 0x21, 0x00, 0x01, 0, 7,
    // Protocols T=0 and T=1; clock 4 MHz, highest 4 MHz, no further clocks.
    3, 0, 0, 0, 0xA0, 0x0F, 0, 0, 0xA0, 0x0F, 0, 0, 0,
    // Data rate 9600 bit/s, highest 115200 bit/s, no further rates.
    0x80, 0x25, 0, 0, 0x00, 0xC2, 0x01, 0, 0,
    // IFSD 254, no synchronous protocols, nothing mechanical.
    254, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    // Short APDU level, automatic parameters; longest message 271.
    0x40, 0x00, 0x02, 0x00, 0x0F, 0x01, 0, 0,
    // Class bytes for GET RESPONSE and ENVELOPE, no display, no PIN; one busy slot.
    0, 0, 0, 0, 0, 1,
    7, 5, 0x81, 3, 8, 0, 10,
    7, 5, 0x02, 2, 64, 0, 0,
    7, 5, 0x82, 2, 64, 0, 0,
  ]
}
