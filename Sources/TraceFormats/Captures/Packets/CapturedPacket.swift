/// One packet of a pcap or pcapng file.
struct CapturedPacket {
  var linkType: UInt32
  /// The number of the interface in its section; 0 in classic files.
  var interface: Int
  /// `nil` for simple packets, which have no time.
  var time: CaptureTime?
  var bytes: ArraySlice<UInt8>
  /// The length before the capture program cut it.
  var originalLength: Int
  var comment: String?
  /// The `epb_flags` direction: `true` for outbound, `false` for inbound.
  var isOutbound: Bool?
  /// Offset of `bytes` in the file.
  var offset: Int
  /// True if the section has the rigid form that NFCGate writes.
  var isNFCGateSection = false
}

/// Link types that can be read (tcpdump.org link-layer header types).
enum LinkType {
  static let user0: UInt32 = 147
  static let usbLinux: UInt32 = 189
  static let usbLinuxMapped: UInt32 = 220
  static let nfcLLCP: UInt32 = 245
  static let usbPcap: UInt32 = 249
  static let iso14443: UInt32 = 264

  static let readable: [UInt32] = [
    user0, usbLinux, usbLinuxMapped, nfcLLCP, usbPcap, iso14443,
  ]

  /// A name for messages.
  static func name(of type: UInt32) -> String {
    switch type {
    case 1: "1 (Ethernet)"
    case 105: "105 (IEEE 802.11)"
    case 113: "113 (Linux cooked)"
    case 187, 201: "\(type) (Bluetooth HCI)"
    case 195, 215, 230: "\(type) (IEEE 802.15.4)"
    case user0: "147 (user 0)"
    case usbLinux: "189 (usbmon)"
    case usbLinuxMapped: "220 (usbmon)"
    case nfcLLCP: "245 (NFC LLCP)"
    case usbPcap: "249 (USBPcap)"
    case 251, 256: "\(type) (Bluetooth LE)"
    case iso14443: "264 (ISO 14443)"
    default: "\(type)"
    }
  }
}
