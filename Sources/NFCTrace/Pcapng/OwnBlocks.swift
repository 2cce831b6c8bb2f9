/// What Retap's own pcapng files hold beside standard packets; docs/trace-format.md describes it.
enum OwnBlocks {
  /// Block type of our text blocks: bit 31 marks local use, the rest is `RTP`.
  static let type: UInt32 = 0x8052_5450
  /// The first bytes of such a block, since types for local use may collide.
  static let magic: [UInt8] = Array("RETAP".utf8) + [0]
  /// Bytes in front of the text: magic, kind, version, length of the text.
  static let prefixLength = 12
  /// The version of the blocks.
  static let version: UInt8 = 1

  /// What the text of a block is.
  enum Kind: UInt8 {
    /// The header lines, as in the text encoding.
    case header = 1
    /// The lines of one event that no packet can hold.
    case event = 2
    /// The lines behind the last event, with the seal.
    case ending = 3
  }

  /// Option: attributes of the event, as in the text encoding; marks the packet of an event.
  static let attributes: UInt16 = 0x9E70
  /// Option: comment lines in front of the event, each ended by a line feed.
  static let leadingLines: UInt16 = 0x9E71
  /// Option: what a packet is that is no event by itself.
  static let companion: UInt16 = 0x9E72

  /// Roles of packets that are no events.
  enum Companion: UInt8 {
    /// The other packet of a USB transfer, written for completeness.
    case filler = 1
    /// The completion of an outbound transfer; its time is the end of the event.
    case end = 2
    /// A descriptor transfer, written so that Wireshark knows the reader.
    case descriptor = 3
  }

  /// LINKTYPE_ISO_14443.
  static let iso14443: UInt16 = 264
  /// LINKTYPE_USB_LINUX_MMAPPED.
  static let usbmon: UInt16 = 220
  /// `if_tsoffset` of interfaces for negative times, in seconds (292 years).
  static let negativeOffset: Int64 = -9_223_372_036

  /// Writes a text block.
  static func write(
    _ kind: Kind, text: ArraySlice<UInt8>, with writer: PcapngWriter,
    into output: inout [UInt8]
  ) {
    writer.block(type, into: &output) { output in
      output.append(contentsOf: magic)
      output.append(kind.rawValue)
      output.append(version)
      output.append32(UInt32(text.count), writer.byteOrder)
      output.append(contentsOf: text)
    }
  }

  /// Reads a text block; `nil` if the block is not ours.
  static func read(
    _ block: PcapngBlock
  ) throws(TraceError) -> (kind: Kind, text: ArraySlice<UInt8>)? {
    let body = block.body
    guard block.type == type, body.starts(with: magic), body.count >= prefixLength else {
      return nil
    }
    let version = body[body.startIndex + 7]
    guard version == Self.version else {
      throw .newerVersion(found: Int(version), newestKnown: Int(Self.version))
    }
    let length = Int(body.number32(at: 8, block.byteOrder))
    guard let kind = Kind(rawValue: body[body.startIndex + 6]),
      length <= body.count - prefixLength
    else {
      throw PcapngReader.fault(
        block.offset + 8, found: "a damaged block of Retap",
        expected: "a text of at most \(body.count - prefixLength) bytes")
    }
    return (kind, body.dropFirst(prefixLength).prefix(length))
  }
}
