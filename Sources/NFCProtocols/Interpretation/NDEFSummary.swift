/// Puts an NDEF message into words, for timelines.
public enum NDEFSummary {
  /// The most records that are put into words.
  public static let maximumRecords = 8
  /// The most bytes of a text or an address that are shown.
  public static let maximumShown = 80

  /// True if bytes begin like the first record of a message: MB set, a known type format.
  static func looksLikeMessage(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let header = bytes.first else { return false }
    return header & 0x80 != 0 && header & 0x07 != 0x07
  }

  /// Appends the records of a message, for example `NDEF Text en "hello"`.
  public static func write(_ message: [UInt8], to text: inout TextBuffer) {
    text.append("NDEF")
    var place = 0
    var count = 0
    while place < message.count, count < maximumRecords {
      guard let record = Record(message, at: place) else {
        text.append("  record does not fit")
        return
      }
      text.append(count == 0 ? " " : "  + ")
      record.write(message, to: &text)
      place = record.end
      count += 1
      if record.isLast { break }
    }
    if place < message.count {
      text.append("  + ")
      text.append(decimal: Int64(message.count - place))
      text.append(" bytes")
    }
  }

  /// The places of the parts of one record (NFC Forum NDEF 1.0, 3.2).
  private struct Record {
    var typeFormat: UInt8
    var isLast: Bool
    var type: Range<Int>
    var payload: Range<Int>
    var end: Int { payload.upperBound }

    init?(_ bytes: [UInt8], at start: Int) {
      guard start + 3 <= bytes.count else { return nil }
      let header = bytes[start]
      typeFormat = header & 0x07
      isLast = header & 0x40 != 0
      let typeLength = Int(bytes[start + 1])
      var place = start + 2
      var payloadLength = Int(bytes[place])
      place += 1
      if header & 0x10 == 0 {
        guard place + 3 <= bytes.count else { return nil }
        for _ in 0..<3 {
          payloadLength = payloadLength << 8 | Int(bytes[place])
          place += 1
        }
      }
      var identifierLength = 0
      if header & 0x08 != 0 {
        guard place < bytes.count else { return nil }
        identifierLength = Int(bytes[place])
        place += 1
      }
      guard payloadLength <= bytes.count,
        place + typeLength + identifierLength + payloadLength <= bytes.count
      else { return nil }
      type = place..<(place + typeLength)
      let payloadStart = type.upperBound + identifierLength
      payload = payloadStart..<(payloadStart + payloadLength)
    }

    func write(_ bytes: [UInt8], to text: inout TextBuffer) {
      switch typeFormat {
      case 0: text.append("Empty")
      case 1 where type.count == 1 && bytes[type.lowerBound] == 0x54:
        writeText(bytes, to: &text)
      case 1 where type.count == 1 && bytes[type.lowerBound] == 0x55:
        writeAddress(bytes, to: &text)
      case 1 where bytes[type] == [0x53, 0x70]:
        text.append("Smart poster, ")
        text.append(decimal: Int64(payload.count))
        text.append(" bytes")
      default:
        text.append(printable: bytes[type], limit: NDEFSummary.maximumShown)
        text.append(", ")
        text.append(decimal: Int64(payload.count))
        text.append(" bytes")
      }
    }

    private func writeText(_ bytes: [UInt8], to text: inout TextBuffer) {
      text.append("Text ")
      guard let status = bytes[payload].first else { return }
      let language = Int(status & 0x3F)
      guard language < payload.count else { return }
      let start = payload.lowerBound + 1
      text.append(printable: bytes[start..<(start + language)], limit: 63)
      text.append(" \"")
      if status & 0x80 != 0 {
        text.append("UTF-16, ")
        text.append(decimal: Int64(payload.count - 1 - language))
        text.append(" bytes")
      } else {
        text.append(
          printable: bytes[(start + language)..<payload.upperBound],
          limit: NDEFSummary.maximumShown)
      }
      text.append("\"")
    }

    private func writeAddress(_ bytes: [UInt8], to text: inout TextBuffer) {
      text.append("URI ")
      guard let code = bytes[payload].first else { return }
      text.append(NDEFSummary.prefix(code))
      text.append(printable: bytes[payload].dropFirst(), limit: NDEFSummary.maximumShown)
    }
  }

  /// The abbreviations of NFC Forum RTD URI 1.0, table 3.
  private static func prefix(_ code: UInt8) -> StaticString {
    switch code {
    case 0x01: "http://www."
    case 0x02: "https://www."
    case 0x03: "http://"
    case 0x04: "https://"
    case 0x05: "tel:"
    case 0x06: "mailto:"
    case 0x07: "ftp://anonymous:anonymous@"
    case 0x08: "ftp://ftp."
    case 0x09: "ftps://"
    case 0x0A: "sftp://"
    case 0x0D: "ftp://"
    case 0x13: "urn:"
    case 0x1D: "file://"
    case 0x1E: "urn:epc:id:"
    case 0x23: "urn:nfc:"
    default: ""
    }
  }
}

extension TextBuffer {
  /// Appends text that came from a card: what is not UTF-8 is repaired, control characters become
  /// blanks, and `…` stands for what is too long.
  mutating func append(printable content: ArraySlice<UInt8>, limit: Int) {
    for scalar in String(decoding: content.prefix(limit), as: UTF8.self).unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      append(isControl ? " " : String(scalar))
    }
    if content.count > limit { append("…") }
  }
}
