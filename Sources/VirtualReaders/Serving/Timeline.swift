public import NFCProtocols

/// Something that happens to a virtual reader at a stated time.
public struct TimedAction {
  /// The time since the reader was set up.
  public var at: Nanoseconds
  /// What happens.
  public var action: Action

  /// Makes a timed action.
  public init(_ action: Action, at: Nanoseconds) {
    self.at = at
    self.action = action
  }

  /// What can happen.
  public enum Action {
    /// A card is put into the field, in place of what was there.
    case insert(any RadioEndpoint)
    /// What is in the field is taken away.
    case removeCard
    /// The reader is pulled out; without an announcement programs find out by themselves.
    case unplug(isAnnounced: Bool = true)
    /// The reader is plugged in again.
    case plug
    /// The IN endpoint answers STALL until the program clears it.
    case stall
    /// The reader takes no OUT transfers, or takes them again.
    case refuseOut(Bool)
  }
}

/// Actions in the order of their times.
struct Timeline {
  private var actions: [TimedAction]

  /// The most actions of one timeline; they are written by hand.
  static let maximumActions = 1_024

  init(_ actions: [TimedAction]) {
    precondition(actions.count <= Timeline.maximumActions, "a timeline has at most 1,024 actions")
    // Equal times keep their order: the standard library's sort is stable since Swift 5.
    self.actions = actions.sorted { $0.at < $1.at }
  }

  /// When the next action is due.
  var nextInstant: Nanoseconds? { actions.first?.at }

  /// Takes the next action that is due.
  mutating func next(at now: Nanoseconds) -> TimedAction.Action? {
    guard let first = actions.first, first.at <= now else { return nil }
    return actions.removeFirst().action
  }
}
