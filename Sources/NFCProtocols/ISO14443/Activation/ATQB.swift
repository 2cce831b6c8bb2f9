/// The answer to REQB or WUPB, ISO/IEC 14443-3 7.9; also SENSB_RES of the NFC Forum.
public struct ATQB: Hashable, Sendable, ByteCodable {
  /// The pseudo-unique identifier, four bytes.
  public let pupi: [UInt8]
  /// Application data, four bytes.
  public let applicationData: [UInt8]
  /// The bit rates that the card offers, first byte of the protocol information.
  public var bitRates: UInt8
  /// The frame size index of the card, FSCI.
  public var frameSizeIndex: UInt8
  /// The protocol type: bit 1 tells ISO/IEC 14443-4, bits 3 and 2 the minimum TR2.
  public var protocolType: UInt8
  /// The frame waiting time integer as sent, 0...15.
  public var frameWaitingTimeInteger: UInt8
  /// The application data coding, bits 4 and 3 of the third byte.
  public var applicationDataCoding: UInt8
  /// True if the card takes a NAD byte.
  public var supportsNAD: Bool
  /// True if the card takes a CID byte.
  public var supportsCID: Bool
  /// The start-up frame guard time integer of an extended ATQB, or `nil` in a basic one.
  public var startUpFrameGuardInteger: UInt8?

  /// The first byte.
  public static let prefix: UInt8 = 0x50

  /// Makes an answer; whoever sets a half byte or a field of bits keeps to its width.
  public init(
    pupi: [UInt8], applicationData: [UInt8] = [0, 0, 0, 0], bitRates: UInt8 = 0,
    frameSizeIndex: UInt8 = 8, protocolType: UInt8 = 1, frameWaitingTimeInteger: UInt8 = 7,
    applicationDataCoding: UInt8 = 0, supportsNAD: Bool = false, supportsCID: Bool = true,
    startUpFrameGuardInteger: UInt8? = nil
  ) {
    precondition(pupi.count == 4 && applicationData.count == 4, "PUPI and data have four bytes")
    precondition(
      frameSizeIndex < 16 && protocolType < 16 && frameWaitingTimeInteger < 16
        && applicationDataCoding < 4 && (startUpFrameGuardInteger ?? 0) < 16,
      "the fields of an ATQB are half bytes")
    self.pupi = pupi
    self.applicationData = applicationData
    self.bitRates = bitRates
    self.frameSizeIndex = frameSizeIndex
    self.protocolType = protocolType
    self.frameWaitingTimeInteger = frameWaitingTimeInteger
    self.applicationDataCoding = applicationDataCoding
    self.supportsNAD = supportsNAD
    self.supportsCID = supportsCID
    self.startUpFrameGuardInteger = startUpFrameGuardInteger
  }

  /// Decodes the 12 bytes of an ATQB or the 13 of an extended one.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ATQB")
    try cursor.expect(Self.prefix, "50")
    pupi = try cursor.array(4)
    applicationData = try cursor.array(4)
    bitRates = try cursor.byte()
    let second = try cursor.byte()
    frameSizeIndex = second >> 4
    protocolType = second & 0x0F
    let third = try cursor.byte()
    frameWaitingTimeInteger = third >> 4
    applicationDataCoding = third >> 2 & 0b11
    supportsNAD = third & 0b10 != 0
    supportsCID = third & 0b01 != 0
    if cursor.isAtEnd {
      startUpFrameGuardInteger = nil
    } else {
      let fourth = try cursor.byte()
      guard fourth & 0x0F == 0 else {
        throw .badValue(
          element: "ATQB", offset: 12, found: fourth, expected: "lower half byte zero")
      }
      startUpFrameGuardInteger = fourth >> 4
    }
    try cursor.end()
  }

  /// Appends the answer.
  public func encode(into output: inout [UInt8]) {
    output.append(Self.prefix)
    output += pupi
    output += applicationData
    output.append(bitRates)
    output.append(frameSizeIndex << 4 | protocolType)
    output.append(
      frameWaitingTimeInteger << 4 | applicationDataCoding << 2 | (supportsNAD ? 0b10 : 0)
        | (supportsCID ? 0b01 : 0))
    if let guardInteger = startUpFrameGuardInteger { output.append(guardInteger << 4) }
  }

  /// True if the card speaks the block protocol of ISO/IEC 14443-4.
  public var supportsISODEP: Bool { protocolType & 0x01 != 0 }

  /// The longest frame that the card takes.
  public var frameSize: Int { FrameSize.bytes(ofIndex: frameSizeIndex) }

  /// The frame waiting time.
  public var frameWaitingTime: FrameWaitingTime {
    FrameWaitingTime(integer: frameWaitingTimeInteger)
  }

  /// The guard time after the answer to ATTRIB; none in a basic ATQB.
  public var startUpFrameGuardTime: StartUpFrameGuardTime {
    StartUpFrameGuardTime(integer: startUpFrameGuardInteger ?? 0)
  }
}
