/// One record of an NDEF message (NFC Forum NDEF 1.0, section 3), its chunks joined.
public struct NDEFRecord: Hashable, Sendable {
  /// What `type` is a name of.
  public var format: TypeNameFormat
  /// The type; empty for the formats that have none.
  public var type: [UInt8]
  /// The identifier, or `nil` if the record has no identifier field.
  public var identifier: [UInt8]?
  /// The payload.
  public var payload: [UInt8]

  /// The type name formats (Table 1).
  public enum TypeNameFormat: UInt8, Hashable, Sendable, CaseIterable {
    /// No type, no identifier, no payload.
    case empty = 0
    /// A type of the NFC Forum (`T`, `U`, `Sp` …).
    case wellKnown = 1
    /// A media type of RFC 2046.
    case media = 2
    /// An absolute URI of RFC 3986.
    case absoluteURI = 3
    /// A type of somebody else (`domain:name`).
    case external = 4
    /// No type is told.
    case unknown = 5
    /// A further chunk; only between a first chunk and its last.
    case unchanged = 6
    /// Reserved; treated as unknown.
    case reserved = 7
  }

  /// The longest type and the longest identifier (one byte length).
  public static let maximumNameLength = 255

  /// Makes a record.
  public init(
    _ format: TypeNameFormat, type: [UInt8] = [], identifier: [UInt8]? = nil,
    payload: [UInt8] = []
  ) {
    precondition(type.count <= Self.maximumNameLength, "a type has up to 255 bytes")
    precondition((identifier?.count ?? 0) <= Self.maximumNameLength, "an ID has up to 255 bytes")
    precondition(payload.count <= Int(UInt32.max), "a payload has up to 2^32 - 1 bytes")
    precondition(format != .unchanged, "a whole record is not the middle of a chunked one")
    precondition(
      format != .empty || (type.isEmpty && (identifier ?? []).isEmpty && payload.isEmpty),
      "an empty record has no fields")
    self.format = format
    self.type = type
    self.identifier = identifier
    self.payload = payload
  }

  /// The empty record.
  public static let empty = NDEFRecord(.empty)
}

/// The flags in the first byte of a record or chunk (NDEF 1.0, 3.2).
struct NDEFRecordFlags {
  static let messageBegin: UInt8 = 0x80
  static let messageEnd: UInt8 = 0x40
  static let chunk: UInt8 = 0x20
  static let shortRecord: UInt8 = 0x10
  static let identifierLength: UInt8 = 0x08
}
