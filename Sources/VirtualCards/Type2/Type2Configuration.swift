/// The configuration pages of NTAG21x and Ultralight EV1, as loaded at power-on.
struct Type2Configuration: Hashable, Sendable {
  /// The first page that needs the password; pages from there on are protected.
  var firstProtectedPage = 0xFF
  /// PROT: reading is protected as well as writing.
  var protectsReading = false
  /// CFGLCK: CFG0 and CFG1 can no longer be written.
  var isLocked = false
  /// NFC_CNT_EN: the first read after power-on counts.
  var countsReads = false
  /// NFC_CNT_PWD_PROT: the counter needs the password.
  var protectsCounter = false
  /// AUTHLIM: wrong passwords until the password is refused for ever; 0 is no limit.
  var attemptLimit: UInt8 = 0
  /// The password.
  var password: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
  /// The answer to the right password.
  var acknowledge: [UInt8] = [0, 0]

  /// A card without configuration pages.
  init() {}

  /// Reads CFG0, CFG1, PWD and PACK (NTAG213_215_216 8.5.7).
  init(_ memory: CardMemory, at page: Int) {
    guard page + 3 < memory.unitCount else { return }
    let bytes = Array(memory.bytes[(page * 4)..<(page * 4 + 16)])
    if memory.isKnown(byteAt: page * 4 + 3) { firstProtectedPage = Int(bytes[3]) }
    if memory.isKnown(byteAt: page * 4 + 4) {
      protectsReading = bytes[4] & 0x80 != 0
      isLocked = bytes[4] & 0x40 != 0
      countsReads = bytes[4] & 0x10 != 0
      protectsCounter = bytes[4] & 0x08 != 0
      attemptLimit = bytes[4] & 0x07
    }
    if memory.isKnown(page + 2) { password = Array(bytes[8..<12]) }
    if memory.isKnown(byteAt: page * 4 + 12) { acknowledge = Array(bytes[12..<14]) }
  }
}
