/// What a record of a common type says.
public enum NDEFContent: Hashable, Sendable {
  /// The empty record.
  case empty
  /// A text (`T`).
  case text(NDEFText)
  /// A URI (`U`, or a record whose type itself is an absolute URI).
  case uri(String)
  /// A smart poster (`Sp`).
  case smartPoster(SmartPoster)
  /// A media type and its content.
  case media(type: String, [UInt8])
  /// The package name of an Android Application Record.
  case androidApplication(String)
  /// An external type and its content.
  case external(type: String, [UInt8])
  /// Another well-known type and its content.
  case wellKnown(type: String, [UInt8])
  /// Bytes whose type is not told.
  case unknown([UInt8])
}

/// A text with its language, NFC Forum RTD Text 1.0.
public struct NDEFText: Hashable, Sendable {
  /// The text.
  public var text: String
  /// The language code of RFC 3066, up to 63 characters.
  public var language: String
  /// True if the text is sent as UTF-16, big-endian.
  public var isUTF16: Bool

  /// Makes a text.
  public init(_ text: String, language: String = "en", isUTF16: Bool = false) {
    precondition(language.utf8.count <= 63, "a language code has up to 63 characters")
    self.text = text
    self.language = language
    self.isUTF16 = isUTF16
  }

  init(payload: [UInt8]) throws(ProtocolError) {
    var cursor = ByteCursor(payload[...], "text record")
    let status = try cursor.byte()
    isUTF16 = status & 0x80 != 0
    language = String(decoding: try cursor.take(Int(status & 0x3F)), as: UTF8.self)
    if isUTF16 {
      var units: [UInt16] = []
      while !cursor.isAtEnd { units.append(try cursor.bigEndian16()) }
      // A byte order mark may stand in front; without one the order is big-endian (3.4).
      if units.first == 0xFFFE { units = units.map(\.byteSwapped) }
      if units.first == 0xFEFF { units.removeFirst() }
      text = String(decoding: units, as: UTF16.self)
    } else {
      text = String(decoding: cursor.rest(), as: UTF8.self)
    }
  }

  var payload: [UInt8] {
    var output = [UInt8(truncatingIfNeeded: language.utf8.count) | (isUTF16 ? 0x80 : 0)]
    output += language.utf8
    if isUTF16 {
      for unit in text.utf16 { output.append(bigEndian: unit) }
    } else {
      output += text.utf8
    }
    return output
  }
}

/// URI abbreviations, NFC Forum RTD URI 1.0 Table 3.
public enum NDEFURI {
  /// The prefixes of the codes 00 to 23.
  public static let prefixes = [
    "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:",
    "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://",
    "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:",
    "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://",
    "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
  ]

  /// The URI of a payload; a reserved code counts as no prefix, as the document asks.
  static func decode(_ payload: [UInt8]) throws(ProtocolError) -> String {
    var cursor = ByteCursor(payload[...], "URI record")
    let code = Int(try cursor.byte())
    let prefix = code < prefixes.count ? prefixes[code] : ""
    return prefix + String(decoding: cursor.rest(), as: UTF8.self)
  }

  /// The payload of a URI with the longest prefix that fits.
  static func encode(_ uri: String) -> [UInt8] {
    var best = 0
    for (code, prefix) in prefixes.enumerated()
    where prefix.utf8.count > prefixes[best].utf8.count && uri.utf8.starts(with: prefix.utf8) {
      best = code
    }
    return [UInt8(best)] + uri.utf8.dropFirst(prefixes[best].utf8.count)
  }
}

/// A smart poster, NFC Forum RTD Smart Poster 1.1.
public struct SmartPoster: Hashable, Sendable {
  /// The URI.
  public var uri: String
  /// Titles, one a language.
  public var titles: [NDEFText]
  /// What to do: 0 do it, 1 save it, 2 open it for editing; `nil` if not told.
  public var action: UInt8?
  /// The size of what the URI points at in bytes, if told.
  public var size: UInt32?
  /// The media type of what the URI points at, if told.
  public var mediaType: String?
  /// Icons and records of other types.
  public var others: [NDEFRecord]

  /// Makes a smart poster.
  public init(
    uri: String, titles: [NDEFText] = [], action: UInt8? = nil, size: UInt32? = nil,
    mediaType: String? = nil, others: [NDEFRecord] = []
  ) {
    self.uri = uri
    self.titles = titles
    self.action = action
    self.size = size
    self.mediaType = mediaType
    self.others = others
  }

  init(payload: [UInt8]) throws(ProtocolError) {
    var found: String?
    titles = []
    others = []
    for record in try NDEFMessage(payload).records {
      guard record.format == .wellKnown else {
        others.append(record)
        continue
      }
      switch String(decoding: record.type, as: UTF8.self) {
      case "U" where found == nil:
        found = try NDEFURI.decode(record.payload)
      case "T":
        titles.append(try NDEFText(payload: record.payload))
      case "act" where record.payload.count == 1:
        action = record.payload[0]
      case "s" where record.payload.count == 4:
        var cursor = ByteCursor(record.payload[...], "smart poster size")
        size = try cursor.bigEndian32()
      case "t":
        mediaType = String(decoding: record.payload, as: UTF8.self)
      default:
        others.append(record)
      }
    }
    guard let found else {
      throw .truncated(element: "smart poster URI", offset: payload.count, missing: 1)
    }
    uri = found
  }

  var payload: [UInt8] {
    var records: [NDEFRecord] = [.uri(uri)]
    records += titles.map { .text($0) }
    if let action {
      records.append(NDEFRecord(.wellKnown, type: Array("act".utf8), payload: [action]))
    }
    if let size {
      var field: [UInt8] = []
      field.append(bigEndian: size)
      records.append(NDEFRecord(.wellKnown, type: Array("s".utf8), payload: field))
    }
    if let mediaType {
      records.append(
        NDEFRecord(.wellKnown, type: Array("t".utf8), payload: Array(mediaType.utf8)))
    }
    return NDEFMessage(records + others).bytes
  }
}

extension NDEFRecord {
  /// The external type of an Android Application Record.
  public static let androidApplicationType = "android.com:pkg"

  /// A text record.
  public static func text(_ text: NDEFText) -> NDEFRecord {
    NDEFRecord(.wellKnown, type: Array("T".utf8), payload: text.payload)
  }

  /// A URI record, abbreviated where the table allows.
  public static func uri(_ uri: String) -> NDEFRecord {
    NDEFRecord(.wellKnown, type: Array("U".utf8), payload: NDEFURI.encode(uri))
  }

  /// A smart poster.
  public static func smartPoster(_ poster: SmartPoster) -> NDEFRecord {
    NDEFRecord(.wellKnown, type: Array("Sp".utf8), payload: poster.payload)
  }

  /// A record of a media type.
  public static func media(_ type: String, _ payload: [UInt8]) -> NDEFRecord {
    NDEFRecord(.media, type: Array(type.utf8), payload: payload)
  }

  /// An Android Application Record, which names the app that should open the message.
  public static func androidApplication(_ package: String) -> NDEFRecord {
    NDEFRecord(
      .external, type: Array(androidApplicationType.utf8), payload: Array(package.utf8))
  }

  /// What the record says, if it is of a type that is known here.
  /// - Throws: `ProtocolError`, offsets counted from the start of the payload.
  public func content() throws(ProtocolError) -> NDEFContent {
    let name = String(decoding: type, as: UTF8.self)
    switch format {
    case .empty:
      return .empty
    case .wellKnown:
      switch name {
      case "T": return .text(try NDEFText(payload: payload))
      case "U": return .uri(try NDEFURI.decode(payload))
      case "Sp": return .smartPoster(try SmartPoster(payload: payload))
      default: return .wellKnown(type: name, payload)
      }
    case .media:
      return .media(type: name, payload)
    case .absoluteURI:
      return .uri(name)
    case .external:
      if name == Self.androidApplicationType {
        return .androidApplication(String(decoding: payload, as: UTF8.self))
      }
      return .external(type: name, payload)
    case .unknown, .unchanged, .reserved:
      return .unknown(payload)
    }
  }
}
