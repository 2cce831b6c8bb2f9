import PN53x

/// A command of a chip; `Command` alone is one of this program.
typealias ChipCommand = PN53x.Command

/// One command of the self-test and what its answer may depend on.
struct SelfTestStep: Equatable {
  /// What an answer depends on.
  enum Dependence: String {
    /// On the commands before it alone: model and chip must give the same bytes.
    case state
    /// On the board around the chip, or on its firmware: noted, not compared.
    case board
    /// On what lies in the field: noted, not compared.
    case field
  }

  let name: String
  let command: ChipCommand
  let dependence: Dependence
  /// How often it is asked, for a median.
  let times: Int

  init(_ name: String, _ command: ChipCommand, _ dependence: Dependence = .state, times: Int = 10) {
    self.name = name
    self.command = command
    self.dependence = dependence
    self.times = times
  }

  /// The steps that a chip has, in their order.
  ///
  /// Nothing is written that outlives the power.
  ///
  /// - Parameter isBehindCCID: True for an ACR122U, whose messages are shorter.
  static func all(for chip: Chip, isBehindCCID: Bool = false) -> [SelfTestStep] {
    let maximumBody =
      isBehindCCID
      ? min(Chip.acr122MaximumBodyLength, chip.maximumBodyLength) : chip.maximumBodyLength
    let steps =
      link + registers + settings(for: chip) + radio(for: chip) + refusals
      + long(maximumBody: maximumBody)
    return steps.filter { $0.command.code.exists(on: chip) || isUnknown($0.command) }
  }

  private static func isUnknown(_ command: ChipCommand) -> Bool {
    if case .unknown = command { true } else { false }
  }

  private static let link: [SelfTestStep] = [
    SelfTestStep("firmware", .getFirmwareVersion, .board, times: 20),
    SelfTestStep("status", .getGeneralStatus, times: 10),
    SelfTestStep("echo of 6 bytes", .diagnose(test: 0, parameters: Array("libnfc".utf8))),
    SelfTestStep("ROM", .diagnose(test: 1, parameters: []), times: 1),
    SelfTestStep("RAM", .diagnose(test: 2, parameters: []), times: 1),
  ]

  private static let registers: [SelfTestStep] = [
    SelfTestStep("read 1 register", .readRegister([.bitFraming])),
    SelfTestStep(
      "write 1 register", .writeRegister([RegisterWrite(.bitFraming, 0)])),
    SelfTestStep("read 3 registers", .readRegister([.txMode, .rxMode, .txAuto]), .board),
    SelfTestStep("read ports", .readGPIO, .board),
  ]

  private static func settings(for chip: Chip) -> [SelfTestStep] {
    let first: UInt8 = chip == .rcS956 ? 0x0B : 0
    return [
      SelfTestStep("parameters", .setParameters(.usual)),
      SelfTestStep(
        "time limits",
        .rfConfiguration(
          .timings(
            first, atrResponse: RFTimeoutCode(rawValue: 0x0B),
            retry: RFTimeoutCode(rawValue: 0x0A)))),
      SelfTestStep("retries of exchanges", .rfConfiguration(.maximumRetriesCommunication(0))),
      SelfTestStep(
        "retries of polls",
        .rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: 0))),
    ]
  }

  private static func radio(for chip: Chip) -> [SelfTestStep] {
    func field(_ isOn: Bool, _ avoidance: Bool = false) -> ChipCommand {
      .rfConfiguration(.field(isOn: isOn, automaticCollisionAvoidance: avoidance))
    }
    func poll(_ modulation: PassiveModulation, _ data: [UInt8] = []) -> ChipCommand {
      .inListPassiveTarget(maximum: 1, modulation, initiatorData: data)
    }
    // System code FFFF: any card; request code 0, one time slot (JIS X 6319-4).
    let feliCa: [UInt8] = [0x00, 0xFF, 0xFF, 0x00, 0x00]
    let polls: [(String, PassiveModulation, [UInt8])] = [
      ("poll A", .typeA106, []), ("poll F 212", .feliCa212, feliCa),
      ("poll F 424", .feliCa424, feliCa), ("poll B", .typeB106, [0x00]),
      ("poll Jewel", .jewel106, []),
    ]
    return [
      SelfTestStep("field off", field(false)), SelfTestStep("field on", field(true)),
      SelfTestStep("field off, avoidance", field(false, true)),
    ]
      + polls.filter { chip.allows($0.1) }.map {
        SelfTestStep($0.0, poll($0.1, $0.2), .field, times: 3)
      } + [SelfTestStep("field off again", field(false), times: 1)]
  }

  /// What a chip refuses, and how.
  private static let refusals: [SelfTestStep] = [
    SelfTestStep(
      "exchange without a card", .inDataExchange(TargetReference(1), [0x30, 0x00]), times: 3),
    SelfTestStep("select without a card", .inSelect(TargetReference(1)), times: 3),
    SelfTestStep("state as a target", .tgGetTargetStatus, times: 3),
    SelfTestStep("unknown command", .unknown(CommandCode(rawValue: 0xFE), []), times: 3),
  ]

  /// Frames that overwrite the descriptors of a PN533; the end of the session puts them back.
  private static func long(maximumBody: Int) -> [SelfTestStep] {
    func echo(_ count: Int) -> SelfTestStep {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      return SelfTestStep("echo of \(count) bytes", .diagnose(test: 0, parameters: bytes), times: 3)
    }
    // 54 and 118 make frames of 64 and 128 bytes with code and test number; 251 is the longest of a
    // PN531, 252 and 253 are on both sides of the longest normal frame, 262 is the longest of all.
    return [54, 118, 251, 252, 253, 262].filter { $0 + 3 <= maximumBody }.map(echo)
  }
}
