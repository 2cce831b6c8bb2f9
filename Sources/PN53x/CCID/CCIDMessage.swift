/// One message of the CCID protocol (USB class 0B), as an ACR122U speaks it.
///
/// Layout: USB CCID 1.1, 6.1 and 6.2: type, length (little-endian), slot, sequence, three bytes.
public struct CCIDMessage: Hashable, Sendable {
  /// bMessageType.
  public var type: MessageType
  /// bSlot.
  public var slot: UInt8
  /// bSeq.
  public var sequence: UInt8
  /// The three bytes whose meaning depends on the type: status, error and chain in an answer.
  public var parameters: Parameters
  /// The data.
  public var data: [UInt8]

  /// Makes a message.
  public init(
    type: MessageType, slot: UInt8 = 0, sequence: UInt8 = 0, parameters: Parameters = Parameters(),
    data: [UInt8] = []
  ) {
    self.type = type
    self.slot = slot
    self.sequence = sequence
    self.parameters = parameters
    self.data = data
  }

  /// The bytes in front of the data.
  public static let headerLength = 10
  /// The most bytes of data that are taken: an extended APDU with its header, rounded up.
  public static let maximumDataLength = 65_544

  /// The three bytes between sequence and data.
  public struct Parameters: Hashable, Sendable {
    /// Byte 7: bStatus in an answer.
    public var first: UInt8
    /// Byte 8: bError in an answer.
    public var second: UInt8
    /// Byte 9: bChainParameter in an answer.
    public var third: UInt8
    /// Makes the three bytes.
    public init(_ first: UInt8 = 0, _ second: UInt8 = 0, _ third: UInt8 = 0) {
      self.first = first
      self.second = second
      self.third = third
    }
  }

  /// bMessageType.
  public struct MessageType: RawRepresentable, Hashable, Sendable {
    /// The byte.
    public var rawValue: UInt8
    /// Makes a type from its byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// PC_to_RDR_IccPowerOn.
    public static let powerOn = MessageType(rawValue: 0x62)
    /// PC_to_RDR_IccPowerOff.
    public static let powerOff = MessageType(rawValue: 0x63)
    /// PC_to_RDR_GetSlotStatus.
    public static let getSlotStatus = MessageType(rawValue: 0x65)
    /// PC_to_RDR_Escape.
    public static let escape = MessageType(rawValue: 0x6B)
    /// PC_to_RDR_XfrBlock.
    public static let transferBlock = MessageType(rawValue: 0x6F)
    /// RDR_to_PC_DataBlock.
    public static let dataBlock = MessageType(rawValue: 0x80)
    /// RDR_to_PC_SlotStatus.
    public static let slotStatus = MessageType(rawValue: 0x81)
    /// RDR_to_PC_Escape.
    public static let escapeAnswer = MessageType(rawValue: 0x83)

    /// True for messages of the reader.
    public var isAnswer: Bool { rawValue & 0x80 != 0 }

    /// The name of the message, or `nil` for a type that is not listed here.
    public var name: StaticString? {
      switch rawValue {
      case 0x62: "IccPowerOn"
      case 0x63: "IccPowerOff"
      case 0x65: "GetSlotStatus"
      case 0x6B: "Escape"
      case 0x6F: "XfrBlock"
      case 0x80: "DataBlock"
      case 0x81: "SlotStatus"
      case 0x83: "Escape answer"
      default: nil
      }
    }
  }

  /// The length in bytes of the message that begins with `bytes`, or `nil` before byte 5 is there.
  ///
  /// - Throws: `parameterOutOfRange` if the length field claims more than any reader sends.
  public static func length(of bytes: ArraySlice<UInt8>) throws(PN53xError) -> Int? {
    guard bytes.count >= 5 else { return nil }
    var dataLength = 0
    for index in (1...4).reversed() {
      dataLength = dataLength << 8 | Int(bytes[bytes.startIndex + index])
    }
    guard dataLength <= maximumDataLength else {
      throw .parameterOutOfRange(.length, value: dataLength, allowed: 0...maximumDataLength)
    }
    return headerLength + dataLength
  }

  /// Reads one whole message.
  ///
  /// - Throws: `PN53xError` with the offset in `bytes`.
  public init(_ bytes: [UInt8]) throws(PN53xError) {
    guard bytes.count >= CCIDMessage.headerLength,
      let length = try CCIDMessage.length(of: bytes[...])
    else { throw .truncated(offset: bytes.count, expected: .ccidHeader) }
    guard bytes.count >= length else {
      throw .truncated(offset: bytes.count, expected: .parameters)
    }
    guard bytes.count == length else {
      throw .trailingBytes(offset: length, count: bytes.count - length)
    }
    type = MessageType(rawValue: bytes[0])
    slot = bytes[5]
    sequence = bytes[6]
    parameters = Parameters(bytes[7], bytes[8], bytes[9])
    data = Array(bytes[10...])
  }

  /// The bytes of the message.
  public var bytes: [UInt8] {
    var output: [UInt8] = [type.rawValue]
    for shift in stride(from: 0, through: 24, by: 8) {
      output.append(UInt8(truncatingIfNeeded: data.count >> shift))
    }
    output.append(contentsOf: [
      slot, sequence, parameters.first, parameters.second, parameters.third,
    ])
    output.append(contentsOf: data)
    return output
  }
}
