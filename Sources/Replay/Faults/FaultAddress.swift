extension ReplayScript {
  /// Why a fault rule cannot strike anything in this script, or `nil` if it can.
  public func misfit(of rule: FaultRule) -> FaultMisfit? {
    switch rule.exchanges {
    case .all: return nil
    case .numbers(let first, _):
      return first > entries.count ? .noSuchExchange(count: entries.count) : nil
    case .named(let name):
      let names = commandNames
      let wanted = name.uppercased()
      guard !names.contains(wanted) else { return nil }
      var known: [String] = []
      for name in names where !known.contains(name) { known.append(name) }
      return .noSuchCommand(wanted, known: known)
    }
  }
}

/// Why a fault rule fits nothing in a script.
public enum FaultMisfit: Hashable, Sendable {
  /// The script has fewer exchanges.
  case noSuchExchange(count: Int)
  /// No command has this name; the names that there are, in the order of their first use.
  case noSuchCommand(String, known: [String])
}
