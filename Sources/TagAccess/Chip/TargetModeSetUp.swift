public import NFCProtocols
public import PN53x

/// What TgInitAsTarget makes of a chip, and the rules for what comes back.
public struct TargetModeSetUp: Hashable, Sendable {
  /// The parameters of TgInitAsTarget.
  public var parameters: TargetModeParameters

  /// Bit 0 of the mode: passive only.
  static let passiveOnly: UInt8 = 0x01
  /// Bit 2 of the mode: ISO/IEC 14443-4 card only (PN532).
  ///
  /// Phones of both kinds take mode 04, some only that (Seeed issue 111).
  static let cardOnly: UInt8 = 0x04

  /// A type A card that the chip can be: it chooses 08 as the first byte of the UID.
  ///
  /// - Parameter uid: Of which bytes 1 to 3 are used.
  public init(
    mode: UInt8, atqa: ATQA = ATQA(rawValue: 0x0004), sak: SAK = SAK(rawValue: 0x20),
    uid: [UInt8] = CardEmulatorConfiguration.exampleUID, historicalBytes: [UInt8] = []
  ) {
    var part = Array(uid.dropFirst().prefix(3))
    while part.count < 3 { part.append(0) }
    // Nobody polls for FeliCa or DEP successfully: identifiers of zeros are never answered for.
    parameters = TargetModeParameters(
      mode: mode, sensRes: atqa.rawValue, nfcid1: part, selRes: sak.rawValue,
      feliCa: [UInt8](repeating: 0, count: 18), nfcid3: [UInt8](repeating: 0, count: 10),
      historicalBytes: historicalBytes)
  }
}

/// Decides what a bad status in target mode means.
struct TargetModeRules: Hashable, Sendable {
  /// CRC errors in a row that came faster than any frame could.
  private var quickErrors = 0
  /// Sessions in a row in which nothing was said.
  private(set) var emptySessions = 0

  enum Verdict: Hashable, Sendable {
    /// Ask for the next frame.
    case listen
    /// The session is over; be a target anew.
    case restart
    /// The other side seems to be gone: look at the state, then be a target anew.
    case look
    /// The chip or the link is broken.
    case fail
  }

  /// An answer within this time cannot have come from the air: an SCL3711 takes 1.36 ms for one
  /// that it does not wait for, and 11 ms for one that it does.
  static let quick = Nanoseconds.milliseconds(4)
  /// How many quick errors show that the peer is gone (scenario S19: 2 to 3).
  static let mostQuickErrors = 3
  /// How many sessions may end without a word before the next one is begun only after a pause.
  static let mostEmptySessions = 3
  /// That pause.
  static let pause = Nanoseconds.milliseconds(50)

  mutating func sessionBegan() { quickErrors = 0 }

  mutating func frameCame() {
    quickErrors = 0
    emptySessions = 0
  }

  mutating func sessionEnded(wasEmpty: Bool) {
    emptySessions = wasEmpty ? emptySessions + 1 : 0
  }

  mutating func verdict(_ outcome: CommandOutcome, _ failure: CommandFailure) -> Verdict {
    switch failure.problem {
    case .link: return .fail
    case .radio(.released), .radio(.silence), .chip, .radio(.unknown), .radio(.authentication):
      // 29, 2F, 31; 27 and 25 where the chip has left target mode without a word.
      return .restart
    case .radio(.damaged(let status)):
      guard status == .crcError || status == .parityError else { return .restart }
      let stamps = outcome.stamps
      let took = (stamps.answered ?? stamps.requested) - (stamps.sent ?? stamps.requested)
      guard took < Self.quick else {
        quickErrors = 0
        return .listen
      }
      quickErrors += 1
      return quickErrors < Self.mostQuickErrors ? .listen : .look
    }
  }
}
