import Foundation
import HostIO
import NFCProtocols
import PN53x
import Testing
import USBLink

/// The list of readers, and the udev rule that is made from it.
struct UdevRuleTests {
  /// The file that packagers take is the one that `retap doctor --udev-rule` prints.
  @Test func theShippedRuleIsTheOneThatIsPrinted() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let file = folder.appendingPathComponent("udev/60-retap.rules")
    #expect(try String(contentsOf: file, encoding: .utf8) == UdevRule.text)
  }

  @Test func everyReaderIsInTheRuleOnce() {
    let lines = UdevRule.text.split(separator: "\n").filter { $0.hasPrefix("SUBSYSTEM") }
    #expect(lines.count == KnownReader.all.count)
    #expect(Set(lines).count == lines.count)
    #expect(
      lines.contains(
        #"SUBSYSTEM=="usb", ATTR{idVendor}=="04e6", ATTR{idProduct}=="5591", "#
          + #"MODE="0660", GROUP="plugdev", TAG+="uaccess""#))
  }

  /// Numbers and endpoints as in libnfc's tables; the ACR122U has its own (chrome-nfc).
  @Test func theEndpointsOfTheReadersAreFixed() throws {
    let stick = try #require(KnownReader.named(vendor: 0x04E6, product: 0x5591))
    #expect(stick.title == "SCL3711, PN533")
    #expect(stick.outEndpoint == 0x04)
    #expect(stick.inEndpoint == 0x84)
    #expect(stick.quirks.contains(.overwritesDescriptors))
    let acr122 = try #require(KnownReader.named(vendor: 0x072F, product: 0x2200))
    #expect(acr122.framing == .ccid)
    #expect(acr122.outEndpoint == 0x02)
    #expect(acr122.inEndpoint == 0x82)
    #expect(KnownReader.named(vendor: 0x1D6B, product: 0x0002) == nil)
  }

  @Test(arguments: [
    (HostLinkError.noPermission(path: "/dev/bus/usb/001/004"), "tee /etc/udev/rules.d/60-retap"),
    (.noPermission(path: "/dev/ttyUSB0"), "usermod -aG dialout"),
    (.busy(address: "usb:", holder: "pcscd (process 412)"), "systemctl stop pcscd"),
    (.busy(address: "usb:", holder: "kernel driver pn533_usb"), "modprobe -r pn533_usb"),
    (.busy(address: "usb:", holder: nil), "sudo retap doctor"),
    (.notFound(address: "usb:04e6:5591"), "retap devices"),
    (.gone, "plug it in again"),
    (.timedOut(step: "writing 9 bytes", waited: .seconds(1)), "did not end within 1000 ms"),
  ])
  func anErrorSaysWhatToDo(error: HostLinkError, part: String) {
    #expect(error.message.contains(part), "\(error.message)")
  }
}
