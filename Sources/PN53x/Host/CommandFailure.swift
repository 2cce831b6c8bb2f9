public import NFCProtocols

/// Why a command has no good answer: what was asked, in which step it ended, how long it took.
public struct CommandFailure: Error, Hashable, Sendable {
  /// The command, or `nil` for a request to the reader's own firmware.
  public var command: CommandCode?
  /// How far the command had come.
  public var step: Step
  /// The time since the command was asked for.
  public var waited: Nanoseconds
  /// What went wrong.
  public var problem: Problem

  /// Makes a failure.
  public init(
    _ command: CommandCode?, in step: Step, waited: Nanoseconds, _ problem: Problem
  ) {
    self.command = command
    self.step = step
    self.waited = waited
    self.problem = problem
  }

  /// The steps of a command.
  public enum Step: UInt8, Hashable, Sendable {
    /// Before anything was sent.
    case preparing
    /// The transfer of the command had not left.
    case sending
    /// The chip had not yet acknowledged the command.
    case acknowledging
    /// The chip was working.
    case answering
    /// The answer was there.
    case reading
  }

  /// What can go wrong.
  public enum Problem: Hashable, Sendable {
    /// Something between host and chip, or in the chip.
    case link(LinkFailure)
    /// The chip is fine and reports this of the air, the card or the initiator.
    case radio(RadioFailure)
    /// The chip did not take the command in its present state, or has trouble itself.
    case chip(ChipStatus)
  }

  /// The failure of the radio, if it is one.
  public var radio: RadioFailure? {
    if case .radio(let failure) = problem { failure } else { nil }
  }

  /// The failure of the link, if it is one.
  public var link: LinkFailure? {
    if case .link(let failure) = problem { failure } else { nil }
  }
}

/// What the chip reports of the other side of the air.
public enum RadioFailure: Hashable, Sendable {
  /// Status 01: no answer within the limit of the chip.
  case silence
  /// An answer came but it was damaged or broke the protocol.
  case damaged(ChipStatus)
  /// The other side ended the session, or its field has gone (29, 2B, 2F, 31).
  case released(ChipStatus)
  /// The card refused the authentication (14); it is halted now.
  case authentication
  /// A number that no list knows.
  case unknown(ChipStatus)

  /// The status of the chip behind it.
  public var status: ChipStatus {
    switch self {
    case .silence: .timeout
    case .authentication: .authenticationError
    case .damaged(let status), .released(let status), .unknown(let status): status
    }
  }
}

extension CommandFailure.Problem {
  /// What a status other than success says.
  public init(_ status: ChipStatus) {
    switch status.category {
    case .radio: self = .radio(status == .timeout ? .silence : .damaged(status))
    case .released: self = .radio(.released(status))
    case .authentication: self = .radio(.authentication)
    case .chip, .argument: self = .chip(status)
    case .success, .unknown: self = .radio(.unknown(status))
    }
  }
}

/// What can go wrong between a host and a chip.
public enum LinkFailure: Hashable, Sendable {
  /// The reader has gone.
  case ended
  /// The caller gave the command up.
  case cancelled
  /// The transfer of the command never left.
  case notSent
  /// The reader refused the transfer.
  case stalled
  /// The chip did not acknowledge the command, although it was sent again.
  case notAcknowledged
  /// The chip acknowledged the command and did not answer within its limit.
  case notAnswered
  /// The answer was damaged, also when it was asked for again.
  case damagedAnswer(CorruptionReason)
  /// The answer cannot be told from that to the command before; the command may have run.
  case uncertain
  /// The chip answered with its error frame (7F; `63 7F` of an ACR122U).
  case syntaxError
  /// The answer is sound but cannot be read as one to this command.
  case malformed(PN53xError)
  /// The command cannot be put into a frame for this chip.
  case notEncodable(PN53xError)
  /// This chip does not have the command.
  case notSupported(Chip)
  /// The device never falls silent.
  case neverQuiet
  /// ACR122U: the PN532 behind it did not answer in time (`63 00`).
  case chipSilent
  /// ACR122U: an empty block, with its bError: the card is mute.
  case mute(error: UInt8)
  /// ACR122U: more was announced (`61 xx`) than could be fetched.
  case notFetched(length: UInt8)
  /// ACR122U: a block that is no answer to a command.
  case unexpectedBlock([UInt8])
}
