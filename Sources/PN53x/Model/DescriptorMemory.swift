/// The stretch of a PN533's memory that holds its USB descriptors and that long frames overwrite.
///
/// Quirk: firmware-notes/pn53x/descriptor-corruption.md.
public struct DescriptorMemory: Hashable, Sendable {
  /// The bytes as they are now: configuration, interface and endpoint descriptors, then strings.
  public private(set) var bytes: [UInt8]
  /// The bytes as they were at power-on.
  public let original: [UInt8]

  /// The address of the first byte in the memory that ReadRegister reaches.
  public static let address: UInt16 = 0x0019
  /// The number of bytes, up to address 0055.
  public static let count = 61
  /// The longest command, from its code on, that does no harm.
  public static let harmlessCommandLength = 17
  /// The longest response, from its code on, that does no harm.
  public static let harmlessResponseLength = 16
  /// The bytes from the code on that stand in front of the descriptors in a command that mends.
  static let repairOffset = 19

  /// True if a host that asks for the descriptors gets them as at power-on.
  public var isIntact: Bool { bytes == original }

  init(_ original: [UInt8]) {
    precondition(original.count <= Self.count, "the descriptors have 61 bytes")
    self.original = original
    bytes = original
  }

  /// A command has come in, from its code on.
  mutating func commandArrived(_ command: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, command.count > Self.harmlessCommandLength else { return }
    if command.first == CommandCode.getFirmwareVersion.rawValue,
      command.count >= Self.repairOffset + bytes.count
    {
      let start = command.startIndex + Self.repairOffset
      bytes = Array(command[start..<(start + bytes.count)])
    } else {
      overwrite(with: command.dropFirst(Self.harmlessCommandLength))
    }
  }

  /// A response goes out, from its code on.
  mutating func responseLeaves(_ response: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, response.count > Self.harmlessResponseLength else { return }
    overwrite(with: response.dropFirst(Self.harmlessResponseLength))
  }

  private mutating func overwrite(with content: ArraySlice<UInt8>) {
    for (offset, byte) in content.prefix(bytes.count).enumerated() { bytes[offset] = byte }
  }

  /// Configuration, interface, two endpoints (04 OUT, 84 IN, 64 bytes) and the product's name.
  static func plain(maximumPower: UInt8, product: String) -> [UInt8] {
    var bytes: [UInt8] = [
      0x09, 0x02, 0x20, 0x00, 0x01, 0x01, 0x00, 0x80, maximumPower,
      0x09, 0x04, 0x00, 0x00, 0x02, 0xFF, 0xFF, 0xFF, 0x00,
      0x07, 0x05, 0x04, 0x02, 0x40, 0x00, 0x04, 0x07, 0x05, 0x84, 0x02, 0x40, 0x00, 0x04,
    ]
    let name = product.utf8
    bytes += [UInt8(truncatingIfNeeded: 2 + 2 * name.count), 0x03]
    for character in name { bytes += [character, 0x00] }
    return Array(bytes.prefix(count))
  }
}
