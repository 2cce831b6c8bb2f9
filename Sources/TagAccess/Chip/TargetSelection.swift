public import NFCProtocols
public import PN53x

/// Looks once for a target of one modulation and has the chip activate it.
///
/// What the chip holds is released first: a card that is still selected answers no poll (scenario
/// S10). The number of tries is finite, so that a card that has left cannot keep the chip busy for
/// ever (S9).
public struct TargetSelection: SessionAgenda, Sendable {
  /// What was found, or why nothing was, once the agenda is done.
  public private(set) var result: Result<SelectedTarget, TagAccessError>?
  /// True to release what the chip holds first.
  public var releasesFirst = true
  /// How long to wait at most; by default as long as the chip's own tries take.
  public var patience: Nanoseconds?

  private let modulation: PassiveModulation
  private let uid: [UInt8]?
  private var settings: ChipSettings
  private let chip: Chip

  /// Makes a selection.
  ///
  /// - Parameter uid: Type A: the only UID that is wanted; another one is never taken for it.
  public init(
    _ modulation: PassiveModulation, uid: [UInt8]? = nil, chip: Chip, settings: ChipSettings
  ) {
    precondition(uid == nil || modulation == .typeA106, "only type A is selected by a UID")
    self.modulation = modulation
    self.uid = uid
    self.chip = chip
    self.settings = settings
  }

  /// The first command.
  public mutating func begin(at now: VirtualInstant) -> SessionMove {
    // An RC-S956 refuses to release what it does not hold.
    if releasesFirst, chip != .rcS956 { return perform(.inRelease(TargetReference(0))) }
    return prepare()
  }

  /// The next command, if there is one.
  public mutating func completed(
    _ outcome: CommandOutcome, at now: VirtualInstant
  ) -> SessionMove {
    guard case .success(let response) = outcome.result else {
      if case .failure(let failure) = outcome.result { return failed(outcome.command, failure) }
      return .done
    }
    settings.done(outcome.command)
    switch response {
    case .passiveTargets(let targets): return found(targets)
    case .done: return poll()
    default: return prepare()
    }
  }

  private func perform(_ command: Command) -> SessionMove {
    .perform(command, settings.timing(of: command))
  }

  private func prepare() -> SessionMove {
    guard settings.activationRetries == ChipSettings.endless, patience == nil else {
      return poll()
    }
    return perform(
      .rfConfiguration(.maximumRetries(atr: 0, psl: 1, passiveActivation: Self.retries)))
  }

  /// libnfc's number.
  private static let retries: UInt8 = 2

  private func poll() -> SessionMove {
    var data: [UInt8] = []
    switch modulation.technology {
    case .a: data = uid.map(Self.initiatorData) ?? []
    case .b: data = [0x00]
    case .f: data = [0x00, 0xFF, 0xFF, 0x01, 0x00]
    case .v: break
    }
    let command = Command.inListPassiveTarget(maximum: 1, modulation, initiatorData: data)
    return .perform(command, patience.map { .patience($0) } ?? settings.timing(of: command))
  }

  /// A UID with its cascade tags, as InListPassiveTarget takes it.
  private static func initiatorData(_ uid: [UInt8]) -> [UInt8] {
    switch uid.count {
    case 7: [UID.cascadeTag] + uid
    case 10: [UID.cascadeTag] + uid[..<3] + [UID.cascadeTag] + uid[3...]
    default: uid
    }
  }

  private mutating func found(_ targets: [PassiveTarget]) -> SessionMove {
    guard let first = targets.first else { return end(.noTag) }
    do {
      let target = try SelectedTarget(first)
      if let uid, target.tag.identifier != uid { return end(.otherTag(target.tag.identifier)) }
      result = .success(target)
      return .done
    } catch {
      return end(.malformed(error, []))
    }
  }

  private mutating func failed(_ command: Command, _ failure: CommandFailure) -> SessionMove {
    // A target that does not answer its release has left: that is what was wanted.
    if command.code == .inRelease, failure.link == nil { return prepare() }
    if command.code == .inListPassiveTarget {
      // Silence of the chip is all that a poll with patience finds in an empty field.
      if failure.link == .notAnswered, patience != nil { return end(.noTag) }
      if failure.radio == .silence { return end(.noTag) }
    }
    return end(.chip(failure))
  }

  private mutating func end(_ problem: TagAccessError.Problem) -> SessionMove {
    result = .failure(
      TagAccessError(.poll(modulation.technology), command: uid ?? [], problem))
    return .done
  }
}
