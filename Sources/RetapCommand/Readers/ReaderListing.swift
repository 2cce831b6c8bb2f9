import NFCProtocols
import PN53x
import USBLink

/// The readers and serial lines that were found, as lines for people and for programs.
struct ReaderListing {
  let readers: [ReaderCondition]
  let ports: [SerialPort]

  /// The shortest address that names a reader: its numbers, or its place if it has a twin.
  func address(of reader: ReaderCondition) -> ReaderAddress {
    let twins = readers.count { $0.device.identity == reader.device.identity }
    return twins == 1 ? .usbIdentity(reader.device.identity) : .usbPlace(reader.device.place)
  }

  var text: String {
    let rows =
      readers.map { [address(of: $0).text, $0.reader.name, $0.chipText, $0.stateText] }
      + ports.map { ["serial:\($0.path)", $0.product ?? "serial line", "", "not asked"] }
    let widths = (0..<3).map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count + 3)
      }.joined() + row[3] + "\n"
    }.joined()
  }

  var jsonLines: [UInt8] {
    var bytes: [UInt8] = []
    for reader in readers {
      var json = JSONLineWriter()
      write(reader, into: &json)
      bytes += json.buffer.bytes
    }
    for port in ports {
      var json = JSONLineWriter()
      json.beginObject()
      json.member("address", "serial:\(port.path)")
      json.member("name", port.product)
      json.member("state", "not asked")
      json.endObject()
      json.endLine()
      bytes += json.buffer.bytes
    }
    return bytes
  }

  private func write(_ reader: ReaderCondition, into json: inout JSONLineWriter) {
    json.beginObject()
    json.member("address", address(of: reader).text)
    json.member("identity", "usb:\(reader.device.identity.text)")
    json.member("place", "usb:\(reader.device.place.text)")
    json.member("name", reader.reader.name)
    if case .success(let version) = reader.answer {
      json.member("chip", "\((version.chip ?? reader.reader.chip).name)")
      json.member("firmware", "\(version.version).\(version.revision)")
      json.member("free", true)
    } else {
      json.member("chip", "\(reader.reader.chip.name)")
      json.member("firmware", nil as String?)
      json.member("free", false)
    }
    json.member("state", reader.stateText)
    json.member("kernel_driver", reader.kernelDriver)
    json.beginList("holders")
    for holder in reader.holders { json.element(holder.text) }
    json.endList()
    json.endObject()
    json.endLine()
  }

  /// What to check if there is no reader.
  static func nothingFound(hasPorts: Bool) -> String {
    """
    retap: no USB reader of the PN53x family found. Is it plugged in? Does lsusb show it?
      readers that retap knows: retap doctor --udev-rule
      a PN533 that lsusb does not show either: unplug it and plug it in again
      \(hasPorts ? "a PN532 on a serial line is not found by itself: retap selftest serial:/dev/…"
        : "in a container or virtual machine: hand the USB device through")
      try: retap doctor
    """
  }
}
