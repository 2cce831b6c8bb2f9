public import NFCProtocols

/// What an emulated card tells readers of itself, and how it keeps time.
public struct CardEmulatorConfiguration: Hashable, Sendable {
  /// The identifiers; each power-up takes the next one and begins again after the last.
  ///
  /// A phone draws a new one that begins with 08 each time. Drawing is up to the caller.
  public var uids: [UID]
  /// The answer to REQA.
  public var atqa: ATQA
  /// The answer to the last SELECT; without bit 6 no reader will go on to ISO-DEP.
  public var sak: SAK
  /// The answer to RATS, which also sets FSC, FWT and whether CID and NAD are taken.
  public var ats: ATS
  /// When the card asks for more time because its application is slow.
  public var waiting: IsoDepTarget.WaitingPolicy
  /// True if the application answers every command once, also after the session has ended.
  ///
  /// Then the late answer to a command of a lost session is told from the first answer of the next
  /// session by counting. A program that falls silent when the link is lost needs `false`: answers
  /// are then dropped only as long as no new command has been handed over.
  public var applicationAnswersAlways: Bool

  /// The first of the answers that a phone gives; random part made up.
  public static let exampleUID: [UInt8] = [0x08, 0x11, 0x22, 0x33]

  /// Makes a configuration, by default that of a phone: SAK 20, ATS 05 78 80 71 00.
  public init(
    uids: [UID] = [], atqa: ATQA = ATQA(rawValue: 0x0004), sak: SAK = SAK(rawValue: 0x20),
    ats: ATS = ATS(frameSizeIndex: 8, interfaceA: 0x80, interfaceB: 0x71, interfaceC: 0x00),
    waiting: IsoDepTarget.WaitingPolicy = .standard, applicationAnswersAlways: Bool = true
  ) {
    self.uids = uids
    self.atqa = atqa
    self.sak = sak
    self.ats = ats
    self.waiting = waiting
    self.applicationAnswersAlways = applicationAnswersAlways
  }

  /// The identifier of the power-up with this number, counted from 0.
  func uid(powerUp number: Int) -> UID? {
    if uids.isEmpty { return try? UID(Self.exampleUID) }
    return uids[number % uids.count]
  }
}
