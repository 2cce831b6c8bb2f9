/// A command APDU, ISO/IEC 7816-4 5.1: cases 1 to 4, short and extended.
public struct CommandAPDU: Hashable, Sendable, ByteCodable {
  /// The class byte.
  public var cla: UInt8
  /// The instruction byte.
  public var ins: UInt8
  /// The first parameter byte.
  public var p1: UInt8
  /// The second parameter byte.
  public var p2: UInt8
  /// The command data field, up to 65,535 bytes.
  public var data: [UInt8]
  /// How many bytes of answer are expected at most, 1...65,536, or `nil` if Le is left out.
  public var expectedLength: Int?
  /// True if the length fields have their extended form.
  public var isExtended: Bool

  /// The longest data field of the short form (one byte Lc).
  public static let maximumShortData = 255
  /// The longest data field of the extended form (two bytes Lc).
  public static let maximumExtendedData = 65_535
  /// The largest Ne of the short form, sent as 00.
  public static let maximumShortExpectedLength = 256
  /// The largest Ne of the extended form, sent as 00 00.
  public static let maximumExtendedExpectedLength = 65_536

  /// Makes a command; it takes the extended form if a length needs it or `isExtended` asks for it.
  public init(
    cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil,
    isExtended: Bool = false
  ) {
    precondition(data.count <= Self.maximumExtendedData, "Lc is at most 65,535")
    precondition(
      (1...Self.maximumExtendedExpectedLength).contains(expectedLength ?? 1), "Ne is 1 to 65,536")
    self.cla = cla
    self.ins = ins
    self.p1 = p1
    self.p2 = p2
    self.data = data
    self.expectedLength = expectedLength
    self.isExtended =
      isExtended || data.count > Self.maximumShortData
      || (expectedLength ?? 0) > Self.maximumShortExpectedLength
  }

  /// How a decoder treats lengths that lie.
  public enum DecodingMode: Hashable, Sendable {
    /// Only the seven forms of ISO/IEC 7816-4 5.1.
    case strict
    /// Also: bytes behind Le are dropped, an Lc that is too large takes what there is, and a short
    /// Lc of 00 in front of Le counts as no data. Many phones and readers accept these.
    case lenient
  }

  /// Decodes a command of one of the seven forms of the standard.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    try self.init(bytes, mode: .strict)
  }

  /// Decodes a command.
  /// - Throws: `ProtocolError`; in the lenient mode only if there are less than four bytes.
  public init(_ bytes: ArraySlice<UInt8>, mode: DecodingMode) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "command APDU")
    cla = try cursor.byte()
    ins = try cursor.byte()
    p1 = try cursor.byte()
    p2 = try cursor.byte()
    data = []
    isExtended = false
    guard let first = cursor.next else { return }  // case 1
    if cursor.remaining == 1 {  // case 2 short
      expectedLength = Self.shortLength(first)
      return
    }
    if first != 0 {
      _ = try cursor.byte()
      try decodeBody(&cursor, length: Int(first), mode)
      return
    }
    guard cursor.remaining >= 3 else {
      guard mode == .lenient else {
        throw .badValue(
          element: "command APDU", offset: 4, found: 0, expected: "Lc from 01 to FF")
      }
      _ = try cursor.byte()
      expectedLength = Self.shortLength(try cursor.byte())
      return
    }
    isExtended = true
    _ = try cursor.byte()
    let length = Int(try cursor.bigEndian16())
    if cursor.isAtEnd {  // case 2 extended
      expectedLength = length == 0 ? Self.maximumExtendedExpectedLength : length
      return
    }
    guard length > 0 || mode == .lenient else {
      throw .badLength(
        element: "command APDU", offset: 5, found: 0, expected: 1...Self.maximumExtendedData)
    }
    try decodeBody(&cursor, length: length, mode)
  }

  /// Decodes a command.
  public init(_ bytes: [UInt8], mode: DecodingMode) throws(ProtocolError) {
    try self.init(bytes[...], mode: mode)
  }

  private mutating func decodeBody(
    _ cursor: inout ByteCursor, length: Int, _ mode: DecodingMode
  ) throws(ProtocolError) {
    if mode == .lenient, length > cursor.remaining {
      data = Array(cursor.rest())
      return
    }
    data = try cursor.array(length)
    guard !cursor.isAtEnd else { return }  // case 3
    if isExtended {
      if mode == .lenient, cursor.remaining == 1 { return }
      let expected = Int(try cursor.bigEndian16())
      expectedLength = expected == 0 ? Self.maximumExtendedExpectedLength : expected
    } else {
      expectedLength = Self.shortLength(try cursor.byte())
    }
    if mode == .strict { try cursor.end() }  // case 4
  }

  private static func shortLength(_ byte: UInt8) -> Int {
    byte == 0 ? maximumShortExpectedLength : Int(byte)
  }

  /// Appends the command.
  public func encode(into output: inout [UInt8]) {
    output += [cla, ins, p1, p2]
    guard isExtended else {
      if !data.isEmpty {
        output.append(UInt8(truncatingIfNeeded: data.count))
        output += data
      }
      if let expectedLength { output.append(UInt8(truncatingIfNeeded: expectedLength)) }
      return
    }
    if !data.isEmpty || expectedLength != nil { output.append(0) }
    if !data.isEmpty {
      output.append(bigEndian: UInt16(truncatingIfNeeded: data.count))
      output += data
    }
    if let expectedLength {
      output.append(bigEndian: UInt16(truncatingIfNeeded: expectedLength))
    }
  }

  /// The case of ISO/IEC 7816-3 12.1.2: 1 nothing, 2 answer, 3 data, 4 both.
  public var caseNumber: Int {
    (data.isEmpty ? 0 : 2) + (expectedLength == nil ? 0 : 1) + 1
  }

  /// The name of the instruction, or `nil` if it is not a common one.
  public var name: String? { InstructionName.name(cla: cla, ins: ins) }
}

extension CommandAPDU {
  /// SELECT by application identifier, first or only occurrence, with Le 00.
  public static func select(application identifier: [UInt8]) -> CommandAPDU {
    CommandAPDU(cla: 0, ins: 0xA4, p1: 0x04, p2: 0x00, data: identifier, expectedLength: 256)
  }

  /// SELECT by file identifier, no answer data wanted.
  public static func select(file identifier: UInt16) -> CommandAPDU {
    var name: [UInt8] = []
    name.append(bigEndian: identifier)
    return CommandAPDU(cla: 0, ins: 0xA4, p1: 0x00, p2: 0x0C, data: name)
  }

  /// READ BINARY at an offset of up to 32,767.
  public static func readBinary(offset: Int, length: Int) -> CommandAPDU {
    precondition((0...0x7FFF).contains(offset), "the offset of READ BINARY has 15 bits")
    return CommandAPDU(
      cla: 0, ins: 0xB0, p1: UInt8(offset >> 8), p2: UInt8(offset & 0xFF), expectedLength: length)
  }

  /// UPDATE BINARY at an offset of up to 32,767.
  public static func updateBinary(offset: Int, data: [UInt8]) -> CommandAPDU {
    precondition((0...0x7FFF).contains(offset), "the offset of UPDATE BINARY has 15 bits")
    return CommandAPDU(
      cla: 0, ins: 0xD6, p1: UInt8(offset >> 8), p2: UInt8(offset & 0xFF), data: data)
  }
}
