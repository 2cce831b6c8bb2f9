/// The USB descriptors that a PN533 keeps in memory where long frames overwrite them.
///
/// Behaviour and evidence: firmware-notes/pn53x/descriptor-corruption.md.
public struct DescriptorImage: Hashable, Sendable {
  /// The 61 bytes from address 0019 on: configuration, interface, endpoints, strings.
  public let bytes: [UInt8]

  /// The length of the memory that is overwritten.
  public static let length = 61
  /// The bytes of a command, code included, in front of the memory that is overwritten.
  static let offset = 19
  /// The longest command in bytes, code included, that does no harm.
  public static let longestHarmlessCommand = 17
  /// The longest content of a response in bytes, without TFI and code, that does no harm.
  public static let longestHarmlessResponse = 16

  /// - Parameter maximumPower: bMaxPower in units of 2 mA.
  init(maximumPower: UInt8, product: String, vendor: String?) {
    var image: [UInt8] = [
      0x09, 0x02, 0x20, 0x00, 0x01, 0x01, 0x00, 0x80, maximumPower,
      0x09, 0x04, 0x00, 0x00, 0x02, 0xFF, 0xFF, 0xFF, 0x00,
      0x07, 0x05, 0x04, 0x02, 0x40, 0x00, 0x04,
      0x07, 0x05, 0x84, 0x02, 0x40, 0x00, 0x04,
    ]
    image += Self.string(product)
    if let vendor { image += [0x04, 0x03, 0x09, 0x04] + Self.string(vendor) }
    image += [UInt8](repeating: 0, count: max(0, Self.length - image.count))
    bytes = Array(image.prefix(Self.length))
  }

  private static func string(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    return [UInt8(units.count + 2), 0x03] + units
  }

  /// SCM SCL3711.
  public static let scl3711 = DescriptorImage(
    maximumPower: 0x32, product: "SCL3711-NFC&RW", vendor: nil)
  /// NXP's own board.
  public static let pn533 = DescriptorImage(maximumPower: 0x32, product: "PN533", vendor: "NXP")
  /// ASK LoGO.
  public static let logo = DescriptorImage(maximumPower: 0x96, product: "LoGO", vendor: "ASK")

  /// The descriptors of a reader by its USB numbers, or `nil` where they are not known.
  public init?(vendor: UInt16, product: UInt16) {
    switch (vendor, product) {
    case (0x04E6, 0x5591): self = .scl3711
    case (0x04CC, 0x2533): self = .pn533
    case (0x1FD3, 0x0608): self = .logo
    default: return nil
    }
  }

  /// GetFirmwareVersion with so many bytes behind it that they end up where the descriptors were.
  public var repair: Command {
    let padding = [UInt8](repeating: 0, count: Self.offset - 1)
    return .unknown(.getFirmwareVersion, padding + bytes)
  }
}
