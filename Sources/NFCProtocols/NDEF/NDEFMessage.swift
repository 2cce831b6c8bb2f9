/// An NDEF message: one or more records (NFC Forum NDEF 1.0).
///
/// Encoding chooses the shortest form of each record; a chunked or long-winded message is the same
/// message after decoding, but not the same bytes after encoding.
public struct NDEFMessage: Hashable, Sendable, ByteCodable {
  /// The records, never empty in a message that was decoded.
  public var records: [NDEFRecord]

  /// The longest message that tags can hold: three-byte length of Type 3 and Type 5 areas.
  public static let maximumLength = 0xFF_FFFF

  /// Makes a message.
  public init(_ records: [NDEFRecord]) {
    precondition(!records.isEmpty, "an NDEF message has at least one record")
    self.records = records
  }

  /// Decodes a message that takes all of `bytes`.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "NDEF message")
    records = []
    var open: NDEFRecord?
    var isFirst = true
    while true {
      let offset = cursor.offset
      let piece = try NDEFPiece(&cursor)
      guard piece.isBegin == isFirst else {
        throw .badValue(
          element: "NDEF message", offset: offset, found: piece.flags,
          expected: isFirst ? "message begin flag" : "no second message begin flag")
      }
      isFirst = false
      try piece.check(insideChunks: open != nil, at: offset)
      if var record = open {
        record.payload += piece.payload
        open = record
      } else {
        open = NDEFRecord(
          piece.format, type: piece.type, identifier: piece.identifier,
          payload: Array(piece.payload))
      }
      if !piece.isChunk, let record = open {
        records.append(record)
        open = nil
      }
      if piece.isEnd {
        guard open == nil else {
          throw .badValue(
            element: "NDEF message", offset: offset, found: piece.flags,
            expected: "no message end flag on a chunk that others follow")
        }
        break
      }
    }
    try cursor.end()
  }

  /// Appends the message in its shortest form.
  public func encode(into output: inout [UInt8]) { encode(into: &output, chunkedBy: nil) }

  /// The message with payloads over `size` bytes cut in chunks of that size.
  public func bytes(chunkedBy size: Int) -> [UInt8] {
    precondition(size > 0, "a chunk has at least one byte")
    var output: [UInt8] = []
    encode(into: &output, chunkedBy: size)
    return output
  }

  private func encode(into output: inout [UInt8], chunkedBy size: Int?) {
    for (index, record) in records.enumerated() {
      let isFirst = index == 0
      let isLast = index == records.count - 1
      guard let size, record.payload.count > size else {
        NDEFPiece(
          record, payload: record.payload[...], isBegin: isFirst, isEnd: isLast, isChunk: false
        ).encode(into: &output)
        continue
      }
      var start = 0
      while start < record.payload.count {
        let end = min(start + size, record.payload.count)
        var piece = NDEFPiece(
          record, payload: record.payload[start..<end], isBegin: isFirst && start == 0,
          isEnd: isLast && end == record.payload.count, isChunk: end < record.payload.count)
        if start > 0 { piece.continueChunks() }
        piece.encode(into: &output)
        start = end
      }
    }
  }
}

/// A record or a chunk of one as it stands in a message.
struct NDEFPiece {
  var format: NDEFRecord.TypeNameFormat
  var type: [UInt8]
  var identifier: [UInt8]?
  var payload: ArraySlice<UInt8>
  var isBegin: Bool
  var isEnd: Bool
  var isChunk: Bool
  private(set) var flags: UInt8 = 0

  init(
    _ record: NDEFRecord, payload: ArraySlice<UInt8>, isBegin: Bool, isEnd: Bool, isChunk: Bool
  ) {
    format = record.format
    type = record.type
    identifier = record.identifier
    self.payload = payload
    self.isBegin = isBegin
    self.isEnd = isEnd
    self.isChunk = isChunk
  }

  mutating func continueChunks() {
    format = .unchanged
    type = []
    identifier = nil
  }

  init(_ cursor: inout ByteCursor) throws(ProtocolError) {
    flags = try cursor.byte()
    isBegin = flags & NDEFRecordFlags.messageBegin != 0
    isEnd = flags & NDEFRecordFlags.messageEnd != 0
    isChunk = flags & NDEFRecordFlags.chunk != 0
    format = NDEFRecord.TypeNameFormat(rawValue: flags & 0x07) ?? .reserved
    let typeLength = Int(try cursor.byte())
    let payloadLength: Int
    if flags & NDEFRecordFlags.shortRecord != 0 {
      payloadLength = Int(try cursor.byte())
    } else {
      payloadLength = Int(try cursor.bigEndian32())
    }
    var identifierLength: Int?
    if flags & NDEFRecordFlags.identifierLength != 0 { identifierLength = Int(try cursor.byte()) }
    type = try cursor.array(typeLength)
    if let identifierLength { identifier = try cursor.array(identifierLength) }
    payload = try cursor.take(payloadLength)
  }

  /// The rules on type name formats and chunks (NDEF 1.0, 2.4.1 and 3.2.6).
  func check(insideChunks: Bool, at offset: Int) throws(ProtocolError) {
    let expected: String
    if insideChunks {
      guard format != .unchanged || !type.isEmpty || identifier != nil else { return }
      expected = "a further chunk without type and identifier"
    } else {
      switch format {
      case .unchanged:
        expected = "a first chunk before further ones"
      case .empty:
        if type.isEmpty, identifier ?? [] == [], payload.isEmpty, !isChunk { return }
        expected = "no fields in an empty record"
      case .unknown, .reserved:
        if type.isEmpty { return }
        expected = "no type in a record of unknown type"
      case .wellKnown, .media, .absoluteURI, .external:
        if !type.isEmpty { return }
        expected = "a type in a record of this format"
      }
    }
    throw .badValue(element: "NDEF record", offset: offset, found: flags, expected: expected)
  }

  func encode(into output: inout [UInt8]) {
    let isShort = payload.count <= 255
    output.append(
      format.rawValue | (isBegin ? NDEFRecordFlags.messageBegin : 0)
        | (isEnd ? NDEFRecordFlags.messageEnd : 0) | (isChunk ? NDEFRecordFlags.chunk : 0)
        | (isShort ? NDEFRecordFlags.shortRecord : 0)
        | (identifier == nil ? 0 : NDEFRecordFlags.identifierLength))
    output.append(UInt8(truncatingIfNeeded: type.count))
    if isShort {
      output.append(UInt8(truncatingIfNeeded: payload.count))
    } else {
      output.append(bigEndian: UInt32(truncatingIfNeeded: payload.count))
    }
    if let identifier { output.append(UInt8(truncatingIfNeeded: identifier.count)) }
    output += type
    if let identifier { output += identifier }
    output += payload
  }
}
