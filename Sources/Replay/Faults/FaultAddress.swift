import NFCProtocols

extension ReplayScript {
  /// Why a fault rule cannot strike anything in this script, or `nil` if it can.
  public func misfit(of rule: FaultRule) -> FaultMisfit? {
    if let misfit = addressMisfit(of: rule) { return misfit }
    guard case .corrupt(let bit?) = rule.effect, let longest = longestFrame(for: rule) else {
      return nil
    }
    return bit >= longest ? .noSuchBit(count: longest) : nil
  }

  /// The bits of the longest recorded frame that a rule is for; `nil` where it is not known.
  private func longestFrame(for rule: FaultRule) -> Int? {
    // On a link a frame has a length that depends on its kind and comes after an ACK.
    guard layer != .chip else { return nil }
    var longest = 0
    for (index, entry) in entries.enumerated() {
      switch rule.exchanges {
      case .all: break
      case .numbers(let first, let last):
        guard index + 1 >= first, index + 1 <= last ?? Int.max else { continue }
      case .named(let name):
        guard commandName(index).uppercased() == name.uppercased() else { continue }
      }
      let frames = rule.side == .reader ? [entry.command] : entry.answers.map(\.frame)
      for frame in frames {
        longest = max(longest, frame.bitCount + (layer == .apdu ? Self.blockFrameBits : 0))
      }
    }
    return longest > 0 ? longest : nil
  }

  /// What a block adds to an APDU: PCB and CRC_A (ISO/IEC 14443-4, 7.1).
  private static let blockFrameBits = 24

  private func addressMisfit(of rule: FaultRule) -> FaultMisfit? {
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
  /// The longest frame that the rule is for has fewer bits.
  case noSuchBit(count: Int)
  /// No command has this name; the names that there are, in the order of their first use.
  case noSuchCommand(String, known: [String])
}
