import NFCProtocols
import PN53x

/// One exchange by InDataExchange: parts with MI in both directions where they must be.
struct DataExchange: Sendable {
  enum Move: Sendable {
    case perform(Command, CommandTiming)
    case done([UInt8])
    case failed(CommandFailure)
    /// The target sends parts without end.
    case tooLong
  }

  private let target: UInt8
  private let waitingTime: Nanoseconds?
  private let settings: ChipSettings
  private let partLength: Int
  private var rest: ArraySlice<UInt8>
  private var response: [UInt8] = []
  private var parts = 0

  /// The longest response that is joined: that of an extended APDU.
  static let maximumResponseLength = IsoDepInitiator.maximumResponseBytes

  /// - Parameter maximumBodyLength: The longest frame body on the link.
  init(
    _ data: [UInt8], to target: UInt8, waitingTime: Nanoseconds?, settings: ChipSettings,
    maximumBodyLength: Int
  ) {
    self.target = target
    self.waitingTime = waitingTime
    self.settings = settings
    // D4 40 Tg stand in front of the data.
    partLength = maximumBodyLength - 3
    rest = data[...]
  }

  mutating func begin() -> Move { sendPart() }

  private mutating func sendPart() -> Move {
    let part = rest.prefix(partLength)
    rest = rest.dropFirst(part.count)
    let reference = TargetReference(target, moreInformation: !rest.isEmpty)
    let command = Command.inDataExchange(reference, Array(part))
    return .perform(command, settings.timing(of: command, waitingTime: waitingTime))
  }

  mutating func completed(_ outcome: CommandOutcome) -> Move {
    switch outcome.result {
    case .failure(let failure): return .failed(failure)
    case .success(let answer):
      guard case .data(_, let status, let data) = answer else { return .done(response) }
      if !rest.isEmpty { return sendPart() }
      response += data
      guard status.hasMoreInformation else { return .done(response) }
      parts += 1
      guard response.count <= Self.maximumResponseLength, parts <= Self.maximumResponseLength,
        !data.isEmpty || parts <= Self.maximumEmptyParts
      else { return .tooLong }
      return sendPart()
    }
  }

  /// Parts without data in a row that are asked past.
  private static let maximumEmptyParts = 16
}
