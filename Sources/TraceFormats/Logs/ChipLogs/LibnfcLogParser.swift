import NFCProtocols
import NFCTrace

/// Reads the debug log of libnfc: `priority<TAB>category<TAB>TX: hh hh ..`, of version 1.5 also
/// ` TX: hh  hh  ..` alone; pasted logs with blanks for tabs and with wrapped lines as well.
struct LibnfcLogParser: LogParser {
  static let formatName = "a libnfc log (LIBNFC_LOG_LEVEL=3)"
  static let expectation = "lines like \"debug<TAB>libnfc.bus.uart<TAB>TX: 00 00 ff 02 fe ..\""

  /// Bytes that libnfc logs of one transfer: a buffer of 1024 characters, three for a byte.
  static let shownLength = 340
  /// The longest transfer accepted, far above the 264 bytes of a PN53x frame.
  static let maximumLength = 65_536

  private var pending: Pending?
  private var clock = LogClock()
  private var isBareAPDU = false

  private struct Pending {
    var line: LogLine
    var direction: Direction
    var source: Source
    var stamp: LogTimestamp?
    var hex: HexCollector
  }

  /// What wrote a line.
  enum Source: Equatable {
    case uart, usb, ccid, apdu, spi, i2c, bare

    /// The source that a category names.
    init(category: ArraySlice<UInt8>) {
      if LogText.index(of: "acr122_usb", in: category) != nil {
        self = .ccid
      } else if LogText.index(of: "pcsc", in: category) != nil {
        self = .apdu
      } else if LogText.index(of: "_usb", in: category) != nil {
        self = .usb
      } else if LogText.index(of: "spi", in: category) != nil {
        self = .spi
      } else if LogText.index(of: "i2c", in: category) != nil {
        self = .i2c
      } else if LogText.index(of: "uart", in: category) != nil
        || LogText.index(of: "arygon", in: category) != nil
      {
        self = .uart
      } else {
        self = .bare
      }
    }
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    if let (direction, source, stamp, hex) = Self.transfer(line.bytes) {
      output.hasRecognisedLine = true
      try flush(into: &output)
      var collector = HexCollector()
      guard collector.append(hex) else {
        throw line.fault(
          expected: "hexadecimal pairs after TX: or RX:", remedy: "paste the log again unchanged")
      }
      pending = Pending(
        line: line, direction: direction, source: source, stamp: stamp, hex: collector)
      return
    }
    guard var transfer = pending else { return }
    // A pasted log may be wrapped: the rest of a transfer stands on a line of its own.
    let text = LogText.trimmed(line.bytes)
    let isRest =
      !text.isEmpty
      && text.allSatisfy {
        LogText.isBlank($0) || Hexadecimal.value(of: $0) != nil
      }
    if isRest, transfer.hex.append(line.bytes) {
      guard transfer.hex.bytes.count <= Self.maximumLength else {
        throw line.fault(
          found: "a transfer of more than \(Self.maximumLength) bytes",
          expected: "the log of one transfer", remedy: "check that the log is unchanged")
      }
      pending = transfer
    } else {
      try flush(into: &output)
    }
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {
    try flush(into: &output)
  }

  /// Takes a line with a transfer apart.
  static func transfer(
    _ line: ArraySlice<UInt8>
  ) -> (Direction, Source, LogTimestamp?, ArraySlice<UInt8>)? {
    var text = line
    let stamp = LogTimestamp.take(from: &text)
    text = LogText.trimmed(text)
    // Version 1.5 has no category.
    if let hex = LogText.rest(afterPrefix: "TX: ", in: text) {
      return (.outbound, .bare, stamp, hex)
    }
    if let hex = LogText.rest(afterPrefix: "RX: ", in: text) {
      return (.inbound, .bare, stamp, hex)
    }
    guard let name = LogText.index(of: "libnfc.", in: text) else { return nil }
    let category = text[name...].prefix { !LogText.isBlank($0) }
    let message = text[category.endIndex...].drop(while: LogText.isBlank)
    let source = Source(category: category)
    if let hex = LogText.rest(afterPrefix: "TX:", in: message) {
      return (.outbound, source, stamp, hex)
    }
    if let hex = LogText.rest(afterPrefix: "RX:", in: message) {
      return (.inbound, source, stamp, hex)
    }
    return nil
  }

  private mutating func flush(into output: inout LogOutput) throws(TraceError) {
    guard let transfer = pending else { return }
    pending = nil
    guard !transfer.hex.isTorn else {
      throw transfer.line.fault(
        found: "half a byte at the end", expected: "hexadecimal pairs after TX: or RX:",
        remedy: "the log is cut off: cut it at a line")
    }
    let bytes = transfer.hex.bytes
    if bytes.count == Self.shownLength || bytes.count == Self.shownLength + 1 {
      output.warn(
        line: transfer.line.number, "libnfc logs no more than \(bytes.count) bytes of a transfer")
    }
    if transfer.source == .i2c, output.eventCount == 0 {
      output.warn(line: transfer.line.number, "libnfc logs only what it sends over I2C")
    }
    let time = clock.time(of: transfer.stamp)
    if output.eventCount == 0 {
      output.header.clock = LogClock.description(first: transfer.stamp)
    }
    output.append(
      TraceEvent(
        start: time.start, content(transfer.direction, bytes, transfer.source),
        isTimeUnknown: time.isUnknown))
  }

  private mutating func content(
    _ direction: Direction, _ bytes: [UInt8], _ source: Source
  ) -> TraceEvent.Content {
    switch source {
    case .uart: return .link(LinkTransfer(direction, bytes, transport: .serial))
    case .usb: return .link(LinkTransfer(direction, bytes, transport: .usbBulk))
    case .ccid: return .link(LinkTransfer(direction, bytes, transport: .usbBulk, payload: .ccid))
    case .apdu: return .apdu(direction, bytes)
    case .i2c: return .link(LinkTransfer(direction, bytes, transport: .i2c))
    case .spi: return .link(spiTransfer(direction, bytes))
    case .bare:
      // Version 1.5 drove the ACR122 through PC/SC, all others by whole frames.
      if direction == .outbound { isBareAPDU = bytes.first == 0xFF }
      if isBareAPDU { return .apdu(direction, bytes) }
      return .link(LinkTransfer(direction, bytes, transport: .unspecified))
    }
  }

  /// Over SPI, status polls (02, answer one byte) and read commands (03) are no part of a frame
  /// (PN532 user manual, 6.2.5).
  private func spiTransfer(_ direction: Direction, _ bytes: [UInt8]) -> LinkTransfer {
    let isControl =
      direction == .outbound ? bytes == [0x02] || bytes == [0x03] : bytes.count == 1
    return LinkTransfer(
      direction, bytes, transport: .spi, payload: isControl ? .other : .pn53x)
  }
}

/// Hexadecimal text that comes in pieces; a byte may be torn between two of them.
struct HexCollector: Equatable {
  private(set) var bytes: [UInt8] = []
  private var high: UInt8?

  /// Adds a piece; false if it is not hexadecimal.
  mutating func append(_ text: ArraySlice<UInt8>) -> Bool {
    for character in text {
      if LogText.isBlank(character) {
        if high != nil { return false }
        continue
      }
      guard let digit = Hexadecimal.value(of: character) else { return false }
      if let upper = high {
        bytes.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return true
  }

  /// True if half a byte is left.
  var isTorn: Bool { high != nil }
}
