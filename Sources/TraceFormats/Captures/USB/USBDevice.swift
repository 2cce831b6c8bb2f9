import NFCTrace
import PN53x

/// What is known of one device of a USB capture.
struct USBDevice {
  var address: USBDeviceAddress
  var vendor: UInt16?
  var product: UInt16?
  /// The release number, two digits and two digits.
  var release: UInt16?
  /// True if a configuration descriptor shows an interface of class 0B, smart card.
  var hasCCIDInterface = false
  /// True if a hub: class 09.
  var isHub = false
  var payload: LinkTransfer.Payload?
  var standing = Standing.undecided
  /// Transfers kept until it is known whether they matter.
  var early: [USBTransfer] = []
  var lostEarly = 0
  /// Bulk transfers with data that no framing fits.
  var strangeTransfers = 0
  var transfers = 0

  enum Standing {
    case undecided
    case reader
    case other
  }

  init(_ address: USBDeviceAddress) { self.address = address }

  /// `2.26 (04e6:5591)`, for messages.
  var text: String {
    guard let identity else { return address.text }
    return "\(address.text) (\(identity))"
  }

  /// Vendor and product as `04e6:5591`, if known.
  var identity: String? {
    guard let vendor, let product else { return nil }
    return "\(CaptureText.hex(vendor, digits: 4)):\(CaptureText.hex(product, digits: 4))"
  }

  var known: KnownReader? {
    guard let vendor, let product else { return nil }
    return KnownReader.named(vendor: vendor, product: product)
  }

  /// The identity for a trace header.
  var reader: ReaderIdentity? {
    guard let identity else { return nil }
    var name = known?.title
    if let release {
      let version =
        "\(CaptureText.hex(release >> 8, digits: 1)).\(CaptureText.hex(release & 0xFF, digits: 2))"
      name = [name, "bcdDevice \(version)"].compactMap { $0 }.joined(separator: ", ")
    }
    return ReaderIdentity(address: "usb:\(identity)", name: name)
  }

  /// Learns from a descriptor that the device sent (USB 2.0, 9.6.1 and 9.6.5).
  mutating func learn(_ transfer: USBTransfer) {
    guard let type = transfer.descriptorType, transfer.isInbound else { return }
    let bytes = transfer.data
    let fields = RecordFields(bytes[...])
    if type == 1, bytes.count >= 18, bytes[1] == 1 {
      vendor = fields.u16(8)
      product = fields.u16(10)
      release = fields.u16(12)
      isHub = bytes[4] == 0x09
    }
    guard type == 2 else { return }
    var place = 0
    while place + 2 <= bytes.count, bytes[place] >= 2 {
      if bytes[place + 1] == 4, place + 9 <= bytes.count, bytes[place + 5] == 0x0B {
        hasCCIDInterface = true
      }
      place += Int(bytes[place])
    }
  }

  /// What one transfer says for or against the device.
  mutating func judge(_ transfer: USBTransfer) -> Verdict {
    if let known {
      payload = known.payload
      return .reader
    }
    if isHub { return .other }
    guard transfer.kind == .bulk, !transfer.data.isEmpty else { return .unknown }
    if BulkFraming.isPN53x(transfer.data) {
      payload = .pn53x
      return .reader
    }
    if !transfer.isInbound, BulkFraming.isCCIDCommand(transfer.data) {
      payload = .ccid
      return BulkFraming.isCCIDExchange(transfer.data) ? .reader : .unknown
    }
    if payload == .ccid || hasCCIDInterface { return .unknown }
    strangeTransfers += 1
    return strangeTransfers >= Self.strangeLimit ? .other : .unknown
  }

  /// Bulk transfers without a known framing after which a device is no reader.
  static let strangeLimit = 16

  enum Verdict {
    case reader
    case other
    case unknown
  }
}
