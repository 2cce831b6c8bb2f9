/// Why bytes are no PN53x message, or why a message cannot be put into bytes.
public enum PN53xError: Error, Hashable, Sendable {
  /// The body of a frame is longer than the chip allows.
  case bodyTooLong(length: Int, maximum: Int)
  /// A frame must have a body of at least the TFI.
  case emptyBody
  /// A byte string ends before the field that stands at `offset`.
  case truncated(offset: Int, expected: ExpectedField)
  /// A byte has a value that its field cannot have.
  case unexpectedValue(offset: Int, found: UInt8, expected: ExpectedField)
  /// Bytes are left over after the last field, from `offset` on.
  case trailingBytes(offset: Int, count: Int)
  /// The response does not belong to the command it was read for.
  case responseMismatch(command: UInt8, response: UInt8)
  /// A parameter is outside the range that its command allows.
  case parameterOutOfRange(ExpectedField, value: Int, allowed: ClosedRange<Int>)

  /// What a decoder was looking for.
  public enum ExpectedField: String, Hashable, Sendable {
    /// The frame identifier D4, D5 or 7F.
    case frameIdentifier = "frame identifier (TFI)"
    /// The command or response code.
    case code = "command code"
    /// A fixed number of parameter bytes.
    case parameters = "parameters"
    /// The number of a target.
    case targetNumber = "target number"
    /// The number of targets.
    case targetCount = "number of targets"
    /// The data of a target.
    case targetData = "target data"
    /// A status byte.
    case status = "status"
    /// A register address.
    case registerAddress = "register address"
    /// A register value.
    case registerValue = "register value"
    /// A length byte and the bytes it counts.
    case length = "length"
    /// A modulation and speed.
    case modulation = "modulation and speed (BrTy)"
    /// The header of a CCID message.
    case ccidHeader = "CCID header"
    /// A general purpose bytes field.
    case generalBytes = "general bytes"
  }
}
