import NFCProtocols
import NFCTrace

/// Reads NCI packets from text logs of phones and of raw sockets.
///
/// The forms are `NxpNciX`/`NxpNciR` of NXP's Android HAL and of
/// linux_libnfc-nci, `nfc write`/`nfc nRead` of NXP's kernel driver, and `#5 TX NCI len=10 ..` of
/// AF_NFC raw sockets. All other lines of a system log are passed over.
struct NCILogParser: LogParser {
  static let formatName = "a log with NCI packets"
  static let expectation =
    "lines like \"NxpNciX : len =   4 > 20000101\" or \"#1 TX NCI len=4 20 00 01 01\""

  /// Kernel lines kept back while it is open whether the HAL logged the same packets.
  static let maximumHeldPackets = 4_096
  /// The longest packet: 3 bytes of header and 255 of payload (NCI 2.0, 3.4); some HALs log more
  /// than one packet in a line.
  static let maximumLength = 65_536

  private var clock = LogClock()
  private var writer: Writer?
  private var held: [Packet] = []

  /// Who wrote a line.
  ///
  /// Phones log the same packet twice, in the HAL and in the kernel.
  enum Writer: Equatable {
    case hal, kernel, rawSocket
  }

  /// One packet of a log.
  struct Packet {
    var writer: Writer
    var direction: Direction
    var stamp: LogTimestamp?
    var bytes: [UInt8]
    var isNCI = true
    var originalLength: Int?
    var comment: String?
  }

  mutating func parse(_ line: LogLine, into output: inout LogOutput) throws(TraceError) {
    guard let packet = try Self.packet(line) else { return }
    output.hasRecognisedLine = true
    switch (writer, packet.writer) {
    case (nil, .kernel) where held.count < Self.maximumHeldPackets:
      held.append(packet)
    case (nil, .kernel):
      writer = .kernel
      releaseHeld(into: &output)
      emit(packet, into: &output)
    case (nil, _):
      if !held.isEmpty {
        output.warn(line: line.number, "kernel lines are left out: the HAL logs the same packets")
      }
      held = []
      writer = packet.writer
      emit(packet, into: &output)
    case (let chosen?, let found) where chosen == found:
      emit(packet, into: &output)
    default:
      break
    }
  }

  mutating func finish(into output: inout LogOutput) throws(TraceError) {
    releaseHeld(into: &output)
  }

  private mutating func releaseHeld(into output: inout LogOutput) {
    for packet in held { emit(packet, into: &output) }
    held = []
  }

  private mutating func emit(_ packet: Packet, into output: inout LogOutput) {
    let time = clock.time(of: packet.stamp)
    if !output.isHeaderFinal { output.header.clock = LogClock.description(first: packet.stamp) }
    output.append(
      TraceEvent(
        start: time.start,
        .link(
          LinkTransfer(
            packet.direction, packet.bytes, transport: .unspecified,
            payload: packet.isNCI ? .nci : .other, originalLength: packet.originalLength)),
        isTimeUnknown: time.isUnknown, comment: packet.comment))
  }

  /// The packet of a line, or `nil` if it has none.
  static func packet(_ line: LogLine) throws(TraceError) -> Packet? {
    if let packet = try halPacket(line) { return packet }
    if let packet = try kernelPacket(line) { return packet }
    return try rawSocketPacket(line)
  }

  /// `.. NxpNciX : len =  16 > 0000..`, X to the chip, R from it.
  private static func halPacket(_ line: LogLine) throws(TraceError) -> Packet? {
    guard let mark = LogText.rest(after: "NxpNci", in: line.bytes),
      let letter = mark.first, letter == 0x58 || letter == 0x52,
      var rest = LogText.rest(after: "len", in: mark.dropFirst())
    else { return nil }
    rest = rest.drop { LogText.isBlank($0) || $0 == 0x3D }
    guard let length = LogText.takeDecimal(from: &rest) else { return nil }
    rest = rest.drop(while: LogText.isBlank)
    guard LogText.take(">", from: &rest), let bytes = Hexadecimal.bytes(of: rest),
      length <= Self.maximumLength, bytes.count <= length
    else {
      throw line.fault(expected: "\(length) bytes as hexadecimal pairs behind >", remedy: remedy)
    }
    var text = line.bytes
    return Packet(
      writer: .hal, direction: letter == 0x58 ? .outbound : .inbound,
      stamp: LogTimestamp.take(from: &text), bytes: bytes,
      originalLength: bytes.count < length ? Int(length) : nil)
  }

  /// `.. nfc nRead: CORE_CONN_CREDITS_NTF   600603010001`: a name may stand before the bytes.
  private static func kernelPacket(_ line: LogLine) throws(TraceError) -> Packet? {
    let direction: Direction
    let rest: ArraySlice<UInt8>
    if let text = LogText.rest(after: "nfc write: ", in: line.bytes) {
      (direction, rest) = (.outbound, text)
    } else if let text = LogText.rest(after: "nfc nRead: ", in: line.bytes) {
      (direction, rest) = (.inbound, text)
    } else {
      return nil
    }
    var words = rest.split(whereSeparator: LogText.isBlank)
    var comment: String?
    // A name is known by an underscore or a colon: no pair of digits has one.
    if let first = words.first, first.contains(0x5F) || first.contains(0x3A) {
      let name = first.last == 0x3A ? first.dropLast() : first
      comment = LogText.string(name)
      words.removeFirst()
    }
    // The driver says other things behind the same mark (`nfc write: failed ..`).
    let isHex = words.allSatisfy { $0.allSatisfy { Hexadecimal.value(of: $0) != nil } }
    guard isHex, !words.isEmpty else { return nil }
    guard let bytes = Hexadecimal.bytes(of: words.joined(separator: [0x20])) else {
      throw line.fault(expected: "a packet as hexadecimal pairs", remedy: remedy)
    }
    var text = line.bytes
    return Packet(
      writer: .kernel, direction: direction, stamp: LogTimestamp.take(from: &text), bytes: bytes,
      comment: comment)
  }

  /// `  #5    TX NCI  len=10  21 03 07 ..   CMD RF_DISCOVER`.
  private static func rawSocketPacket(_ line: LogLine) throws(TraceError) -> Packet? {
    var rest = line.bytes
    let stamp = LogTimestamp.take(from: &rest)
    rest = rest.drop(while: LogText.isBlank)
    guard LogText.take("#", from: &rest), LogText.takeDecimal(from: &rest) != nil else {
      return nil
    }
    var words = rest.split(whereSeparator: LogText.isBlank)[...]
    guard words.count >= 3 else { return nil }
    let direction: Direction
    switch String(decoding: words.removeFirst(), as: UTF8.self) {
    case "TX": direction = .outbound
    case "RX": direction = .inbound
    default: return nil
    }
    let kind = words.removeFirst()
    guard var text = LogText.rest(afterPrefix: "len=", in: words.removeFirst()) else { return nil }
    guard let length = LogText.takeDecimal(from: &text), text.isEmpty,
      length <= Self.maximumLength, words.count >= length
    else {
      throw line.fault(expected: "len=n and n bytes", remedy: remedy)
    }
    guard let bytes = Hexadecimal.bytes(of: words.prefix(Int(length)).joined(separator: [0x20])),
      bytes.count == length
    else {
      throw line.fault(expected: "\(length) bytes as hexadecimal pairs", remedy: remedy)
    }
    let note = words.dropFirst(Int(length)).map { LogText.string($0) }.joined(separator: " ")
    let isNCI = kind.elementsEqual("NCI".utf8)
    let name = isNCI ? "" : LogText.string(kind)
    let comment = [name, note].filter { !$0.isEmpty }.joined(separator: ": ")
    return Packet(
      writer: .rawSocket, direction: direction, stamp: stamp, bytes: bytes, isNCI: isNCI,
      comment: comment.isEmpty ? nil : comment)
  }

  private static let remedy = "paste the log again unchanged, or cut it at a line"
}
