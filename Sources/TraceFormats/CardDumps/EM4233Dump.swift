import VirtualCards

/// Memory of an EM4233 as ChameleonMini lays it out: 52 blocks of 4 bytes, then UID and state.
enum EM4233Dump {
  /// The size of the file: 52 blocks, then 21 words of state.
  static let byteCount = 292
  private static let blockCount = 52
  /// UID, most significant byte first.
  private static let uidOffset = 0xD0
  private static let afiOffset = 0xD8
  private static let dsfidOffset = 0xD9
  /// Bit 0: AFI locked; bit 1: DSFID locked.
  private static let stateOffset = 0xDC
  /// One byte a block: bit 0 locked by the user, bit 1 by the factory.
  private static let lockOffset = 0xE0
  private static let icReference: UInt8 = 0x02

  static func fits(_ bytes: [UInt8]) -> Bool {
    bytes.count == byteCount && bytes[uidOffset] == 0xE0
  }

  static func image(_ bytes: [UInt8]) -> CardImage {
    precondition(fits(bytes), "the form of the file was recognised before")
    let memory = CardMemory(unitSize: 4, bytes: Array(bytes[0..<(blockCount * 4)]))
    let uid = Array(bytes[uidOffset..<(uidOffset + 8)])
    var image = CardImage(kind: .vicinity, uid: uid, memory: memory)
    var information = VicinityInformation(
      dsfid: bytes[dsfidOffset], afi: bytes[afiOffset], icReference: icReference)
    information.isAFILocked = bytes[stateOffset] & 0x01 != 0
    information.isDSFIDLocked = bytes[stateOffset] & 0x02 != 0
    information.lockedBlocks = (0..<blockCount).map { bytes[lockOffset + $0] & 0x03 != 0 }
    image.vicinity = information
    return image
  }
}
