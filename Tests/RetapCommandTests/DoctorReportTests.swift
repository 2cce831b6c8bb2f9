import HostIO
import NFCProtocols
import PN53x
import Testing
import USBLink

@testable import RetapCommand

/// What `retap doctor` and `retap devices` say of given facts.
struct DoctorReportTests {
  private static let firmware = FirmwareVersion(
    integratedCircuit: 0x33, version: 2, revision: 7, support: 7)

  private static func stick(
    device number: UInt8 = 4, mayOpen: Bool = true, kernelDriver: String? = nil,
    holders: [ReaderHolder] = [], _ answer: Result<FirmwareVersion, ReaderSessionError>?
  ) throws -> ReaderCondition {
    let device = USBDeviceDescription(
      place: USBPlace(bus: 1, device: number),
      identity: USBIdentity(vendor: 0x04E6, product: 0x5591))
    return ReaderCondition(
      device: device, reader: try #require(device.reader), mayOpen: mayOpen,
      kernelDriver: kernelDriver, holders: holders, answer: answer)
  }

  private static func report(
    _ readers: [ReaderCondition], rule: String? = UdevRule.path, isRoot: Bool = false
  ) -> DoctorReport {
    var facts = DoctorReport.Facts()
    facts.libraryVersion = "1.0.26"
    facts.readers = readers
    facts.rulePath = rule
    facts.isRoot = isRoot
    return DoctorReport(facts)
  }

  @Test func aFreeReaderIsWell() throws {
    let report = Self.report([try Self.stick(.success(Self.firmware))])
    #expect(report.isGood)
    #expect(
      report.text == """
          ok    libusb 1.0.26
          ok    usb:04e6:5591 (SCL3711, PN533): may be opened, by /etc/udev/rules.d/60-retap.rules
          ok    usb:04e6:5591 (SCL3711, PN533): answers, PN533 2.7, free

        """)
  }

  @Test func missingPermissionNamesTheRule() throws {
    let path = "/dev/bus/usb/001/004"
    let stick = try Self.stick(mayOpen: false, .failure(.link(.noPermission(path: path))))
    let report = Self.report([stick], rule: nil)
    #expect(!report.isGood)
    #expect(report.text.contains("wrong usb:04e6:5591 (SCL3711, PN533): this user may not open"))
    #expect(
      report.text.contains("type: retap doctor --udev-rule | sudo tee /etc/udev/rules.d/60-retap"))
    let withRule = Self.report([stick])
    #expect(withRule.text.contains("type: unplug it and plug it in again"))
  }

  @Test func aProgramThatHoldsTheReaderIsNamedWithItsRemedy() throws {
    let holder = ReaderHolder(process: 412, name: "pcscd")
    let stick = try Self.stick(
      holders: [holder], .failure(.link(.busy(address: "usb:001.004", holder: holder.text))))
    let report = Self.report([stick])
    #expect(report.text.contains("wrong usb:04e6:5591 (SCL3711, PN533): in use by pcscd"))
    #expect(report.text.contains("type: sudo systemctl stop pcscd.socket pcscd.service"))
  }

  @Test func aKernelDriverIsNoFault() throws {
    let stick = try Self.stick(kernelDriver: KernelDriver.pn533, .success(Self.firmware))
    let report = Self.report([stick])
    #expect(report.isGood)
    #expect(report.text.contains("kernel driver pn533_usb has it and gives way"))
  }

  @Test func aSilentChipWantsToBePluggedAnew() throws {
    let failure = CommandFailure(
      .getFirmwareVersion, in: .acknowledging, waited: .milliseconds(45), .link(.notAcknowledged))
    let report = Self.report([try Self.stick(.failure(.command(failure)))])
    #expect(!report.isGood)
    #expect(report.text.contains("GetFirmwareVersion: no acknowledgement"))
    #expect(report.text.contains("type: unplug it and plug it in again"))
  }

  @Test func noReaderAndNoUSBAreToldApart() {
    var facts = DoctorReport.Facts()
    #expect(DoctorReport(facts).text.contains("no reader of the PN53x family is plugged in"))
    facts.hasUSB = false
    #expect(DoctorReport(facts).text.contains("this machine or container has no USB"))
    #expect(!DoctorReport(facts).isGood)
  }

  @Test func aSerialLineThatMayNotBeOpenedNamesTheGroup() {
    var facts = DoctorReport.Facts()
    facts.ports = [(SerialPort(path: "/dev/ttyUSB0", product: "CP2102"), false)]
    #expect(DoctorReport(facts).text.contains("type: sudo usermod -aG dialout $USER"))
  }

  @Test func twinsAreNamedByTheirPlace() throws {
    let one = try Self.stick(.success(Self.firmware))
    let other = try Self.stick(device: 5, .failure(.link(.busy(address: "usb:", holder: nil))))
    let single = ReaderListing(readers: [one], ports: [])
    #expect(single.text == "usb:04e6:5591   SCL3711   PN533 2.7   free\n")
    let both = ReaderListing(
      readers: [one, other], ports: [SerialPort(path: "/dev/ttyUSB0", product: "CP2102")])
    #expect(
      both.text == """
        usb:001.004           SCL3711   PN533 2.7   free
        usb:001.005           SCL3711   PN533       in use by another program that this user may not see
        serial:/dev/ttyUSB0   CP2102                not asked

        """)
    let lines = String(decoding: both.jsonLines, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines[0]
        == #"{"address":"usb:001.004","identity":"usb:04e6:5591","place":"usb:001.004","#
        + #""name":"SCL3711","chip":"PN533","firmware":"2.7","free":true,"state":"free","#
        + #""kernel_driver":null,"holders":[]}"#)
  }

  @Test func theRuleIsPrinted() {
    var console = Console()
    #expect(CommandLineTool.run(["doctor", "--udev-rule"], console: &console) == .success)
    #expect(String(decoding: console.output.content, as: UTF8.self) == UdevRule.text)
  }
}
