public import NFCProtocols

/// Compares what comes with what was recorded: strict order, exact bytes, each exchange once.
///
/// Policies and masks loosen that where they are asked for by name.
public struct ScriptMatcher: Sendable {
  /// The recorded exchanges.
  public let script: ReplayScript
  /// What is looser than strict.
  public var policy: MatchPolicy
  /// The fields whose bytes may differ.
  public var masks: MaskSet
  /// True in runs with faults: disagreements are passed over, what counts is how the code fares.
  public var isForgiving = false
  /// The index of the next exchange in strict order.
  public private(set) var position = 0
  /// The exchanges that have agreed, in the order in which they did.
  public private(set) var agreed: [Int] = []
  /// The first disagreement.
  public private(set) var divergence: Divergence?
  /// True if a command came after the last exchange of a script that was cut: all is played then.
  public private(set) var hasReachedCut = false
  private var isTaken: [Bool]
  private var comparison: FrameComparison

  /// Makes a matcher at the first exchange.
  public init(_ script: ReplayScript, policy: MatchPolicy = .strict, masks: MaskSet = .none) {
    self.script = script
    self.policy = policy
    self.masks = masks
    isTaken = [Bool](repeating: false, count: script.entries.count)
    comparison = FrameComparison(layer: script.layer, masks: masks)
    agreed.reserveCapacity(script.entries.count)
  }

  /// True if every exchange has been taken.
  public var isExhausted: Bool { position >= script.entries.count }

  /// The number of recorded exchanges that nobody has asked for.
  public var leftoverCount: Int { isTaken.reduce(0) { $0 + ($1 ? 0 : 1) } }

  /// Looks for the exchange that a command opens, and takes it.
  ///
  /// - Returns: Its index, or `nil` after a divergence.
  public mutating func take(_ command: RadioFrame, at now: VirtualInstant) -> Int? {
    if position < script.entries.count,
      comparison.fits(script.entries[position].command, command, .outbound)
    {
      return take(position)
    }
    if let index = loosely(command) { return take(index) }
    let isOver = position >= script.entries.count
    if isOver, script.isCut {
      hasReachedCut = true
      return nil
    }
    diverge(
      Divergence(
        isOver ? .unexpected : .different, exchange: position + 1, direction: .outbound,
        expected: isOver ? nil : script.entries[position].command, actual: command, at: now))
    return nil
  }

  /// Compares an answer with the recorded one.
  ///
  /// - Returns: True if it fits; otherwise there is a divergence.
  public mutating func check(
    _ answer: RadioFrame, against index: Int, part: Int = 0, at now: VirtualInstant
  ) -> Bool {
    let answers = script.entries[index].answers
    guard part < answers.count else {
      diverge(
        Divergence(
          .unexpected, exchange: index + 1, direction: .inbound, expected: nil, actual: answer,
          at: now))
      return false
    }
    if comparison.fits(answers[part].frame, answer, .inbound) { return true }
    diverge(
      Divergence(
        .different, exchange: index + 1, direction: .inbound, expected: answers[part].frame,
        actual: answer, at: now))
    return false
  }

  /// Takes the next exchange without a look at any command; for the side that sends it.
  public mutating func takeNext() -> Int? {
    position < script.entries.count ? take(position) : nil
  }

  /// Notes that an exchange has agreed in all its parts.
  public mutating func agree(_ index: Int) { agreed.append(index) }

  /// Notes a disagreement; only the first one counts.
  public mutating func diverge(_ found: Divergence) {
    if divergence == nil, !isForgiving { divergence = found }
  }

  /// Notes recorded exchanges that were never asked for, if there are any.
  public mutating func close(at now: VirtualInstant) {
    guard divergence == nil, !policy.contains(.allowLeftover) else { return }
    let count = leftoverCount
    guard count > 0, let first = isTaken.firstIndex(of: false) else { return }
    diverge(
      Divergence(
        .leftover, exchange: first + 1, direction: .outbound,
        expected: script.entries[first].command, actual: nil, at: now, leftoverCount: count))
  }

  private mutating func take(_ index: Int) -> Int {
    isTaken[index] = true
    position = index + 1
    if policy.contains(.anyOrder) {
      // In any order the next one is the first that is still to come.
      position = isTaken.firstIndex(of: false) ?? script.entries.count
    }
    return index
  }

  /// What the policies add to strict order, tried in a fixed order.
  private func loosely(_ command: RadioFrame) -> Int? {
    guard policy != .strict else { return nil }
    let entries = script.entries
    if policy.contains(.anyOrder) {
      let free = entries.indices.first {
        !isTaken[$0] && comparison.fits(entries[$0].command, command, .outbound)
      }
      if let free { return free }
    }
    if policy.contains(.repeats) {
      // In any order every exchange may come again, otherwise only the last one.
      let candidates = policy.contains(.anyOrder) ? 0..<entries.count : position - 1..<position
      let earlier = candidates.last {
        $0 >= 0 && isTaken[$0] && comparison.fits(entries[$0].command, command, .outbound)
      }
      if let earlier { return earlier }
    }
    if policy.contains(.restart), let first = entries.first,
      comparison.fits(first.command, command, .outbound)
    {
      return 0
    }
    return nil
  }
}
