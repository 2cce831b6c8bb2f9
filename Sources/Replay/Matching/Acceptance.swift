import NFCProtocols

/// Finds by trying which mask or policy would have let a divergence pass.
struct Acceptance: Sendable {
  let script: ReplayScript
  let policy: MatchPolicy
  let masks: MaskSet

  /// The options that accept it, each as it is typed, the narrowest first; empty if none does.
  func options(for divergence: Divergence) -> [String] {
    switch divergence.kind {
    case .different, .unexpected:
      var found: [String] = []
      if let mask = mask(for: divergence) { found.append("--mask \(mask.text)") }
      if divergence.direction == .outbound { found += policies(for: divergence) }
      return found
    case .leftover: return ["--policy allow-leftover"]
    case .late: return ["--policy allow-late"]
    case .missing: return []
    }
  }

  private func mask(for divergence: Divergence) -> MaskSet? {
    guard let expected = divergence.expected, let actual = divergence.actual else { return nil }
    func accepts(_ tried: MaskSet) -> Bool {
      FrameComparison(layer: script.layer, masks: masks.union(tried))
        .fits(expected, actual, divergence.direction)
    }
    if let single = MaskSet.named.first(where: { accepts($0.mask) }) { return single.mask }
    var all = MaskSet.none
    for named in MaskSet.named { all.formUnion(named.mask) }
    guard accepts(all) else { return nil }
    // Take away what is not needed.
    for named in MaskSet.named where accepts(all.subtracting(named.mask)) {
      all.subtract(named.mask)
    }
    return all
  }

  private func policies(for divergence: Divergence) -> [String] {
    guard let actual = divergence.actual else { return [] }
    let comparison = FrameComparison(layer: script.layer, masks: masks)
    let position = divergence.exchange - 1
    func fits(_ index: Int) -> Bool {
      script.entries.indices.contains(index)
        && comparison.fits(script.entries[index].command, actual, .outbound)
    }
    var found: [String] = []
    if !policy.contains(.repeats), fits(position - 1) { found.append("--policy repeats") }
    if !policy.contains(.restart), fits(0) { found.append("--policy restart") }
    if !policy.contains(.anyOrder), position < script.entries.count,
      script.entries.indices.dropFirst(position + 1).contains(where: fits)
    {
      found.append("--policy any-order")
    }
    return found
  }
}
