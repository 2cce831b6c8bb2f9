import NFCProtocols

/// A command or request that has not completed.
struct PendingRequest: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case command(Command)
    case reader(ReaderRequest)
  }

  let content: Content
  let timing: CommandTiming
  var stamps: CommandStamps
  /// The frame, or the data of a CCID message.
  var bytes: [UInt8] = []
  /// The number of the transfer that carried the command last, and whether it has left.
  var transfer = 0
  var hasLeft = false
  var sendings = 0
  /// NACKs sent.
  var repetitions = 0
  var isAcknowledged = false
  /// The fault of an answer that came damaged.
  var damage: CorruptionReason?
  /// True while the rest of an answer is fetched from an ACR122U.
  var isFetching = false

  init(_ content: Content, _ timing: CommandTiming, at now: VirtualInstant) {
    self.content = content
    self.timing = timing
    stamps = CommandStamps(requested: now)
  }

  var code: CommandCode? {
    if case .command(let command) = content { command.code } else { nil }
  }
}
