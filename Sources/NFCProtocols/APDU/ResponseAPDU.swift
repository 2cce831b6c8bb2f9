/// A response APDU, ISO/IEC 7816-4 5.1: data and status word.
public struct ResponseAPDU: Hashable, Sendable, ByteCodable {
  /// The response data field.
  public var data: [UInt8]
  /// SW1 and SW2.
  public var status: StatusWord

  /// Makes a response.
  public init(data: [UInt8] = [], status: StatusWord = .success) {
    self.data = data
    self.status = status
  }

  /// Decodes a response of at least two bytes.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    guard bytes.count >= 2 else {
      throw .truncated(
        element: "response APDU", offset: bytes.count, missing: 2 - bytes.count)
    }
    data = Array(bytes.dropLast(2))
    let end = bytes.endIndex
    status = StatusWord(UInt16(bytes[end - 2]) << 8 | UInt16(bytes[end - 1]))
  }

  /// Appends data and status word.
  public func encode(into output: inout [UInt8]) {
    output += data
    output.append(bigEndian: status.rawValue)
  }
}

/// The two status bytes at the end of a response APDU.
public struct StatusWord: Hashable, Sendable {
  /// SW1 in the upper byte, SW2 in the lower.
  public var rawValue: UInt16

  /// Makes a status word.
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  /// The first status byte.
  public var sw1: UInt8 { UInt8(rawValue >> 8) }
  /// The second status byte.
  public var sw2: UInt8 { UInt8(rawValue & 0xFF) }

  /// 9000: no error.
  public static let success = StatusWord(0x9000)
  /// 6700: wrong length.
  public static let wrongLength = StatusWord(0x6700)
  /// 6982: security status not satisfied.
  public static let securityStatusNotSatisfied = StatusWord(0x6982)
  /// 6985: conditions of use not satisfied.
  public static let conditionsNotSatisfied = StatusWord(0x6985)
  /// 6A82: file or application not found.
  public static let notFound = StatusWord(0x6A82)
  /// 6A86: wrong P1 or P2.
  public static let wrongParameters = StatusWord(0x6A86)
  /// 6B00: offset outside of the file.
  public static let wrongOffset = StatusWord(0x6B00)
  /// 6D00: instruction not supported.
  public static let instructionNotSupported = StatusWord(0x6D00)
  /// 6E00: class not supported.
  public static let classNotSupported = StatusWord(0x6E00)

  /// True for 9000, 61xx, and 9100 and 91AF of wrapped DESFire commands.
  public var isSuccess: Bool {
    rawValue == 0x9000 || sw1 == 0x61 || rawValue == 0x9100 || rawValue == 0x91AF
  }

  /// The number of bytes that GET RESPONSE can fetch (61xx; 00 counts as 256), or `nil`.
  public var remainingBytes: Int? {
    guard sw1 == 0x61 else { return nil }
    return sw2 == 0 ? 256 : Int(sw2)
  }

  /// The Le that the card wants to see instead (6Cxx; 00 counts as 256), or `nil`.
  public var correctExpectedLength: Int? {
    guard sw1 == 0x6C else { return nil }
    return sw2 == 0 ? 256 : Int(sw2)
  }

  /// What the status says, or `nil` if neither ISO/IEC 7816-4 nor common use names it.
  public var name: String? {
    if let exact = Self.exactNames.first(where: { $0.0 == rawValue }) { return exact.1 }
    switch sw1 {
    case 0x61: return "more data: \(sw2)"
    case 0x62: return "warning, state unchanged"
    case 0x63: return sw2 & 0xF0 == 0xC0 ? "counter is \(sw2 & 0x0F)" : "warning, state changed"
    case 0x64: return "execution error, state unchanged"
    case 0x65: return "execution error, state changed"
    case 0x66: return "security issue"
    case 0x68: return "function in CLA not supported"
    case 0x69: return "command not allowed"
    case 0x6A: return "wrong parameters"
    case 0x6C: return "wrong Le, should be \(sw2)"
    case 0x91: return "DESFire status"
    default: return nil
    }
  }

  /// ISO/IEC 7816-4 Tables 5 to 8; 91xx from public DESFire documents.
  private static let exactNames: [(UInt16, String)] = [
    (0x9000, "success"), (0x6281, "part of the data may be corrupted"),
    (0x6282, "end of file before Ne bytes"), (0x6283, "file deactivated"),
    (0x6300, "no information, state changed"), (0x6581, "memory failure"),
    (0x6700, "wrong length"), (0x6881, "logical channel not supported"),
    (0x6882, "secure messaging not supported"), (0x6884, "command chaining not supported"),
    (0x6981, "command incompatible with file structure"),
    (0x6982, "security status not satisfied"), (0x6983, "authentication method blocked"),
    (0x6984, "reference data not usable"), (0x6985, "conditions of use not satisfied"),
    (0x6986, "no current EF"), (0x6987, "secure messaging objects missing"),
    (0x6988, "secure messaging objects wrong"), (0x6A80, "wrong data field"),
    (0x6A81, "function not supported"), (0x6A82, "file or application not found"),
    (0x6A83, "record not found"), (0x6A84, "not enough memory"), (0x6A86, "wrong P1 or P2"),
    (0x6A87, "Nc inconsistent with P1-P2"), (0x6A88, "referenced data not found"),
    (0x6A89, "file exists already"), (0x6B00, "wrong parameters, offset outside the file"),
    (0x6D00, "instruction not supported"), (0x6E00, "class not supported"),
    (0x6F00, "no precise diagnosis"), (0x9100, "DESFire success"),
    (0x910C, "DESFire no changes"), (0x910E, "DESFire out of memory"),
    (0x911C, "DESFire illegal command"), (0x911E, "DESFire integrity error"),
    (0x9140, "DESFire no such key"), (0x917E, "DESFire length error"),
    (0x919D, "DESFire permission denied"), (0x919E, "DESFire parameter error"),
    (0x91A0, "DESFire application not found"), (0x91AE, "DESFire authentication error"),
    (0x91AF, "DESFire additional frame"), (0x91BE, "DESFire boundary error"),
    (0x91CA, "DESFire command aborted"), (0x91DE, "DESFire duplicate"),
    (0x91F0, "DESFire file not found"),
  ]
}
