/// Why bytes are not what a protocol of NFC asks for, and at which byte.
///
/// Offsets count from 0 at the first byte that was given to the decoder.
public enum ProtocolError: Error, Hashable, Sendable {
  /// The bytes end before the element does: it needs `needed` bytes more than there are.
  case truncated(element: String, offset: Int, missing: Int)
  /// Bytes follow after the end of the element.
  case trailingBytes(element: String, offset: Int, count: Int)
  /// A length or a count is outside of what the standard allows here.
  case badLength(element: String, offset: Int, found: Int, expected: ClosedRange<Int>)
  /// A byte has a value that the standard does not allow here.
  case badValue(element: String, offset: Int, found: UInt8, expected: String)
  /// A checksum inside the element does not fit.
  case badChecksum(element: String, offset: Int, found: UInt16, expected: UInt16)

  /// The offset of the first byte that is wrong, or where the missing byte should be.
  public var offset: Int {
    switch self {
    case .truncated(_, let offset, _), .trailingBytes(_, let offset, _),
      .badLength(_, let offset, _, _), .badValue(_, let offset, _, _),
      .badChecksum(_, let offset, _, _):
      offset
    }
  }

  /// What was being decoded, in the words of its standard.
  public var element: String {
    switch self {
    case .truncated(let element, _, _), .trailingBytes(let element, _, _),
      .badLength(let element, _, _, _), .badValue(let element, _, _, _),
      .badChecksum(let element, _, _, _):
      element
    }
  }

  /// The fault as one line of text without a full stop.
  public var message: String {
    switch self {
    case .truncated(let element, let offset, let missing):
      "\(element): ends at byte \(offset), \(missing) more expected"
    case .trailingBytes(let element, let offset, let count):
      "\(element): \(count) bytes too many from byte \(offset) on"
    case .badLength(let element, let offset, let found, let expected):
      "\(element): length \(found) at byte \(offset), expected "
        + (expected.lowerBound == expected.upperBound
          ? "\(expected.lowerBound)" : "\(expected.lowerBound) to \(expected.upperBound)")
    case .badValue(let element, let offset, let found, let expected):
      "\(element): \(Hexadecimal.pairs([found])) at byte \(offset), expected \(expected)"
    case .badChecksum(let element, let offset, let found, let expected):
      "\(element): checksum \(Self.hexadecimal(found)) at byte \(offset), expected "
        + Self.hexadecimal(expected)
    }
  }

  /// The same fault, seen from bytes that begin `count` bytes earlier.
  func moved(by count: Int) -> ProtocolError {
    switch self {
    case .truncated(let element, let offset, let missing):
      .truncated(element: element, offset: offset + count, missing: missing)
    case .trailingBytes(let element, let offset, let surplus):
      .trailingBytes(element: element, offset: offset + count, count: surplus)
    case .badLength(let element, let offset, let found, let expected):
      .badLength(element: element, offset: offset + count, found: found, expected: expected)
    case .badValue(let element, let offset, let found, let expected):
      .badValue(element: element, offset: offset + count, found: found, expected: expected)
    case .badChecksum(let element, let offset, let found, let expected):
      .badChecksum(element: element, offset: offset + count, found: found, expected: expected)
    }
  }

  private static func hexadecimal(_ value: UInt16) -> String {
    var text = TextBuffer(capacity: 4)
    text.append(hex: UInt8(truncatingIfNeeded: value >> 8))
    text.append(hex: UInt8(truncatingIfNeeded: value))
    return text.string
  }
}
