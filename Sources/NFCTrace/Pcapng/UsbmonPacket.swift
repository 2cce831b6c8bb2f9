import NFCProtocols

/// One packet of link type 220: the 64-byte header of Linux usbmon, then data.
struct UsbmonPacket {
  /// Length of the header in bytes (Linux, `struct mon_bin_hdr`).
  static let headerLength = 64
  /// Status of a submitted transfer, EINPROGRESS.
  static let inProgress: Int32 = -115

  /// The kinds of packet.
  enum Kind: UInt8 {
    /// A transfer was submitted.
    case submit = 0x53
    /// A transfer was completed.
    case complete = 0x43
    /// A transfer could not be submitted.
    case error = 0x45
  }

  var kind = Kind.submit
  var id: UInt64 = 0
  /// 0 isochronous, 1 interrupt, 2 control, 3 bulk.
  var transferType: UInt8 = 3
  /// Bit 7 is set for transfers to the host.
  var endpoint: UInt8 = 0
  var device: UInt8 = 0
  var setup: [UInt8]?
  var status: Int32 = 0
  /// The length of the transfer.
  var length = 0
  var data: ArraySlice<UInt8> = []

  /// True for transfers to the host.
  var isInbound: Bool { endpoint & 0x80 != 0 }

  /// Appends header and data; the header repeats the time of the packet in microseconds.
  func append(to output: inout [UInt8], time: Int64) {
    output.append(id, count: 8, .little)
    output.append(kind.rawValue)
    output.append(transferType)
    output.append(endpoint)
    output.append(device)
    output.append16(1, .little)
    output.append(setup == nil ? 0x2D : 0)
    let carriesData = isInbound == (kind != .submit)
    output.append(carriesData ? 0 : isInbound ? 0x3C : 0x3E)
    let microseconds = (time - Int64(floorModulus(time, 1_000))) / 1_000
    let rest = floorModulus(microseconds, 1_000_000)
    output.append(
      UInt64(bitPattern: (microseconds - rest) / 1_000_000), count: 8, .little)
    output.append32(UInt32(rest), .little)
    output.append32(UInt32(bitPattern: status), .little)
    output.append32(UInt32(length), .little)
    output.append32(UInt32(data.count), .little)
    output.append(contentsOf: setup ?? Array(repeating: 0, count: 8))
    // Interval, start frame, flags, number of isochronous descriptors.
    output.append(contentsOf: repeatElement(0, count: 16))
    output.append(contentsOf: data)
  }

  init() {}

  /// Reads a packet; `nil` if it is shorter than its header or of no known kind.
  init?(_ bytes: ArraySlice<UInt8>, _ order: PcapngByteOrder) {
    guard bytes.count >= Self.headerLength else { return nil }
    let start = bytes.startIndex
    guard let kind = Kind(rawValue: bytes[start + 8]) else { return nil }
    self.kind = kind
    id = bytes.number64(at: 0, order)
    transferType = bytes[start + 9]
    endpoint = bytes[start + 10]
    device = bytes[start + 11]
    setup = bytes[start + 14] == 0 ? Array(bytes[start + 40..<start + 48]) : nil
    status = Int32(bitPattern: bytes.number32(at: 28, order))
    length = Int(bytes.number32(at: 32, order))
    data = bytes.dropFirst(Self.headerLength)
  }

  private func floorModulus(_ number: Int64, _ modulus: Int64) -> Int64 {
    let rest = number % modulus
    return rest < 0 ? rest + modulus : rest
  }
}

extension LinkTransfer.Outcome {
  /// The status that usbmon shows for it (Linux errno).
  var usbmonStatus: Int32 {
    switch self {
    case .completed: 0
    case .stall: -32
    case .timeout: -110
    case .unplugged: -108
    case .cancelled: -2
    case .overflow: -75
    case .failed(let status): status
    }
  }

  /// The outcome that a usbmon status stands for.
  init(usbmonStatus: Int32) {
    switch usbmonStatus {
    // A short packet (EREMOTEIO) is no fault of the transfer.
    case 0, -121: self = .completed
    case -32: self = .stall
    case -110: self = .timeout
    case -108, -19: self = .unplugged
    case -2, -104: self = .cancelled
    case -75: self = .overflow
    default: self = .failed(status: usbmonStatus)
    }
  }
}

extension LinkTransfer {
  /// The device number that our files give to what a transfer carries.
  var usbDevice: UInt8 {
    switch payload {
    case .pn53x: 2
    case .ccid: 3
    case .nci, .other: 4
    }
  }

  /// The usual endpoint: those of the SCL3711 for PN53x frames, those of the ACR122 for CCID.
  var usualEndpoint: UInt8 {
    if transport == .usbControl { return direction == .inbound ? 0x80 : 0 }
    let number: UInt8 = payload == .pn53x ? 4 : 2
    return direction == .inbound ? number | 0x80 : number
  }

  /// True if the transfer can stand as a packet of link type 220.
  var fitsUsbmon: Bool {
    switch transport {
    case .usbControl: setup?.count == 8
    case .usbBulk, .usbInterrupt: true
    case .serial, .i2c, .spi, .unspecified: payload == .pn53x || payload == .ccid
    }
  }

  /// The transfer type of usbmon.
  var usbmonTransferType: UInt8 {
    switch transport {
    case .usbControl: 2
    case .usbInterrupt: 1
    default: 3
    }
  }
}
