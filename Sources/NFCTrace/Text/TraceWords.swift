import NFCProtocols

/// The keywords of the text encoding; docs/trace-format.md is their reference.
enum TraceWords {
  /// The layers.
  static let layers = ["field", "rf", "link", "apdu", "app"]
  /// The keys of a header.
  static let headerKeys = [
    "reader", "role", "technology", "clock", "made-by", "redaction",
  ]
  /// Attributes that every event may have.
  static let commonAttributes = ["ticks", "uncertainty", "time-unknown", "out-of-order"]
  /// Attributes of a frame on the air.
  static let radioAttributes = [
    "tech", "rate", "crc", "parity", "bits", "collision", "encrypted", "truncated",
  ]
  /// Attributes of a transfer.
  static let linkAttributes = [
    "via", "payload", "ep", "setup", "stall", "timeout", "unplugged", "cancelled", "overflow",
    "failed", "requested", "original",
  ]
}

extension LinkTransfer.Transport {
  /// The word for it in a trace.
  var word: StaticString {
    switch self {
    case .usbBulk: "usb-bulk"
    case .usbControl: "usb-control"
    case .usbInterrupt: "usb-interrupt"
    case .serial: "serial"
    case .i2c: "i2c"
    case .spi: "spi"
    case .unspecified: "unspecified"
    }
  }

  /// The transport of a word.
  init?(word: String) {
    guard let found = Self.allCases.first(where: { $0.word.description == word }) else {
      return nil
    }
    self = found
  }
}

extension LinkTransfer.Payload {
  /// The word for it in a trace.
  var word: StaticString {
    switch self {
    case .pn53x: "pn53x"
    case .ccid: "ccid"
    case .nci: "nci"
    case .other: "other"
    }
  }

  /// The payload of a word.
  init?(word: String) {
    guard let found = Self.allCases.first(where: { $0.word.description == word }) else {
      return nil
    }
    self = found
  }

  /// The wire that carries it unless `via=` tells another: NCI is known from logs only.
  var usualTransport: LinkTransfer.Transport { self == .nci ? .unspecified : .usbBulk }
}

extension CRCState {
  /// The word for it in a trace.
  var word: StaticString {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .notCaptured: "none"
    case .absent: "absent"
    }
  }

  /// The state of a word.
  init?(word: ArraySlice<UInt8>) {
    if word.isWord("good") {
      self = .good
    } else if word.isWord("bad") {
      self = .bad
    } else if word.isWord("none") {
      self = .notCaptured
    } else if word.isWord("absent") {
      self = .absent
    } else {
      return nil
    }
  }
}
