/// What RFConfiguration sets, apart from analogue values (UM0701-02 7.3.1).
struct RadioSettings: Hashable, Sendable {
  /// Item 01, bit 1.
  var automaticCollisionAvoidance = false
  /// Item 02: the limit of an ATR_RES, 102.4 ms.
  var attributeTimeout = RFTimeoutCode(rawValue: 0x0B)
  /// Item 02: the limit of raw exchanges and of those with MIFARE and FeliCa, 51.2 ms.
  var retryTimeout = RFTimeoutCode(rawValue: 0x0A)
  /// Item 04: how often a data exchange is repeated.
  var communicationRetries: UInt8 = 0
  /// Item 05: tries of an active ATR after the first; FF is for ever.
  var attributeRetries: UInt8 = 0xFF
  /// Item 05: tries of a PSL after the first.
  var parameterRetries: UInt8 = 0x01
  /// Item 05: tries of a passive activation after the first; FF is for ever.
  var activationRetries: UInt8 = RadioSettings.endless

  /// The number of retries that means "for ever".
  static let endless: UInt8 = 0xFF

  /// Tries of a passive activation; `nil` is for ever.
  var activationTries: Int? {
    activationRetries == Self.endless ? nil : Int(activationRetries) + 1
  }
}

/// The analogue values of RFConfiguration, items 0A to 0D, with their defaults.
struct AnalogueSettings: Hashable, Sendable {
  /// Item 0A: RFCfg GsNOn CWGsP ModGsP Demod RxThreshold Demod GsNOff ModWidth MifNFC TxBitPhase.
  var typeA: [UInt8]
  /// Item 0B: RFCfg GsNOn CWGsP ModGsP Demod RxThreshold Demod GsNOff.
  var feliCa: [UInt8]
  /// Item 0C: GsNOn ModGsP RxThreshold.
  var typeB: [UInt8]
  /// Item 0D: RxThreshold ModWidth MifNFC for 212, 424 and 848 kbit/s.
  var fast: [UInt8]

  /// The registers 63xx of items 0A, 0B and 0C; a second Demod is for the field off.
  static let typeARegisters: [UInt8] = [
    0x16, 0x17, 0x18, 0x19, 0x09, 0x08, 0x09, 0x13, 0x14, 0x0C, 0x15,
  ]
  static let feliCaRegisters: [UInt8] = [0x16, 0x17, 0x18, 0x19, 0x09, 0x08, 0x09, 0x13]
  static let typeBRegisters: [UInt8] = [0x17, 0x19, 0x08]

  init(of chip: Chip) {
    let isLater = chip == .pn533 || chip == .rcS956
    typeA = [
      isLater ? 0x5A : 0x59, 0xF4, 0x3F, 0x11, 0x4D, 0x85, 0x61, 0x6F, 0x26, 0x62, 0x87,
    ]
    feliCa = [
      isLater ? 0x6A : 0x69, 0xFF, 0x3F, isLater ? 0x10 : 0x11, 0x41, 0x85, 0x61, 0x6F,
    ]
    typeB = [0xFF, isLater ? 0x10 : 0x04, 0x85]
    fast = [
      0x85, 0x15, 0x8A, 0x85, isLater ? 0x0A : 0x08, 0xB2, 0x85, isLater ? 0x04 : 0x01, 0xDA,
    ]
  }
}
