import NFCProtocols

/// Something that the chip does on the air by itself, one frame after the other.
protocol AirProcedure: Sendable {
  /// Takes what happened and says what to do next.
  mutating func next(_ event: AirEvent, at now: VirtualInstant) -> AirMove
}

/// What happened to the last move of a procedure.
enum AirEvent: Hashable, Sendable {
  /// The procedure begins; the field is on.
  case begin
  /// An answer has come.
  case answer(RadioFrame)
  /// No answer has come within the limit.
  case silence
  /// The frame without answer has left, or the pause is over.
  case ready
}

/// What a procedure wants done next.
enum AirMove: Hashable, Sendable {
  /// Send a frame and wait for the answer.
  case exchange(RadioFrame, TimeLimit)
  /// Send a frame that has no answer.
  case send(RadioFrame)
  /// Wait.
  case pause(until: VirtualInstant)
  /// The procedure is over.
  case done(AirResult)
}

/// What came of a procedure.
enum AirResult: Hashable, Sendable {
  /// The targets that were found.
  case targets([ActivatedTarget])
  /// The kinds of InAutoPoll and the targets that were found.
  case autoPolled([AutoPolledTarget])
  /// A status and data.
  case status(UInt8, [UInt8])
}

/// A kind of InAutoPoll and what was found of it.
struct AutoPolledTarget: Hashable, Sendable {
  var type: AutoPollType
  var target: ActivatedTarget
}

/// A target that was found and activated, before it has a number.
struct ActivatedTarget: Hashable, Sendable {
  var data: PassiveTargetData
  var modulation: PassiveModulation
  /// What the block protocol needs, if the target speaks it.
  var blocks: BlockAgreement?
}

/// What chip and card agreed on for ISO-DEP.
struct BlockAgreement: Hashable, Sendable {
  var parameters: IsoDepParameters
  var waitingTime: FrameWaitingTime
  var guardTime: Nanoseconds
}
