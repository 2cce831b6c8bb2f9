public import NFCProtocols
public import PN53x

/// Decides, command by command, what a session does: a fixed plan, a card reader, an emulation.
///
/// It is asked from inside the link's event handling and must not wait.
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
}

extension SessionAgenda {
  /// Most agendas ask nothing of the reader's firmware.
  public mutating func answered(
    _ answer: Result<[UInt8], CommandFailure>, at now: VirtualInstant
  ) -> SessionMove { .done }
  /// Most agendas never rest.
  public mutating func woken(at now: VirtualInstant) -> SessionMove { .done }
}
