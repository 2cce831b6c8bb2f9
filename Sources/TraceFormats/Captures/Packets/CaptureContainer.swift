import NFCTrace

/// The packets of a capture file, classic pcap or pcapng, as its bytes arrive.
struct CaptureContainer {
  /// The longest packet or block that is read, in bytes; no NFC or USB capture comes near it.
  static let packetLimit = 8 << 20

  private enum Kind {
    case undecided
    case classic(ClassicCaptureReader)
    case sections
  }

  private var kind = Kind.undecided
  private var sections = SectionReader()
  private var input = InputBuffer()

  /// Link types seen so far, each once, in order.
  var linkTypes: [UInt32] {
    if case .classic(let reader) = kind { return [reader.linkType] }
    return sections.linkTypes
  }

  mutating func append(_ chunk: ArraySlice<UInt8>) { input.append(chunk) }

  /// The next packet, or `nil` if more bytes are needed.
  mutating func next() throws(TraceError) -> CapturedPacket? {
    while true {
      switch kind {
      case .undecided:
        guard try decide() else { return nil }
      case .classic(let reader):
        return try reader.next(&input)
      case .sections:
        switch try sections.step(&input) {
        case .packet(let packet): return packet
        case .other: continue
        case .waiting: return nil
        }
      }
    }
  }

  /// Visits the plain ISO 14443 frames that come next; see `PlainFrames.swift`.
  ///
  /// - Returns: How many there were.
  mutating func visitPlainFrames(
    tickUnit: String?, visit: (SectionReader.PlainFrame) -> Void
  ) -> Int {
    guard case .sections = kind, let interface = sections.plainInterface(tickUnit: tickUnit)
    else { return 0 }
    return sections.visitPlainFrames(of: interface, in: &input, visit: visit)
  }

  /// Checks that the file does not end inside of a record.
  func finish() throws(TraceError) {
    if case .undecided = kind {
      throw Self.bad(
        0, input.isEmpty ? "an empty file" : "a file of \(input.count) bytes",
        "the start of a pcap or pcapng file")
    }
    guard input.isEmpty else {
      throw .badInput(
        BadInput(
          at: .byte(input.offset), found: "a record cut off after \(input.count) bytes",
          expected: "whole records up to the last byte",
          remedy: "cut the torn record away: open the file in Wireshark and save it again"))
    }
  }

  private mutating func decide() throws(TraceError) -> Bool {
    guard let mark = input.peek(4) else { return false }
    if RecordFields(mark).u32(0) == SectionReader.sectionHeader {
      kind = .sections
      return true
    }
    guard ClassicCaptureReader.magic(mark) != nil else {
      throw Self.bad(
        0, "the bytes \(CaptureText.hex(RecordFields(mark, isBigEndian: true).u32(0), digits: 8))",
        "the magic number of pcap (A1B2C3D4, A1B23C4D) or pcapng (0A0D0D0A)")
    }
    guard let header = input.peek(ClassicCaptureReader.headerLength) else { return false }
    let reader = try ClassicCaptureReader(header: header)
    kind = .classic(reader)
    input.drop(header.count)
    return true
  }

  static func bad(_ offset: Int, _ found: String, _ expected: String) -> TraceError {
    .badInput(
      BadInput(
        at: .byte(offset), found: found, expected: expected,
        remedy: "check the file with `capinfos`; if it is damaged, record or convert it again"))
  }

  static func tooLong(_ length: Int, at offset: Int) -> TraceError {
    bad(offset, "a length of \(length) bytes", "at most \(packetLimit)")
  }
}
