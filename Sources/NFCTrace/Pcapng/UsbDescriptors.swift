import NFCProtocols

/// The descriptor transfers by which Wireshark tells what a reader speaks.
enum UsbDescriptors {
  /// Vendor and product of a reader.
  struct Identity: Equatable {
    var vendor: UInt16
    var product: UInt16
  }

  /// SCL3711, the only reader whose PN53x frames Wireshark knows by its numbers.
  static let scl3711 = Identity(vendor: 0x04E6, product: 0x5591)
  /// ACR122U, a CCID reader.
  static let acr122 = Identity(vendor: 0x072F, product: 0x2200)

  /// The numbers of a reader address `usb:vvvv:pppp`, or `nil` for any other.
  static func identity(ofAddress address: String?) -> Identity? {
    guard let address else { return nil }
    let parts = address.split(separator: ":")
    guard parts.count >= 3, parts[0] == "usb", parts[1].utf8.count == 4, parts[2].utf8.count == 4,
      let vendor = UInt16(parts[1], radix: 16), let product = UInt16(parts[2], radix: 16)
    else { return nil }
    return Identity(vendor: vendor, product: product)
  }

  /// The packets that read the descriptors of the device that speaks `payload`.
  static func transfers(
    of identity: Identity?, payload: LinkTransfer.Payload, device: UInt8
  ) -> [UsbmonPacket] {
    var identity = identity ?? scl3711
    // By these numbers Wireshark would take CCID messages for PN53x frames.
    if payload == .ccid, identity == scl3711 { identity = acr122 }
    var packets = read(descriptor: 1, self.device(identity), device)
    if payload == .ccid { packets += read(descriptor: 2, ccidConfiguration, device) }
    return packets
  }

  /// GET_DESCRIPTOR (USB 2.0, 9.4.3) and its answer.
  private static func read(
    descriptor type: UInt8, _ content: [UInt8], _ device: UInt8
  ) -> [UsbmonPacket] {
    var submit = UsbmonPacket()
    submit.id = 1
    submit.transferType = 2
    submit.endpoint = 0x80
    submit.device = device
    submit.setup = [0x80, 6, 0, type, 0, 0, UInt8(content.count), 0]
    submit.status = UsbmonPacket.inProgress
    submit.length = content.count
    var complete = submit
    complete.kind = .complete
    complete.setup = nil
    complete.status = 0
    complete.data = content[...]
    return [submit, complete]
  }

  /// A device descriptor (USB 2.0, table 9-8) without strings.
  private static func device(_ identity: Identity) -> [UInt8] {
    var bytes: [UInt8] = [18, 1, 0x00, 0x02, 0, 0, 0, 8]
    bytes.append16(identity.vendor, .little)
    bytes.append16(identity.product, .little)
    return bytes + [0, 0, 0, 0, 0, 1]
  }

  /// A configuration (USB 2.0, tables 9-10, 9-12, 9-13) with one interface of class 0B, CCID, and
  /// the two bulk endpoints 02 and 82.
  private static let ccidConfiguration: [UInt8] = [
    9, 2, 32, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 2, 0x0B, 0, 0, 0,
    7, 5, 0x02, 2, 64, 0, 0,
    7, 5, 0x82, 2, 64, 0, 0,
  ]
}
