/// The EEPROM of reader boards with a PN533, 256 bytes from A000 on.
///
/// Records of tag, length and content: 01 RFConfiguration items 0A to 0D, 02 device and
/// configuration descriptors, 03 product, 04 vendor, 05 languages; then a serial text.
/// Layout: a public capture of an SCL3711. Quirk: firmware-notes/pn53x/eeprom.md.
enum BoardMemory {
  /// The number of bytes.
  static let count = 256
  /// Where the two bytes in front of the serial text stand.
  private static let serialOffset = 0xF0
  /// The most characters of the serial text.
  private static let serialLength = 14

  /// The EEPROM of an SCL3711.
  static func scl3711(serial: String) -> [UInt8] {
    let settings = AnalogueSettings(of: .pn533)
    var feliCa = settings.feliCa
    // The board's own value; drivers replace it.
    feliCa[4] = 0x1D
    var bytes: [UInt8] = []
    append(0x01, settings.typeA + feliCa + settings.typeB + settings.fast, to: &bytes)
    let device: [UInt8] = [
      0x12, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x08, 0xE6, 0x04, 0x91, 0x55, 0x07, 0x02, 0x01,
      0x02, 0x00, 0x01,
    ]
    append(0x02, device + DescriptorImage.scl3711.bytes.prefix(32), to: &bytes)
    append(0x03, string("SCL3711-NFC&RW"), to: &bytes)
    append(0x04, string("SCM Micro"), to: &bytes)
    append(0x05, [0x04, 0x03, 0x09, 0x04], to: &bytes)
    bytes += [UInt8](repeating: 0xFF, count: serialOffset - bytes.count)
    bytes += [0xA0, 0x00]
    let text = Array(serial.utf8.prefix(serialLength))
    return bytes + text + [UInt8](repeating: 0xFF, count: count - bytes.count - text.count)
  }

  private static func append(_ tag: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes += [tag, UInt8(truncatingIfNeeded: content.count)] + content
  }

  /// A USB string descriptor.
  private static func string(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: 2 + 2 * text.utf8.count), 0x03]
    for character in text.utf8 { bytes += [character, 0x00] }
    return bytes
  }
}
