public import NFCProtocols

/// What a chip has been set to, as far as time limits depend on it.
///
/// Whoever performs commands tells it of every good outcome; it gives the limits of later commands.
public struct ChipSettings: Hashable, Sendable {
  /// The limit of ATR_RES (RFConfiguration item 02).
  public private(set) var attributeLimit = RFTimeoutCode(rawValue: 0x0B)
  /// The limit of raw, MIFARE and FeliCa exchanges (RFConfiguration item 02).
  public private(set) var exchangeLimit = RFTimeoutCode(rawValue: 0x0A)
  /// How often an exchange is repeated (item 04).
  public private(set) var exchangeRetries: UInt8 = 0
  /// How often ATR_REQ is repeated (item 05); FF is for ever.
  public private(set) var attributeRetries: UInt8 = 0xFF
  /// How often a passive target is looked for again (item 05); FF is for ever.
  public private(set) var activationRetries: UInt8 = 0xFF
  /// The flags of SetParameters.
  public private(set) var flags = ParameterFlags.usual
  /// True if the field is on, `nil` while that is not known.
  public private(set) var isFieldOn: Bool?

  /// The value of retries that means "for ever".
  public static let endless: UInt8 = 0xFF

  /// The settings of a chip after power-on (UM0701-02 7.3.1 as used by libnfc and nfcpy).
  public init() {}

  /// Takes note of a command that was done.
  public mutating func done(_ command: Command) {
    switch command {
    case .setParameters(let flags): self.flags = flags
    case .rfConfiguration(let item):
      switch item {
      case .field(let isOn, _): isFieldOn = isOn
      case .timings(_, let attribute, let exchange):
        attributeLimit = attribute
        exchangeLimit = exchange
      case .maximumRetriesCommunication(let count): exchangeRetries = count
      case .maximumRetries(let attribute, _, let activation):
        attributeRetries = attribute
        activationRetries = activation
      default: break
      }
    case .inListPassiveTarget, .inAutoPoll, .inJumpForDEP, .inJumpForPSL:
      isFieldOn = true
    case .tgInitAsTarget, .powerDown:
      isFieldOn = false
    default: break
    }
  }

  /// How long a command may take.
  ///
  /// - Parameter waitingTime: FWT of the card that an InDataExchange goes to; the chip then grants
  ///   extensions by itself, and only their sum is limited here. `nil` for cards without ISO-DEP.
  public func timing(
    of command: Command, waitingTime: Nanoseconds? = nil
  ) -> CommandTiming {
    switch command {
    case .tgInitAsTarget, .tgGetData, .tgGetInitiatorCommand, .rfRegulationTest,
      .diagnose(test: 0x05, _):
      return .unlimited
    case .inListPassiveTarget(_, let modulation, _):
      return repeated(activationRetries, Self.activationTime(modulation), and: .seconds(1))
    case .inJumpForDEP, .inJumpForPSL, .inATR:
      return repeated(
        attributeRetries, attributeLimit.duration ?? .seconds(1), and: .seconds(3))
    case .inAutoPoll(let rounds, let period, let types):
      let round = Nanoseconds.milliseconds(150) * Int64(period) * Int64(max(types.count, 1))
      return rounds == Self.endless
        ? .unlimited : .within(round * Int64(max(rounds, 1)) + .seconds(1))
    case .inCommunicateThru, .communicateThruEX:
      return exchange(times: 1)
    case .inDataExchange:
      guard let waitingTime else { return exchange(times: Int64(exchangeRetries) + 1) }
      return .within(waitingTime * Self.blockAttempts + Self.extensionAllowance)
    default:
      return .within(Self.fixedLimit(of: command.code))
    }
  }

  private func repeated(
    _ retries: UInt8, _ once: Nanoseconds, and margin: Nanoseconds
  ) -> CommandTiming {
    guard retries != Self.endless else { return .unlimited }
    return .within(once * (Int64(retries) + 1) + margin)
  }

  private func exchange(times: Int64) -> CommandTiming {
    guard let limit = exchangeLimit.duration else { return .unlimited }
    return .within(limit * times + Self.exchangeMargin)
  }

  /// On top of the radio limit: two frames of 265 bytes over the air (45 ms) and over a serial
  /// line of 115,200 baud (48 ms), and the 100 ms that nfcpy adds.
  static let exchangeMargin = Nanoseconds.milliseconds(200)
  /// One block and two repetitions, as the chip is believed to try [?].
  static let blockAttempts: Int64 = 3
  /// All extensions that a card may ask for in one exchange: twelve of the longest FWT (4.95 s).
  public static let extensionAllowance = Nanoseconds.seconds(60)

  /// One try of InListPassiveTarget: 98 ms for three tries at 212 kbit/s (nfcpy issue 15); a type B
  /// card may take the longest FWT for ATTRIB.
  private static func activationTime(_ modulation: PassiveModulation) -> Nanoseconds {
    switch modulation {
    case .typeB106, .typeB212, .typeB424, .typeB848: .milliseconds(5_000)
    default: .milliseconds(50)
    }
  }

  /// The limits of nfcpy, and for InRelease the 2 s that libnfc has seen.
  private static func fixedLimit(of code: CommandCode) -> Nanoseconds {
    switch code {
    case .getFirmwareVersion, .getGeneralStatus, .setParameters, .rfConfiguration,
      .tgSetGeneralBytes, .tgGetTargetStatus, .samConfiguration, .setSerialBaudRate:
      .milliseconds(250)
    case .readRegister, .writeRegister, .readGPIO, .writeGPIO: .milliseconds(500)
    case .inRelease, .inDeselect: .milliseconds(2_500)
    default: .seconds(1)
    }
  }
}
