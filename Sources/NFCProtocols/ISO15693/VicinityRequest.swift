/// The flags byte of an ISO/IEC 15693-3 request (7.3.1).
public struct VicinityRequestFlags: OptionSet, Hashable, Sendable {
  /// The byte.
  public let rawValue: UInt8
  /// Makes flags.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The answer uses two subcarriers.
  public static let twoSubcarriers = VicinityRequestFlags(rawValue: 0x01)
  /// The answer uses the high data rate.
  public static let highDataRate = VicinityRequestFlags(rawValue: 0x02)
  /// The request is an inventory: bits 5 to 8 have their inventory meaning.
  public static let inventory = VicinityRequestFlags(rawValue: 0x04)
  /// Protocol extension.
  public static let protocolExtension = VicinityRequestFlags(rawValue: 0x08)
  /// Without inventory: only the selected card answers.
  public static let select = VicinityRequestFlags(rawValue: 0x10)
  /// Without inventory: the request names the card by its UID.
  public static let address = VicinityRequestFlags(rawValue: 0x20)
  /// In an inventory: an AFI byte follows the command code.
  public static let afi = VicinityRequestFlags(rawValue: 0x10)
  /// In an inventory: one slot instead of 16.
  public static let oneSlot = VicinityRequestFlags(rawValue: 0x20)
  /// The option of the command.
  public static let option = VicinityRequestFlags(rawValue: 0x40)
}

/// A request of ISO/IEC 15693-3, section 10, without its CRC.
public struct VicinityRequest: Hashable, Sendable, ByteCodable {
  /// The flags; those that say what follows must agree with the command.
  public var flags: VicinityRequestFlags
  /// The UID that the request is addressed to, in the order in which it is sent (low byte first).
  public var uid: [UInt8]?
  /// The command.
  public var command: VicinityCommand

  /// Makes a request; the address flag is set from `uid`.
  public init(
    _ command: VicinityCommand, uid: [UInt8]? = nil,
    flags: VicinityRequestFlags = [.highDataRate]
  ) {
    precondition((uid?.count ?? 8) == 8, "a UID of ISO 15693 has eight bytes")
    self.command = command
    self.uid = uid
    self.flags = flags
    if uid != nil { self.flags.insert(.address) }
  }

  /// An inventory of all cards.
  public static func inventory(
    afi: UInt8? = nil, oneSlot: Bool = true, maskBits: UInt8 = 0, mask: [UInt8] = []
  ) -> VicinityRequest {
    var flags: VicinityRequestFlags = [.highDataRate, .inventory]
    if oneSlot { flags.insert(.oneSlot) }
    if afi != nil { flags.insert(.afi) }
    return VicinityRequest(
      .inventory(afi: afi, maskBits: maskBits, mask: mask), flags: flags)
  }

  /// Decodes a request.
  public init(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
    var cursor = ByteCursor(bytes, "ISO 15693 request")
    flags = VicinityRequestFlags(rawValue: try cursor.byte())
    let code = try cursor.byte()
    if flags.contains(.inventory), code == VicinityCommand.inventoryCode {
      let family = flags.contains(.afi) ? try cursor.byte() : nil
      let bits = try cursor.byte()
      guard bits <= 64 else {
        throw .badValue(
          element: "ISO 15693 request", offset: cursor.offset - 1, found: bits,
          expected: "mask length 0 to 64")
      }
      let mask = try cursor.array((Int(bits) + 7) / 8)
      command = .inventory(afi: family, maskBits: bits, mask: mask)
      uid = nil
      try cursor.end()
      return
    }
    // Custom commands have the manufacturer code in front of the UID (10.1, Table 12).
    let manufacturer = (0xA0...0xDF).contains(code) ? try cursor.byte() : nil
    let isAddressed = flags.contains(.address) && !flags.contains(.inventory)
    uid = isAddressed ? try cursor.array(8) : nil
    command = try VicinityCommand(code: code, manufacturer: manufacturer, &cursor)
    try cursor.end()
  }

  /// Appends the request.
  public func encode(into output: inout [UInt8]) {
    output += [flags.rawValue, command.code]
    if case .custom(_, let manufacturer, _) = command { output.append(manufacturer) }
    if let uid { output += uid }
    command.encodeParameters(into: &output)
  }

  /// The frame of the request.
  public var frame: RadioFrame { .protected(bytes, .v) }
}
