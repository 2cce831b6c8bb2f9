import HostIO
import NFCProtocols
import PN53x
import USBLink

/// What keeps readers from being used, from facts that were gathered before.
struct DoctorReport {
  /// What was found out.
  struct Facts {
    var libraryVersion = ""
    var hasUSB = true
    var isRoot = false
    /// The rule file that is in place, if there is one.
    var rulePath: String?
    var readers: [ReaderCondition] = []
    /// Serial lines, and whether this user may open them.
    var ports: [(port: SerialPort, mayOpen: Bool)] = []
  }

  /// One line of the report.
  struct Check: Equatable {
    var isGood: Bool
    var text: String
    /// What to type to mend it.
    var remedy: String?

    init(_ isGood: Bool, _ text: String, remedy: String? = nil) {
      self.isGood = isGood
      self.text = text
      self.remedy = remedy
    }
  }

  let checks: [Check]

  init(_ facts: Facts) {
    var checks = [Check(true, "libusb \(facts.libraryVersion)")]
    if !facts.hasUSB {
      checks.append(
        Check(
          false, "there is no /dev/bus/usb: this machine or container has no USB",
          remedy: "docker run --device /dev/bus/usb …, or hand the device through to the machine"))
    }
    if facts.readers.isEmpty, facts.hasUSB {
      checks.append(
        Check(
          false, "no reader of the PN53x family is plugged in",
          remedy: "lsusb; a PN533 that is not in its list: unplug it and plug it in again"))
    }
    let listing = ReaderListing(readers: facts.readers, ports: [])
    for reader in facts.readers {
      checks += Self.checks(of: reader, at: listing.address(of: reader), facts)
    }
    for (port, mayOpen) in facts.ports {
      checks.append(
        mayOpen
          ? Check(true, "\(port.path): may be opened; retap selftest serial:\(port.path) asks it")
          : Check(
            false, "\(port.path): this user may not open it",
            remedy: HostLinkError.noPermission(path: port.path).remedy))
    }
    self.checks = checks
  }

  private static func checks(
    of reader: ReaderCondition, at address: ReaderAddress, _ facts: Facts
  ) -> [Check] {
    let name = "\(address.text) (\(reader.reader.title))"
    var checks: [Check] = []
    if reader.mayOpen {
      let means = facts.isRoot ? " as root" : facts.rulePath.map { ", by \($0)" } ?? ""
      checks.append(Check(true, "\(name): may be opened\(means)"))
    } else {
      checks.append(
        Check(
          false, "\(name): this user may not open \(reader.device.place.path)",
          remedy: facts.rulePath == nil
            ? UdevRule.installation
            : "unplug it and plug it in again, so that \(facts.rulePath ?? "") is applied"))
    }
    if facts.isRoot, facts.rulePath == nil {
      checks.append(
        Check(true, "no udev rule is in place: other users than root may not open readers"))
    }
    if let driver = reader.kernelDriver, driver != KernelDriver.programInterface {
      checks.append(
        Check(true, "\(name): kernel driver \(driver) has it and gives way while retap uses it"))
    }
    if let check = answer(of: reader, name) { checks.append(check) }
    return checks
  }

  /// What came of asking the chip; missing permission was told before.
  private static func answer(of reader: ReaderCondition, _ name: String) -> Check? {
    switch reader.answer {
    case nil, .failure(.link(.noPermission)): nil
    case .success: Check(true, "\(name): answers, \(reader.chipText), free")
    case .failure(.link(let error)):
      Check(false, "\(name): \(reader.stateText)", remedy: error.remedy)
    case .failure(let error):
      Check(
        false, "\(name): \(error.message)",
        remedy: "unplug it and plug it in again; another cable, another socket")
    }
  }

  /// True if there is nothing to mend.
  var isGood: Bool { checks.allSatisfy(\.isGood) }

  var text: String {
    checks.map { check in
      let lines = check.remedy.map { remedy in
        remedy.split(separator: "\n").map { "          type: \($0)\n" }.joined()
      }
      return "  \(check.isGood ? "ok   " : "wrong") \(check.text)\n" + (lines ?? "")
    }.joined()
  }

  var jsonLines: [UInt8] {
    var bytes: [UInt8] = []
    for check in checks {
      var json = JSONLineWriter()
      json.beginObject()
      json.member("ok", check.isGood)
      json.member("check", check.text)
      json.member("remedy", check.remedy)
      json.endObject()
      json.endLine()
      bytes += json.buffer.bytes
    }
    return bytes
  }
}
