/// Answer to select, ISO/IEC 14443-4 5.2.
public struct ATS: Hashable, Sendable, ByteCodable {
  /// The format byte T0, or `nil` if the ATS is only its length byte.
  public private(set) var format: UInt8?
  /// TA(1), the bit rates that the card offers, or `nil` if it is left out.
  public private(set) var interfaceA: UInt8?
  /// TB(1), waiting and guard time, or `nil` if it is left out.
  public private(set) var interfaceB: UInt8?
  /// TC(1), support of NAD and CID, or `nil` if it is left out.
  public private(set) var interfaceC: UInt8?
  /// The historical bytes.
  public private(set) var historicalBytes: [UInt8]

  /// The longest ATS, TL included: its length byte must fit a frame of FSD 256 less CRC.
  public static let maximumLength = 254

  /// Makes an ATS with a format byte; interface bytes that are `nil` are left out.
  public init(
    frameSizeIndex: UInt8 = 8, interfaceA: UInt8? = 0x80, interfaceB: UInt8? = 0x70,
    interfaceC: UInt8? = 0x02, historicalBytes: [UInt8] = []
  ) {
    precondition(frameSizeIndex < 16, "FSCI is 0 to 15")
    precondition(historicalBytes.count <= Self.maximumLength - 5, "an ATS has up to 254 bytes")
    format =
      frameSizeIndex | (interfaceA != nil ? 0x10 : 0) | (interfaceB != nil ? 0x20 : 0)
      | (interfaceC != nil ? 0x40 : 0)
    self.interfaceA = interfaceA
    self.interfaceB = interfaceB
    self.interfaceC = interfaceC
    self.historicalBytes = historicalBytes
  }

  /// Decodes an ATS from TL to the last historical byte.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ATS")
    let length = Int(try cursor.byte())
    guard (1...Self.maximumLength).contains(length) else {
      throw .badLength(
        element: "ATS", offset: 0, found: length, expected: 1...Self.maximumLength)
    }
    guard length <= bytes.count else {
      throw .truncated(element: "ATS", offset: bytes.count, missing: length - bytes.count)
    }
    guard length == bytes.count else {
      throw .trailingBytes(element: "ATS", offset: length, count: bytes.count - length)
    }
    historicalBytes = []
    guard length > 1 else { return }
    let format = try cursor.byte()
    guard format & 0x80 == 0 else {
      throw .badValue(element: "ATS", offset: 1, found: format, expected: "bit 8 of T0 zero")
    }
    self.format = format
    if format & 0x10 != 0 { interfaceA = try cursor.byte() }
    if format & 0x20 != 0 { interfaceB = try cursor.byte() }
    if format & 0x40 != 0 { interfaceC = try cursor.byte() }
    historicalBytes = Array(cursor.rest())
  }

  /// Appends the ATS from TL on.
  public func encode(into output: inout [UInt8]) {
    let start = output.count
    output.append(0)
    if let format { output.append(format) }
    if let interfaceA { output.append(interfaceA) }
    if let interfaceB { output.append(interfaceB) }
    if let interfaceC { output.append(interfaceC) }
    output += historicalBytes
    output[start] = UInt8(truncatingIfNeeded: output.count - start)
  }

  /// The frame size index of the card, FSCI; 2 where T0 is left out.
  public var frameSizeIndex: UInt8 { (format ?? 0x02) & 0x0F }

  /// The longest frame that the card takes, PCB and CRC included.
  public var frameSize: Int { FrameSize.bytes(ofIndex: frameSizeIndex) }

  /// The frame waiting time integer as sent; 4 where TB(1) is left out.
  public var frameWaitingTimeInteger: UInt8 { (interfaceB ?? 0x40) >> 4 }

  /// The frame waiting time; 15 counts as 4.
  public var frameWaitingTime: FrameWaitingTime {
    FrameWaitingTime(integer: frameWaitingTimeInteger)
  }

  /// The guard time that the card needs after its ATS.
  public var startUpFrameGuardTime: StartUpFrameGuardTime {
    StartUpFrameGuardTime(integer: (interfaceB ?? 0) & 0x0F)
  }

  /// True if the card takes a NAD byte.
  public var supportsNAD: Bool { (interfaceC ?? 0x02) & 0x01 != 0 }

  /// True if the card takes a CID byte; so it is where TC(1) is left out.
  public var supportsCID: Bool { (interfaceC ?? 0x02) & 0x02 != 0 }

  /// True if the card asks for the same bit rate in both directions.
  public var needsSameBitRate: Bool { (interfaceA ?? 0) & 0x80 != 0 }

  /// The bit rates from card to reader in kbit/s.
  public var cardToReaderRates: [UInt16] { Self.rates((interfaceA ?? 0) >> 4 & 0x07) }

  /// The bit rates from reader to card in kbit/s.
  public var readerToCardRates: [UInt16] { Self.rates((interfaceA ?? 0) & 0x07) }

  private static func rates(_ bits: UInt8) -> [UInt16] {
    var rates: [UInt16] = [106]
    if bits & 0b001 != 0 { rates.append(212) }
    if bits & 0b010 != 0 { rates.append(424) }
    if bits & 0b100 != 0 { rates.append(848) }
    return rates
  }
}
