/// The TLV blocks in the data area of Type 2 and Type 5 tags (NFC Forum T2T 1.2, section 4.3).
public struct TagTLV: Hashable, Sendable {
  /// The tag.
  public var tag: Tag
  /// The value.
  public var value: [UInt8]

  /// Tags of TLV blocks.
  public struct Tag: Hashable, Sendable {
    /// The byte.
    public var rawValue: UInt8
    /// Makes a tag.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    /// Padding of one byte.
    public static let null = Tag(0x00)
    /// Where lock bits lie outside of the usual place.
    public static let lockControl = Tag(0x01)
    /// Areas that are not for data.
    public static let memoryControl = Tag(0x02)
    /// An NDEF message; empty in a tag that is ready to be written.
    public static let ndef = Tag(0x03)
    /// Somebody's own data.
    public static let proprietary = Tag(0xFD)
    /// The end of the data area's blocks, one byte.
    public static let terminator = Tag(0xFE)
  }

  /// The longest value of a one-byte length; longer ones have `FF` and two bytes.
  public static let maximumShortLength = 254
  /// The longest value.
  public static let maximumLength = 65_534

  /// Makes a block.
  public init(_ tag: Tag, _ value: [UInt8] = []) {
    precondition(value.count <= Self.maximumLength, "a TLV value has up to 65,534 bytes")
    self.tag = tag
    self.value = value
  }

  /// Decodes all blocks up to the terminator or the end of the area.
  ///
  /// Bytes behind the terminator mean nothing and are passed over.
  public static func blocks(in area: ArraySlice<UInt8>) throws(ProtocolError) -> [TagTLV] {
    var cursor = ByteCursor(area, "TLV block")
    var blocks: [TagTLV] = []
    while !cursor.isAtEnd {
      let tag = Tag(try cursor.byte())
      if tag == .null || tag == .terminator {
        blocks.append(TagTLV(tag))
        if tag == .terminator { break }
        continue
      }
      blocks.append(TagTLV(tag, try value(&cursor)))
    }
    return blocks
  }

  /// Decodes the first NDEF block and stops there, so that rubbish behind it does no harm.
  /// - Returns: the message's bytes, or `nil` if there is no NDEF block before the terminator.
  public static func firstNDEF(in area: ArraySlice<UInt8>) throws(ProtocolError) -> [UInt8]? {
    var cursor = ByteCursor(area, "TLV block")
    while !cursor.isAtEnd {
      let tag = Tag(try cursor.byte())
      if tag == .terminator { return nil }
      if tag == .null { continue }
      let content = try value(&cursor)
      if tag == .ndef { return content }
    }
    return nil
  }

  private static func value(_ cursor: inout ByteCursor) throws(ProtocolError) -> [UInt8] {
    var length = Int(try cursor.byte())
    if length == 0xFF {
      length = Int(try cursor.bigEndian16())
      guard length <= maximumLength else {
        throw .badLength(
          element: "TLV block", offset: cursor.offset - 2, found: length,
          expected: 0...maximumLength)
      }
    }
    return try cursor.array(length)
  }

  /// Appends the block.
  public func encode(into output: inout [UInt8]) {
    output.append(tag.rawValue)
    guard tag != .null, tag != .terminator else { return }
    if value.count <= Self.maximumShortLength {
      output.append(UInt8(value.count))
    } else {
      output.append(0xFF)
      output.append(bigEndian: UInt16(value.count))
    }
    output += value
  }

  /// The blocks one behind the other.
  public static func area(_ blocks: [TagTLV]) -> [UInt8] {
    var output: [UInt8] = []
    for block in blocks { block.encode(into: &output) }
    return output
  }
}

/// A lock control or memory control TLV's value: where reserved bytes lie (T2T 1.2, 4.3.2).
public struct ReservedAreaControl: Hashable, Sendable, ByteCodable {
  /// The page address, upper half of the first byte.
  public var pageAddress: UInt8
  /// The offset in bytes, lower half of the first byte.
  public var byteOffset: UInt8
  /// The size: bits for lock control, bytes for memory control; 0 as sent means 256.
  public var size: Int
  /// The exponent of the bytes a page.
  public var bytesPerPageExponent: UInt8
  /// The exponent of the bytes one lock bit locks; unused for memory control.
  public var bytesLockedExponent: UInt8

  /// Decodes the three bytes.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "control TLV")
    let position = try cursor.byte()
    let sent = try cursor.byte()
    let page = try cursor.byte()
    try cursor.end()
    pageAddress = position >> 4
    byteOffset = position & 0x0F
    size = sent == 0 ? 256 : Int(sent)
    bytesPerPageExponent = page & 0x0F
    bytesLockedExponent = page >> 4
  }

  /// Appends the three bytes.
  public func encode(into output: inout [UInt8]) {
    output += [
      pageAddress << 4 | byteOffset & 0x0F, UInt8(truncatingIfNeeded: size),
      bytesLockedExponent << 4 | bytesPerPageExponent & 0x0F,
    ]
  }

  /// The first reserved byte, counted from the start of the memory.
  public var firstByte: Int {
    Int(pageAddress) << Int(bytesPerPageExponent) + Int(byteOffset)
  }
}
