import NFCProtocols
import NFCTrace

/// Writes the pcapng form that NFCGate reads back.
///
/// Its reader is rigid: big endian, a section header of exactly 28 bytes, exactly two interfaces
/// (264, then 147) without options, packets without options, only event FB counted as card. It
/// holds APDUs and raw tag commands; field changes and other notes are left out.
struct NFCGateEncoder: TraceEncoder {
  static let formatName = "nfcgate"
  /// The pseudo header counts the PCB and the data in 16 bits.
  static let dataLimit = 0xFFFF - 1

  private var tally = ExportTally()

  mutating func begin(_ header: TraceHeader, into output: inout [UInt8]) throws(TraceError) {
    output.append(big32: SectionReader.sectionHeader)
    output.append(big32: 28)
    output.append(big32: 0x1A2B_3C4D)
    output.append(big16: 1)
    output.append(big16: 0)
    output.append(contentsOf: [UInt8](repeating: 0xFF, count: 8))
    output.append(big32: 28)
    for linkType in [LinkType.iso14443, LinkType.user0] {
      output.append(big32: 1)
      output.append(big32: 20)
      output.append(big16: UInt16(linkType))
      output.append(big16: 0)
      output.append(big32: 0)
      output.append(big32: 20)
    }
  }

  mutating func encode(_ event: TraceEvent, into output: inout [UInt8]) throws(TraceError) {
    switch event.content {
    case .field: tally.leftOut += 1
    case .application(let direction, let text):
      guard text.hasPrefix(NFCGatePackets.initialText),
        let data = Hexadecimal.bytes(
          of: text.utf8.dropFirst(NFCGatePackets.initialText.utf8.count + 1))
      else {
        tally.leftOut += 1
        return
      }
      try write(event, direction ?? .inbound, data, interface: 1, into: &output)
    case .apdu(let direction, let data):
      try write(event, direction, data, interface: 0, into: &output)
    case .radio(let direction, let frame):
      guard frame.crc == .notCaptured, frame.lastByteBits == 8 else {
        throw Self.cannot(
          "a frame on the air, with its CRC or with single bits",
          "convert to .pcapng, which keeps frames; this format holds APDUs and raw tag commands")
      }
      try write(event, direction, frame.bytes, interface: 0, into: &output)
    case .link:
      throw Self.cannot("a transfer between host and chip", "convert to .pcapng, which keeps it")
    }
  }

  mutating func finish(_ ending: TraceEnding, into output: inout [UInt8]) throws(TraceError) {
    try tally.requireContent(format: Self.formatName)
  }

  var remarks: [String] { tally.remarks }

  private static func cannot(_ what: String, _ remedy: String) -> TraceError {
    .cannotExpress(what: what, format: formatName, remedy: remedy)
  }

  private mutating func write(
    _ event: TraceEvent, _ direction: Direction, _ data: [UInt8], interface: UInt32,
    into output: inout [UInt8]
  ) throws(TraceError) {
    guard data.count <= Self.dataLimit else {
      throw Self.cannot("\(data.count) bytes at once", "convert to .pcapng or .retap")
    }
    guard event.start >= .zero else {
      throw Self.cannot("a time before the first event", "convert to .pcapng or .retap")
    }
    tally.written += 1
    let length = ISO14443Packet.headerLength + 1 + data.count
    let padding = (4 - length % 4) % 4
    let total = UInt32(32 + length + padding)
    let time = UInt64(event.start.count / 1_000)
    output.append(big32: 6)
    output.append(big32: total)
    output.append(big32: interface)
    output.append(big32: UInt32(truncatingIfNeeded: time >> 32))
    output.append(big32: UInt32(truncatingIfNeeded: time))
    output.append(big32: UInt32(length))
    output.append(big32: UInt32(length))
    output.append(0)
    output.append(
      direction == .inbound
        ? ISO14443Packet.cardToReaderNoCRC : ISO14443Packet.readerToCardNoCRC)
    output.append(big16: UInt16(1 + data.count))
    output.append(NFCGatePackets.inventedPCB)
    output.append(contentsOf: data)
    output.append(contentsOf: [UInt8](repeating: 0, count: padding))
    output.append(big32: total)
  }
}
