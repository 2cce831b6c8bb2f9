import NFCProtocols

/// The rules on lengths of APDUs.
///
/// Not all that travels in I-blocks is an APDU: DESFire and MIFARE Plus have commands of their own.
/// So only classes that such commands do not use are looked at.
struct APDULint {
  private var command: CommandAPDU?

  /// ISO/IEC 7816-4 5.1, command and response pairs.
  private static let source = "7816-4, 5.1"

  mutating func reset() { command = nil }

  mutating func check(_ direction: Direction, _ bytes: ArraySlice<UInt8>) -> LintFault? {
    direction == .outbound ? checkCommand(bytes) : checkResponse(bytes)
  }

  private mutating func checkCommand(_ bytes: ArraySlice<UInt8>) -> LintFault? {
    command = nil
    guard bytes.count >= 4, let first = bytes.first, Self.isClass(first) else { return nil }
    do throws(ProtocolError) {
      command = try CommandAPDU(bytes)
      return nil
    } catch {
      return LintFault(.apduLength, Self.text(error), Self.source)
    }
  }

  private mutating func checkResponse(_ bytes: ArraySlice<UInt8>) -> LintFault? {
    defer { command = nil }
    guard let limit = command?.expectedLength, bytes.count > limit + 2 else { return nil }
    return LintFault(
      .apduLength, "answer has \(bytes.count - 2) bytes, Le asks for at most \(limit)", Self.source)
  }

  /// Classes of the first interindustry range without secure messaging, the proprietary range of
  /// EMV and GlobalPlatform, and 90 of wrapped DESFire commands.
  private static func isClass(_ byte: UInt8) -> Bool {
    byte <= 0x04 || (0x80...0x8F).contains(byte) || byte == 0x90
  }

  private static func text(_ error: ProtocolError) -> String {
    switch error {
    case .trailingBytes(_, let offset, let count):
      "command APDU has \(count) \(count == 1 ? "byte" : "bytes") behind Le, from byte \(offset) on"
    case .truncated(_, let offset, let missing):
      "command APDU ends at byte \(offset), its lengths promise \(missing) more"
    case .badLength, .badValue, .badChecksum:
      error.message
    }
  }
}
