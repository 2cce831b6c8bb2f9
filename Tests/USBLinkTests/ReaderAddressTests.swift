import HostIO
import PN53x
import Testing
import USBLink

/// The addresses of readers as they are typed.
struct ReaderAddressTests {
  @Test(arguments: [
    ("usb:", ReaderAddress.firstUSB),
    ("usb:04e6:5591", .usbIdentity(USBIdentity(vendor: 0x04E6, product: 0x5591))),
    ("usb:001.004", .usbPlace(USBPlace(bus: 1, device: 4))),
    ("usb:255.255", .usbPlace(USBPlace(bus: 255, device: 255))),
    ("serial:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", speed: .baud115200)),
    ("serial:/dev/ttyS1?speed=921600", .serial(path: "/dev/ttyS1", speed: .baud921600)),
    ("replay:captures/a:b?c.retap", .replay(path: "captures/a:b?c.retap")),
    ("model:pn533", .model(name: "pn533", options: [])),
    (
      "model:pn532?card=tag=1.nfc&faults=drop(2)",
      .model(name: "pn532", options: [.init("card", "tag=1.nfc"), .init("faults", "drop(2)")])
    ),
  ])
  func anAddressIsReadAndWritten(text: String, address: ReaderAddress) throws {
    #expect(try ReaderAddress(text) == address)
    #expect(address.text == text)
  }

  @Test func shortAndCapitalFormsMeanTheSame() throws {
    #expect(try ReaderAddress("usb:04E6:5591") == ReaderAddress("usb:04e6:5591"))
    #expect(try ReaderAddress("usb:1.4") == ReaderAddress("usb:001.004"))
    #expect(
      try ReaderAddress("serial:/dev/ttyUSB0?speed=115200") == ReaderAddress("serial:/dev/ttyUSB0"))
  }

  @Test(arguments: [
    ("", "the kind of reader in front of a colon is missing"),
    ("04e6:5591", "'04e6:' is no kind of reader"),
    ("ubs:04e6:5591", "did you mean 'usb:'?"),
    ("usb:4e6:5591", "four hexadecimal digits each"),
    ("usb:04e6:55911", "four hexadecimal digits each"),
    ("usb:04g6:5591", "four hexadecimal digits each"),
    ("usb:04e6:5591:1", "usb: is followed by"),
    ("usb:first", "usb: is followed by"),
    ("usb:0.4", "numbers from 1 to 255"),
    ("usb:1.256", "numbers from 1 to 255"),
    ("usb:0001.4", "numbers from 1 to 255"),
    ("usb:1.-4", "numbers from 1 to 255"),
    ("serial:", "serial: needs a device"),
    ("serial:/dev/ttyUSB0?baud=9600", "speed= and not 'baud='"),
    ("serial:/dev/ttyUSB0?speed=14400", "9600, 19200, 38400, 57600, 115200"),
    ("serial:/dev/ttyUSB0?speed", "'speed' behind the question mark is not name=value"),
    ("/dev/ttyUSB0", "a serial line is written serial:/dev/ttyUSB0"),
    ("/tmp/a.retap", "a file is written replay:/tmp/a.retap"),
    ("replay:", "replay: needs a file"),
    ("model:", "model: needs a chip"),
    ("model:pn533?card", "'card' behind the question mark is not name=value"),
    ("model:pn533?=a", "'=a' behind the question mark is not name=value"),
  ])
  func aWrongAddressIsExplained(text: String, part: String) {
    let error = #expect(throws: HostLinkError.self) { try ReaderAddress(text) }
    #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "")")
    #expect(error?.message.contains("try: an address like usb:, usb:04e6:5591") ?? false)
  }

  @Test func anAddressHasABound() throws {
    let longest = "replay:" + String(repeating: "a", count: ReaderAddress.maximumLength - 7)
    #expect(try ReaderAddress(longest) == .replay(path: String(longest.dropFirst(7))))
    #expect(throws: HostLinkError.self) { try ReaderAddress(longest + "a") }
  }
}
