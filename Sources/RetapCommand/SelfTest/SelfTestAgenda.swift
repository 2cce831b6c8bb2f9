import NFCProtocols
import PN53x

/// Has a chip do all steps of the self-test, each as often as it says.
struct SelfTestAgenda: SessionAgenda {
  let steps: [SelfTestStep]
  /// The outcomes of each step.
  private(set) var outcomes: [[CommandOutcome]]
  /// Why it ended early: the reader went, or somebody interrupted.
  private(set) var failure: CommandFailure?
  private var settings: ChipSettings
  private var place = 0

  init(_ steps: [SelfTestStep], settings: ChipSettings) {
    self.steps = steps
    self.settings = settings
    outcomes = Array(repeating: [], count: steps.count)
  }

  mutating func begin(at now: VirtualInstant) -> SessionMove { next() }

  mutating func completed(_ outcome: CommandOutcome, at now: VirtualInstant) -> SessionMove {
    switch outcome.result {
    case .success: settings.done(outcome.command)
    case .failure(let failure):
      if failure.link == .ended || failure.link == .cancelled {
        self.failure = failure
        return .done
      }
    }
    outcomes[place].append(outcome)
    return next()
  }

  private mutating func next() -> SessionMove {
    while place < steps.count, outcomes[place].count >= steps[place].times { place += 1 }
    guard place < steps.count else { return .done }
    let command = steps[place].command
    return .inputs([.perform(command, settings.timing(of: command))])
  }
}
