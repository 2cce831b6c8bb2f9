public import NFCProtocols

/// What came of a command.
public struct CommandOutcome: Hashable, Sendable {
  /// The command.
  public var command: Command
  /// The response, whose status is good; or why there is none.
  public var result: Result<Response, CommandFailure>
  /// When what happened on the link.
  public var stamps: CommandStamps

  /// Makes an outcome.
  public init(
    _ command: Command, _ result: Result<Response, CommandFailure>, stamps: CommandStamps
  ) {
    self.command = command
    self.result = result
    self.stamps = stamps
  }
}

/// The instants of one command on the link, as the transfers completed.
public struct CommandStamps: Hashable, Sendable {
  /// When the command was asked for.
  public var requested: VirtualInstant
  /// When the transfer of the command that was answered had left, if that was reported.
  public var sent: VirtualInstant?
  /// When the acknowledgement arrived; ACR122U has none.
  public var acknowledged: VirtualInstant?
  /// When the answer arrived.
  public var answered: VirtualInstant?
  /// The bytes of the frame of the command.
  public var commandLength = 0
  /// The bytes of the frame of the answer.
  public var answerLength = 0
  /// How often the command was sent.
  public var sendings = 0

  /// Makes stamps of a command that was asked for at an instant.
  public init(requested: VirtualInstant) { self.requested = requested }
}
