import NFCProtocols
import NFCTrace

/// One entry of `frames` in nfc-laboratory's JSON, as an event.
///
/// Beside the program's own members, those that `LaboratoryEncoder` adds are read.
struct LaboratoryFrame {
  private let members: [JSONReader.Member]

  init(_ members: [JSONReader.Member]) { self.members = members }

  /// The samples a second that the frame is timed by.
  var sampleRate: Int64? {
    guard let rate = integer("sampleRate"), rate > 0 else { return nil }
    return rate
  }

  /// The date of the frame in nanoseconds since 1970, if it is one and not only a time of the file.
  var unixTime: Int64? {
    guard let date = nanoseconds("dateTime"), let start = nanoseconds("timeStart") else {
      return nil
    }
    let (origin, overflow) = date.subtractingReportingOverflow(start)
    // A recording does not last a day; the published files repeat the time of the file here.
    return !overflow && origin > 86_400_000_000_000 ? origin : nil
  }

  /// The event, or `nil` with what is missing.
  func event() -> (TraceEvent?, missing: String?) {
    guard let technology = integer("techType") else { return (nil, "techType") }
    guard let type = integer("frameType") else { return (nil, "frameType") }
    guard let bytes = data() else { return (nil, "frameData as hexadecimal pairs with colons") }
    guard bytes.count <= TraceLimits.bytesPerEvent else {
      return (nil, "frameData of at most \(TraceLimits.bytesPerEvent) bytes")
    }
    let time = self.time()
    let (content, comment) = self.content(technology, type, bytes)
    let hasEnd = type != LaboratoryCode.carrierOn && type != LaboratoryCode.carrierOff
    var event = TraceEvent(
      start: time.start ?? .zero, end: hasEnd ? time.end : nil, content, sourceTicks: time.ticks,
      isTimeUnknown: time.start == nil || member("isTimeUnknown") == .boolean(true))
    event.comment = text("comment") ?? comment
    return (event, nil)
  }

  private func content(
    _ technology: Int64, _ type: Int64, _ bytes: [UInt8]
  ) -> (TraceEvent.Content, comment: String?) {
    switch (technology, type) {
    case (_, LaboratoryCode.carrierOff), (_, LaboratoryCode.carrierOn):
      let change = FieldChange(
        isOn: type == LaboratoryCode.carrierOn, technology: LaboratoryCode.technology(technology))
      return (.field(change), nil)
    case (LaboratoryCode.iso7816, LaboratoryCode.request),
      (LaboratoryCode.iso7816, LaboratoryCode.poll):
      return (.apdu(.outbound, bytes), nil)
    case (LaboratoryCode.iso7816, LaboratoryCode.response),
      (LaboratoryCode.iso7816, LaboratoryCode.listen):
      return (.apdu(.inbound, bytes), nil)
    case (LaboratoryCode.iso7816, LaboratoryCode.answerToReset):
      return (.application(.inbound, "ATR \(Hexadecimal.pairs(bytes))"), nil)
    case (0x101...0x104, LaboratoryCode.poll):
      return radio(.outbound, LaboratoryCode.technology(technology), bytes)
    case (0x101...0x104, LaboratoryCode.listen):
      return radio(.inbound, LaboratoryCode.technology(technology), bytes)
    default:
      let text = "techType \(technology) frameType \(type) \(Hexadecimal.pairs(bytes))"
      return (.application(nil, LogOutput.bounded(text)), nil)
    }
  }

  private func radio(
    _ direction: Direction, _ technology: Technology?, _ bytes: [UInt8]
  ) -> (TraceEvent.Content, comment: String?) {
    let flags = integer("frameFlags") ?? 0
    var frame = RadioFrame(bytes, technology: technology)
    if flags & LaboratoryCode.shortFlag != 0, bytes.count == 1 {
      // Short frames of the reader have 7 bits, ACK and NAK of a card 4 (ISO/IEC 14443-3, 6.2.3;
      // Type 2 Tag specification).
      frame.lastByteBits = direction == .inbound && bytes[0] <= 0x0F ? 4 : 7
    }
    frame.isEncrypted = flags & LaboratoryCode.encryptedFlag != 0
    frame.isTruncated = flags & LaboratoryCode.truncatedFlag != 0
    frame.isCollision = flags & LaboratoryCode.syncErrorFlag != 0
    if flags & LaboratoryCode.crcErrorFlag != 0 { frame.crc = .bad }
    frame.kilobitsPerSecond = integer("frameRate").flatMap { LaboratoryCode.kilobits($0) }
    if let bits = integer("lastByteBits"), (1...8).contains(bits), !bytes.isEmpty {
      frame.lastByteBits = UInt8(bits)
    }
    if let state = text("crcState").flatMap({ Self.crcStates[$0] }) { frame.crc = state }
    if let parity = text("parityBits"), parity.utf8.count == bytes.count {
      frame.parity = ParityBits(parity.utf8.map { $0 == 0x31 })
    }
    let hasParityError = flags & LaboratoryCode.parityErrorFlag != 0 && frame.parity == nil
    return (
      .radio(direction, frame), hasParityError ? "parity error (the file does not tell where)" : nil
    )
  }

  /// Names of what is known of a CRC, in the member that `LaboratoryEncoder` adds.
  static let crcStates: [String: CRCState] = [
    "good": .good, "bad": .bad, "notCaptured": .notCaptured, "absent": .absent,
  ]

  /// Times from sample numbers if the file has them, else from seconds.
  private func time() -> (start: Nanoseconds?, end: Nanoseconds?, ticks: SourceTicks?) {
    if let rate = sampleRate, let first = integer("sampleStart"),
      let start = Self.nanoseconds(samples: first, rate: rate)
    {
      let last = integer("sampleEnd").flatMap { $0 > first ? $0 : nil }
      let end = last.flatMap { Self.nanoseconds(samples: $0, rate: rate) }
      let length = last.flatMap { last -> Int64? in
        let (length, overflow) = last.subtractingReportingOverflow(first)
        return overflow ? nil : length
      }
      return (start, end, SourceTicks(start: first, length: length))
    }
    guard let start = nanoseconds("timeStart"), start.magnitude <= TraceLimits.time.magnitude else {
      return (nil, nil, nil)
    }
    let end = nanoseconds("timeEnd").flatMap { time in
      time > start && time <= TraceLimits.time ? Nanoseconds(time) : nil
    }
    return (Nanoseconds(start), end, nil)
  }

  /// A number of samples as a time, rounded to the nearest nanosecond.
  static func nanoseconds(samples: Int64, rate: Int64) -> Nanoseconds? {
    let product = samples.magnitude.multipliedFullWidth(by: 1_000_000_000)
    // The quotient must fit: the upper half has to be smaller than the divisor.
    guard product.high < rate.magnitude else { return nil }
    let (quotient, remainder) = rate.magnitude.dividingFullWidth(product)
    let rounded = remainder >= rate.magnitude - remainder ? quotient + 1 : quotient
    guard rounded <= TraceLimits.time.magnitude else { return nil }
    return Nanoseconds(samples < 0 ? -Int64(rounded) : Int64(rounded))
  }

  /// `26:01:..`; no member at all is a frame without bytes.
  private func data() -> [UInt8]? {
    guard let text = member("frameData") else { return [] }
    guard case .string(let text) = text else { return nil }
    var bytes: [UInt8] = []
    for part in text.utf8.split(separator: 0x3A) {
      guard part.count <= 2 else { return nil }
      var byte: UInt8 = 0
      for character in part {
        guard let digit = Hexadecimal.value(of: character) else { return nil }
        byte = byte << 4 | digit
      }
      bytes.append(byte)
    }
    return bytes
  }

  private func member(_ key: String) -> JSONReader.Value? { members[key] }

  private func text(_ key: String) -> String? {
    guard case .string(let text)? = members[key] else { return nil }
    return LogOutput.bounded(text)
  }

  private func integer(_ key: String) -> Int64? {
    guard case .number(let text)? = members[key] else { return nil }
    return DecimalText.scaled(text, power: 0)
  }

  private func nanoseconds(_ key: String) -> Int64? {
    guard case .number(let text)? = members[key] else { return nil }
    return DecimalText.scaled(text, power: 9)
  }
}
