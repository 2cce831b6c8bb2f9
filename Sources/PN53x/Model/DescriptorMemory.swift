/// The stretch of a PN533's memory that holds its USB descriptors and that long frames overwrite.
///
/// Quirk: firmware-notes/pn53x/descriptor-corruption.md.
public struct DescriptorMemory: Hashable, Sendable {
  /// The bytes as they are now: configuration, interface and endpoint descriptors, then strings.
  public private(set) var bytes: [UInt8]
  /// The bytes as they were at power-on; empty on links that have no descriptors.
  public let original: [UInt8]

  /// The address of the first byte in the memory that ReadRegister reaches.
  public static let address: UInt16 = 0x0019

  /// True if a host that asks for the descriptors gets them as at power-on.
  public var isIntact: Bool { bytes == original }

  init(_ image: DescriptorImage?) {
    original = image?.bytes ?? []
    bytes = original
  }

  /// A command has come in, from its code on.
  mutating func commandArrived(_ command: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, command.count > DescriptorImage.longestHarmlessCommand else { return }
    if command.first == CommandCode.getFirmwareVersion.rawValue,
      command.count >= DescriptorImage.offset + bytes.count
    {
      let start = command.startIndex + DescriptorImage.offset
      bytes = Array(command[start..<(start + bytes.count)])
    } else {
      overwrite(with: command.dropFirst(DescriptorImage.longestHarmlessCommand))
    }
  }

  /// A response goes out; `content` is what follows its code.
  mutating func responseLeaves(_ content: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, content.count > DescriptorImage.longestHarmlessResponse else { return }
    overwrite(with: content.dropFirst(DescriptorImage.longestHarmlessResponse))
  }

  private mutating func overwrite(with content: ArraySlice<UInt8>) {
    for (offset, byte) in content.prefix(bytes.count).enumerated() { bytes[offset] = byte }
  }
}
