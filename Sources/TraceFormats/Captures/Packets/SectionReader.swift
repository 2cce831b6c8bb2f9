import NFCTrace

/// Reads the blocks of a pcapng file: sections of either byte order, any number of interfaces.
struct SectionReader {
  /// Interfaces of one section that are kept.
  static let interfaceLimit = 1_024
  static let sectionHeader: UInt32 = 0x0A0D_0D0A

  struct Interface {
    var linkType: UInt32
    var snapLength: Int
    var resolution = CaptureResolution.microseconds
    /// Seconds that are added to the times.
    var offset: Int64 = 0
    var hasOptions = false
  }

  private(set) var isBigEndian = false
  private(set) var interfaces: [Interface] = []

  /// Link types of all interfaces so far, each once, in order.
  private(set) var linkTypes: [UInt32] = []

  /// NFCGate writes big-endian sections with two interfaces, 264 and 147, without options.
  var isNFCGate: Bool {
    isBigEndian && interfaces.count == 2 && interfaces[0].linkType == LinkType.iso14443
      && interfaces[1].linkType == LinkType.user0 && !interfaces[0].hasOptions
      && !interfaces[1].hasOptions
  }

  /// What one block was.
  enum Step {
    case packet(CapturedPacket)
    case other
    case waiting
  }

  /// Reads one block, if it has arrived whole.
  mutating func step(_ input: inout InputBuffer) throws(TraceError) -> Step {
    guard let head = input.peek(12) else { return .waiting }
    let isSection = RecordFields(head).u32(0) == Self.sectionHeader
    if isSection { isBigEndian = try byteOrder(head, at: input.offset) }
    let fields = RecordFields(head, isBigEndian: isBigEndian)
    let length = Int(fields.u32(4))
    guard length >= (isSection ? 28 : 12), length % 4 == 0 else {
      throw bad(
        input.offset + 4, "a block length of \(length)",
        "a multiple of 4 that is at least \(isSection ? 28 : 12)")
    }
    guard length <= CaptureContainer.packetLimit else {
      throw CaptureContainer.tooLong(length, at: input.offset + 4)
    }
    guard let block = input.peek(length) else { return .waiting }
    let whole = RecordFields(block, isBigEndian: isBigEndian)
    let trailer = Int(whole.u32(length - 4))
    guard trailer == length else {
      throw bad(
        input.offset + length - 4, "a closing block length of \(trailer)",
        "\(length), the length at the start of the block")
    }
    let step = try read(whole, isSection: isSection, at: input.offset)
    input.drop(length)
    return step
  }

  private func byteOrder(_ head: ArraySlice<UInt8>, at offset: Int) throws(TraceError) -> Bool {
    for isBigEndian in [false, true]
    where RecordFields(head, isBigEndian: isBigEndian).u32(8) == 0x1A2B_3C4D {
      return isBigEndian
    }
    throw bad(offset + 8, "no byte order mark", "1A 2B 3C 4D in either byte order")
  }

  private mutating func read(
    _ block: RecordFields, isSection: Bool, at offset: Int
  ) throws(TraceError) -> Step {
    if isSection {
      guard block.u16(12) == 1 else {
        throw bad(offset + 12, "pcapng version \(block.u16(12))", "version 1")
      }
      interfaces.removeAll()
      return .other
    }
    switch block.u32(0) {
    case 1:
      try addInterface(block, at: offset)
      return .other
    case 2: return .packet(try oldPacket(block, at: offset))
    case 3: return .packet(try simplePacket(block, at: offset))
    case 6: return .packet(try enhancedPacket(block, at: offset))
    default: return .other
    }
  }

  private mutating func addInterface(_ block: RecordFields, at offset: Int) throws(TraceError) {
    guard block.bytes.count >= 20 else {
      throw bad(offset + 4, "an interface block of \(block.bytes.count) bytes", "at least 20")
    }
    guard interfaces.count < Self.interfaceLimit else {
      throw bad(
        offset, "more than \(Self.interfaceLimit) interfaces", "a section with fewer of them")
    }
    var interface = Interface(
      linkType: UInt32(block.u16(8)), snapLength: Int(block.u32(12)))
    var place = 16
    while let option = try option(block, &place, at: offset) {
      interface.hasOptions = true
      switch (option.code, option.value.count) {
      case (9, 1):
        guard
          let resolution = CaptureResolution(option: option.value[option.value.startIndex])
        else {
          throw bad(
            option.offset, "a time unit below 10^-19 s or 2^-63 s", "a unit that fits into 64 bits")
        }
        interface.resolution = resolution
      case (14, 8):
        let value = RecordFields(option.value, isBigEndian: isBigEndian).u64(0)
        interface.offset = Int64(bitPattern: value)
      default: break
      }
    }
    interfaces.append(interface)
    if !linkTypes.contains(interface.linkType) { linkTypes.append(interface.linkType) }
  }

  private func enhancedPacket(
    _ block: RecordFields, at offset: Int
  ) throws(TraceError) -> CapturedPacket {
    guard block.bytes.count >= 32 else {
      throw bad(offset + 4, "a packet block of \(block.bytes.count) bytes", "at least 32")
    }
    return try packet(block, interface: Int(block.u32(8)), at: offset)
  }

  private func oldPacket(
    _ block: RecordFields, at offset: Int
  ) throws(TraceError) -> CapturedPacket {
    guard block.bytes.count >= 32 else {
      throw bad(offset + 4, "a packet block of \(block.bytes.count) bytes", "at least 32")
    }
    return try packet(block, interface: Int(block.u16(8)), at: offset)
  }

  /// What both kinds of packet block with a time have in common.
  private func packet(
    _ block: RecordFields, interface number: Int, at offset: Int
  ) throws(TraceError) -> CapturedPacket {
    let interface = try interface(number, at: offset + 8)
    let captured = Int(block.u32(20))
    guard captured <= block.bytes.count - 32 else {
      throw bad(
        offset + 20, "a packet of \(captured) bytes",
        "at most \(block.bytes.count - 32), the room in its block")
    }
    let ticks = UInt64(block.u32(12)) << 32 | UInt64(block.u32(16))
    let first = block.bytes.startIndex + 28
    var packet = CapturedPacket(
      linkType: interface.linkType, interface: number,
      time: CaptureTime(ticks: ticks, interface.resolution, offset: interface.offset),
      bytes: block.bytes[first..<(first + captured)],
      originalLength: max(captured, Int(block.u32(24))), offset: offset + 28)
    packet.isNFCGateSection = isNFCGate
    var place = 28 + (captured + 3) / 4 * 4
    while let option = try option(block, &place, at: offset) {
      switch (option.code, option.value.count) {
      case (1, _):
        let text = CaptureText.line(option.value)
        packet.comment = packet.comment.map { "\($0); \(text)" } ?? text
      case (2, 4):
        switch RecordFields(option.value, isBigEndian: isBigEndian).u32(0) & 3 {
        case 1: packet.isOutbound = false
        case 2: packet.isOutbound = true
        default: break
        }
      default: break
      }
    }
    return packet
  }

  private func simplePacket(
    _ block: RecordFields, at offset: Int
  ) throws(TraceError) -> CapturedPacket {
    guard block.bytes.count >= 16 else {
      throw bad(offset + 4, "a packet block of \(block.bytes.count) bytes", "at least 16")
    }
    let interface = try interface(0, at: offset)
    let original = Int(block.u32(8))
    var captured = min(original, block.bytes.count - 16)
    if interface.snapLength > 0 { captured = min(captured, interface.snapLength) }
    let first = block.bytes.startIndex + 12
    return CapturedPacket(
      linkType: interface.linkType, interface: 0, time: nil,
      bytes: block.bytes[first..<(first + captured)], originalLength: original,
      offset: offset + 12)
  }

  private func interface(_ number: Int, at offset: Int) throws(TraceError) -> Interface {
    guard interfaces.indices.contains(number) else {
      throw bad(
        offset, "a packet of interface \(number)",
        "one of the \(interfaces.count) interfaces described before it")
    }
    return interfaces[number]
  }

  private struct Option {
    var code: UInt16
    var value: ArraySlice<UInt8>
    var offset: Int
  }

  /// The option at `place`, which then moves behind it; `nil` at the end of the options.
  private func option(
    _ block: RecordFields, _ place: inout Int, at offset: Int
  ) throws(TraceError) -> Option? {
    let end = block.bytes.count - 4
    guard place + 4 <= end else { return nil }
    let code = block.u16(place)
    if code == 0 { return nil }
    let length = Int(block.u16(place + 2))
    guard place + 4 + length <= end else {
      throw bad(
        offset + place + 2, "an option of \(length) bytes",
        "at most \(end - place - 4), the room in its block")
    }
    let first = block.bytes.startIndex + place + 4
    let option = Option(
      code: code, value: block.bytes[first..<(first + length)], offset: offset + place)
    place += 4 + (length + 3) / 4 * 4
    return option
  }

  private func bad(_ offset: Int, _ found: String, _ expected: String) -> TraceError {
    CaptureContainer.bad(offset, found, expected)
  }
}
