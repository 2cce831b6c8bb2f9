/// The capability container file of a Type 4 tag (NFC Forum T4T 2.0 and 3.0, 5.1).
public struct Type4CapabilityFile: Hashable, Sendable, ByteCodable {
  /// The mapping version, major in the upper half byte.
  public var version: UInt8
  /// MLe: the most bytes that one READ BINARY may ask for.
  public var maximumResponseData: UInt16
  /// MLc: the most bytes that one command may carry.
  public var maximumCommandData: UInt16
  /// The files that the container names, the NDEF file first.
  public var files: [FileControl]
  /// Bytes behind the last known TLV, kept as they are.
  public var others: [UInt8]

  /// The identifier of the file itself.
  public static let fileIdentifier: UInt16 = 0xE103
  /// The application that the tag is selected by.
  public static let applicationIdentifier: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  /// The shortest container: CCLEN, version, MLe, MLc and one file control TLV.
  public static let minimumLength = 15

  /// What the container says of one file.
  public struct FileControl: Hashable, Sendable {
    /// What the file holds.
    public var kind: Kind
    /// The file identifier.
    public var identifier: UInt16
    /// The size of the file, length field included.
    public var maximumSize: Int
    /// 00 free; anything else is somebody's own rule.
    public var readAccess: UInt8
    /// 00 free, FF none; anything else is somebody's own rule.
    public var writeAccess: UInt8

    /// Tags of file control TLVs.
    public enum Kind: UInt8, Hashable, Sendable {
      /// NDEF file of up to 65,535 bytes.
      case ndef = 0x04
      /// Proprietary file.
      case proprietary = 0x05
      /// NDEF file with a four-byte size, mapping version 3.
      case extendedNDEF = 0x06
    }

    /// Makes an entry.
    public init(
      _ kind: Kind = .ndef, identifier: UInt16, maximumSize: Int, readAccess: UInt8 = 0x00,
      writeAccess: UInt8 = 0x00
    ) {
      self.kind = kind
      self.identifier = identifier
      self.maximumSize = maximumSize
      self.readAccess = readAccess
      self.writeAccess = writeAccess
    }

    init?(tag: UInt8, _ value: [UInt8], at offset: Int) throws(ProtocolError) {
      guard let kind = Kind(rawValue: tag) else { return nil }
      let expected = kind == .extendedNDEF ? 8 : 6
      guard value.count == expected else {
        throw .badLength(
          element: "CC file", offset: offset + 1, found: value.count, expected: expected...expected)
      }
      var cursor = ByteCursor(value[...], "CC file")
      self.kind = kind
      identifier = try cursor.bigEndian16()
      maximumSize =
        kind == .extendedNDEF ? Int(try cursor.bigEndian32()) : Int(try cursor.bigEndian16())
      readAccess = try cursor.byte()
      writeAccess = try cursor.byte()
    }

    func encode(into output: inout [UInt8]) {
      output += [kind.rawValue, kind == .extendedNDEF ? 8 : 6]
      output.append(bigEndian: identifier)
      if kind == .extendedNDEF {
        output.append(bigEndian: UInt32(truncatingIfNeeded: maximumSize))
      } else {
        output.append(bigEndian: UInt16(truncatingIfNeeded: maximumSize))
      }
      output += [readAccess, writeAccess]
    }
  }

  /// Makes a container.
  public init(
    version: UInt8 = 0x20, maximumResponseData: UInt16 = 0x00FF,
    maximumCommandData: UInt16 = 0x00FF, files: [FileControl]
  ) {
    self.version = version
    self.maximumResponseData = maximumResponseData
    self.maximumCommandData = maximumCommandData
    self.files = files
    others = []
  }

  /// Decodes the file; bytes behind the length that CCLEN tells must not be given.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "CC file")
    let length = Int(try cursor.bigEndian16())
    guard length >= Self.minimumLength else {
      throw .badLength(
        element: "CC file", offset: 0, found: length, expected: Self.minimumLength...0xFFFE)
    }
    guard length == bytes.count else {
      if length > bytes.count {
        throw .truncated(element: "CC file", offset: bytes.count, missing: length - bytes.count)
      }
      throw .trailingBytes(element: "CC file", offset: length, count: bytes.count - length)
    }
    version = try cursor.byte()
    maximumResponseData = try cursor.bigEndian16()
    maximumCommandData = try cursor.bigEndian16()
    files = []
    others = []
    while !cursor.isAtEnd {
      let offset = cursor.offset
      let tag = try cursor.byte()
      let count = Int(try cursor.byte())
      let value = try cursor.array(count)
      if let file = try FileControl(tag: tag, value, at: offset) {
        files.append(file)
      } else {
        others += [tag, UInt8(truncatingIfNeeded: count)] + value
      }
    }
  }

  /// Appends the file.
  public func encode(into output: inout [UInt8]) {
    let start = output.count
    output += [0, 0, version]
    output.append(bigEndian: maximumResponseData)
    output.append(bigEndian: maximumCommandData)
    for file in files { file.encode(into: &output) }
    output += others
    let length = UInt16(truncatingIfNeeded: output.count - start)
    output[start] = UInt8(length >> 8)
    output[start + 1] = UInt8(length & 0xFF)
  }

  /// The file that holds the NDEF message.
  public var ndefFile: FileControl? { files.first { $0.kind != .proprietary } }
}
