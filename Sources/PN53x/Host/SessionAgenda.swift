public import NFCProtocols

/// Decides, command by command, what a session with a reader does: a plan, a reader, an emulation.
///
/// It has one command under way, or rests; it is asked again when that has ended, and never waits.
public protocol SessionAgenda {
  /// The first thing to do.
  mutating func begin(at now: VirtualInstant) -> SessionMove
  /// What to do after a command has ended.
  mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove
  /// What to do after a request to the reader's own firmware has ended.
  mutating func answered(
    _ answer: Result<[UInt8], CommandFailure>, at now: VirtualInstant
  ) -> SessionMove
  /// What to do now that the instant of `rest` has come.
  mutating func woken(at now: VirtualInstant) -> SessionMove
}

/// What an agenda wants.
public enum SessionMove: Hashable, Sendable {
  /// Give these to the host engine, in order; the last one completes.
  case inputs([HostInput])
  /// Let the link be until an instant, then ask again.
  case rest(until: VirtualInstant)
  /// Everything is done.
  case done

  /// Have the chip perform one command.
  public static func perform(_ command: Command, _ timing: CommandTiming) -> SessionMove {
    .inputs([.perform(command, timing)])
  }
}

extension SessionAgenda {
  /// Most agendas ask nothing of the reader's firmware.
  public mutating func answered(
    _ answer: Result<[UInt8], CommandFailure>, at now: VirtualInstant
  ) -> SessionMove { .done }
  /// Most agendas never rest.
  public mutating func woken(at now: VirtualInstant) -> SessionMove { .done }
}

extension LinkPlan: SessionAgenda {
  /// The first move.
  public mutating func begin(at now: VirtualInstant) -> SessionMove { sessionMove(begin()) }

  /// The move after a command has completed.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove { sessionMove(completed(outcome)) }

  /// The move after a request to the reader's own firmware has completed.
  public mutating func answered(
    _ answer: Result<[UInt8], CommandFailure>, at now: VirtualInstant
  ) -> SessionMove { sessionMove(answered(answer)) }

  private mutating func sessionMove(_ move: Move) -> SessionMove {
    switch move {
    case .inputs(let inputs): return .inputs(inputs)
    case .done: return .done
    case .failed(let failure):
      self.failure = failure
      return .done
    }
  }
}
