public import NFCProtocols
public import PN53x

/// Watches the field until a tag comes or goes.
///
/// Run it again after each event to go on. What the chip holds is released between polls, and a
/// tag counts as gone only after it has missed some in a row: a tag at rest may answer every second
/// poll only (scenario S10).
public struct TargetWatch: SessionAgenda, Sendable {
  /// What happened, once the agenda is done.
  public private(set) var event: Event?
  /// The tag in the field.
  public private(set) var present: SelectedTarget?

  /// What can happen.
  public enum Event: Hashable, Sendable {
    /// A tag has come; the chip holds it, ready for exchanges.
    case arrived(SelectedTarget)
    /// The tag has gone.
    case left(SelectedTarget)
    /// The reader does not work.
    case failed(TagAccessError)
  }

  /// The time between two polls.
  public var interval: Nanoseconds = .milliseconds(100)
  /// How many polls in a row a tag must miss to count as gone.
  public var misses = 2

  private let modulations: [PassiveModulation]
  private var reader: ChipReader
  private var index = 0
  private var missed = 0
  private var selection: TargetSelection?
  /// A tag that has come while another one was still counted as present.
  private var newcomer: SelectedTarget?

  /// Makes a watch.
  public init(
    _ modulations: [PassiveModulation] = [.typeA106, .typeB106, .feliCa212],
    on reader: ChipReader
  ) {
    precondition(!modulations.isEmpty, "a watch looks for at least one modulation")
    self.modulations = modulations
    self.reader = reader
  }

  /// The first command, or the first after an event.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    event = nil
    if let newcomer {
      self.newcomer = nil
      return arrived(newcomer)
    }
    if present != nil { return .rest(until: now + interval) }
    return poll(isFirst: true, at: now)
  }

  /// The next command, if there is one.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    if case .success = outcome.result { reader.settings.done(outcome.command) }
    guard let move = selection?.completed(outcome, at: now) else { return .done }
    guard move == .done, let result = selection?.result else { return move }
    switch result {
    case .success(let target): return found(target, at: now)
    case .failure(let error) where error.problem == .noTag: return missed(at: now)
    case .failure(let error):
      event = .failed(error)
      return .done
    }
  }

  /// Goes on after the interval.
  public mutating func woken(at now: VirtualInstant) -> SessionMove {
    poll(isFirst: true, at: now)
  }

  private mutating func poll(isFirst: Bool, at now: VirtualInstant) -> SessionMove {
    var selection = TargetSelection(
      modulations[index], chip: reader.chip, settings: reader.settings)
    selection.releasesFirst = isFirst
    let move = selection.begin(at: now)
    self.selection = selection
    return move
  }

  private mutating func found(_ target: SelectedTarget, at now: VirtualInstant) -> SessionMove {
    missed = 0
    guard let old = present else { return arrived(target) }
    if isSame(old, target) {
      present = target
      return .rest(until: now + interval)
    }
    newcomer = target
    return left(old)
  }

  /// A random identifier says nothing, so only the kind can be compared.
  private func isSame(_ old: SelectedTarget, _ new: SelectedTarget) -> Bool {
    if old.tag.hasRandomIdentifier, new.tag.hasRandomIdentifier {
      return old.tag.technology == new.tag.technology && old.tag.sak == new.tag.sak
    }
    return old.tag.identifier == new.tag.identifier
  }

  private mutating func arrived(_ target: SelectedTarget) -> SessionMove {
    present = target
    event = .arrived(target)
    return .done
  }

  private mutating func left(_ target: SelectedTarget) -> SessionMove {
    present = nil
    event = .left(target)
    return .done
  }

  private mutating func missed(at now: VirtualInstant) -> SessionMove {
    if let old = present {
      missed += 1
      guard missed < misses else {
        missed = 0
        return left(old)
      }
      return .rest(until: now + interval)
    }
    index = (index + 1) % modulations.count
    return index == 0 ? .rest(until: now + interval) : poll(isFirst: false, at: now)
  }
}
