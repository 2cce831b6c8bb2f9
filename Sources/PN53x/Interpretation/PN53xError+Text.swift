import NFCProtocols

extension PN53xError {
  /// The fault in words, without a full stop.
  public var message: String {
    switch self {
    case .bodyTooLong(let length, let maximum):
      "body of \(length) bytes, at most \(maximum)"
    case .emptyBody: "empty body"
    case .truncated(let offset, let expected):
      "ends at byte \(offset), \(expected.rawValue) expected"
    case .unexpectedValue(let offset, let found, let expected):
      "\(Hexadecimal.pairs([found])) at byte \(offset) is no \(expected.rawValue)"
    case .trailingBytes(let offset, let count):
      "\(count) bytes too many from byte \(offset) on"
    case .responseMismatch(let command, let response):
      "response \(Hexadecimal.pairs([response])) to command \(Hexadecimal.pairs([command]))"
    case .parameterOutOfRange(let field, let value, let allowed):
      "\(field.rawValue) is \(value), allowed \(allowed.lowerBound) to \(allowed.upperBound)"
    }
  }
}
