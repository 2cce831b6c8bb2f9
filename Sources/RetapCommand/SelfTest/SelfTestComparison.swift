import NFCProtocols
import PN53x

/// What a chip did in the self-test beside what its model did, step by step.
struct SelfTestComparison {
  /// What came of one step.
  enum Verdict: String {
    /// The same answer.
    case same
    /// Another answer, though it depends on nothing but the commands before it.
    case different
    /// An answer that depends on the board or on what lies in the field.
    case noted
    /// The step was not reached.
    case missing
  }

  /// One step.
  struct Row {
    var step: SelfTestStep
    var verdict: Verdict
    /// The answers in words.
    var chip: String
    var model: String
    /// Medians; `nil` where a step was not reached or the link has no such thing.
    var chipTimes: Times?
    var modelTimes: Times?
  }

  /// The times of a command, as medians.
  struct Times: Equatable {
    /// From the end of the command's transfer to the acknowledgement.
    var acknowledgement: Nanoseconds?
    /// From the acknowledgement (or the command's end) to the answer.
    var answer: Nanoseconds
    /// From the request to the answer.
    var total: Nanoseconds
  }

  let rows: [Row]

  init(
    steps: [SelfTestStep], on kind: Chip, chip: [[CommandOutcome]], model: [[CommandOutcome]]
  ) {
    rows = zip(steps, zip(chip, model)).map { step, outcomes in
      Row(
        step: step, verdict: Self.verdict(step, outcomes.0, outcomes.1),
        chip: Self.words(outcomes.0, kind),
        model: Self.words(outcomes.1, kind),
        chipTimes: Self.times(outcomes.0), modelTimes: Self.times(outcomes.1))
    }
  }

  /// Steps whose answers should be the same and are not.
  var differences: Int { rows.count { $0.verdict == .different } }
  /// Steps that were compared.
  var compared: Int { rows.count { $0.verdict == .same || $0.verdict == .different } }

  /// The median ratio of the times of chip and model in hundredths; `nil` if nothing was timed.
  var timeRatio: Int64? {
    let ratios = rows.compactMap { row -> Int64? in
      guard row.step.dependence != .field, let chip = row.chipTimes, let model = row.modelTimes,
        model.total > .zero
      else { return nil }
      return chip.total.count * 100 / model.total.count
    }
    return ratios.isEmpty ? nil : ratios.sorted()[ratios.count / 2]
  }

  private static func verdict(
    _ step: SelfTestStep, _ chip: [CommandOutcome], _ model: [CommandOutcome]
  ) -> Verdict {
    guard let last = chip.last, let expected = model.last else { return .missing }
    guard step.dependence == .state else { return .noted }
    // All repetitions must agree: an answer that changes is a difference too.
    let isSame = chip.allSatisfy { answer($0) == answer(last) } && answer(last) == answer(expected)
    return isSame ? .same : .different
  }

  /// What is compared: the response, or the kind of failure without its times.
  private static func answer(
    _ outcome: CommandOutcome
  ) -> Result<Response, AnswerProblem> {
    outcome.result.mapError { AnswerProblem(problem: $0.problem) }
  }

  private struct AnswerProblem: Error, Equatable {
    var problem: CommandFailure.Problem
  }

  private static func words(_ outcomes: [CommandOutcome], _ chip: Chip) -> String {
    guard let last = outcomes.last else { return "-" }
    switch last.result {
    case .success(let response):
      // In a timeline the text stands behind the name of the command.
      let text = response.text(to: last.command, from: chip)
      return text.hasPrefix(": ") ? String(text.dropFirst(2)) : text
    case .failure(let failure): return failure.problem.text
    }
  }

  /// The medians over the repetitions that were answered.
  private static func times(_ outcomes: [CommandOutcome]) -> Times? {
    let stamps = outcomes.map(\.stamps).filter { $0.answered != nil }
    guard
      let total = median(
        stamps.compactMap { stamps in stamps.answered.map { $0 - stamps.requested } })
    else { return nil }
    let answers = stamps.compactMap { stamps in
      stamps.answered.map { $0 - (stamps.acknowledged ?? stamps.sent ?? stamps.requested) }
    }
    let acknowledgements = stamps.compactMap { stamps -> Nanoseconds? in
      guard let acknowledged = stamps.acknowledged, let sent = stamps.sent else { return nil }
      return acknowledged - sent
    }
    return Times(
      acknowledgement: median(acknowledgements), answer: median(answers) ?? total, total: total)
  }

  private static func median(_ times: [Nanoseconds]) -> Nanoseconds? {
    times.isEmpty ? nil : times.sorted()[times.count / 2]
  }
}
