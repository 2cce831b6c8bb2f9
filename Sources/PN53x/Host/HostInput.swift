public import NFCProtocols

/// What can happen to a host engine.
public enum HostInput: Hashable, Sendable {
  /// Have the chip perform a command. One at a time: `HostEngine.isBusy` must be false.
  case perform(Command, CommandTiming)
  /// Have the firmware of an ACR122U do something; one at a time, like a command.
  case ask(ReaderRequest)
  /// Give the pending command up; it completes at once with `LinkFailure.cancelled`.
  case cancel
  /// End whatever the chip may be doing for an earlier program, and wait until the link is quiet.
  case clearLink
  /// The oldest transfer of `HostOutput.send` has left.
  case sent
  /// Bytes have come in: one transfer, or a piece of a serial stream.
  case received([UInt8])
  /// The reader refused a transfer (STALL) and the link has been cleared since.
  case stalled
  /// The timer has run out.
  case timer
  /// The reader has gone or its link was closed. Every later command fails at once.
  case linkEnded
}

/// What a host engine asks for.
public enum HostOutput: Hashable, Sendable {
  /// Send one transfer; `HostInput.sent` reports its end.
  case send([UInt8])
  /// Set the only timer, replacing a running one.
  case setTimer(at: VirtualInstant)
  /// Cancel the timer; harmless if it is not running.
  case cancelTimer
  /// The pending command has ended. Comes exactly once for each `perform`.
  case completed(CommandOutcome)
  /// The pending request to the reader's firmware has ended. Exactly once for each `ask`.
  case answered(Result<[UInt8], CommandFailure>)
  /// Something on the link that is worth a line in a log.
  case note(HostNote)
}

/// A request to the firmware of an ACR122U, which sits between the link and its PN532.
public enum ReaderRequest: Hashable, Sendable {
  /// IccPowerOn.
  case powerOn
  /// A pseudo-APDU of the reader, for example `FF 00 51 00 00`: its own polling off.
  case pseudoAPDU([UInt8])
}

/// Events on the link below the level of commands and answers.
public enum HostNote: Hashable, Sendable {
  /// The command was sent again, as no acknowledgement came or the chip refused the frame.
  case resent(CommandCode, attempt: Int)
  /// The chip was asked by NACK for its last response.
  case askedAgain(CommandCode)
  /// An answer counted as acknowledgement and answer, since the acknowledgement was lost.
  case acknowledgementMissing(CommandCode)
  /// An answer to a command that was given up before; it was thrown away.
  case lateAnswer([UInt8])
  /// A frame that fits nothing; it was thrown away.
  case unexpected(HostFrame)
  /// Bytes that are no frame, and how many.
  case corrupt(CorruptionReason, byteCount: Int)
  /// Input came before the end of the transfer that caused it was reported.
  case answeredBeforeSent(CommandCode)
  /// The running command was aborted.
  case aborted(CommandCode?)
  /// The link is quiet again after an abort; so many frames came meanwhile.
  case cleared(frames: Int)
  /// A message of an ACR122U with another sequence number than the command's; thrown away.
  case sequenceMismatch(expected: UInt8, found: UInt8)
  /// The ACR122U asked for more time.
  case timeExtension
  /// More was to be noted for one command than is kept; so much for this command.
  case suppressed
}
