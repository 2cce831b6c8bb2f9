/// What is known of the memory of a card or of a file: bytes at addresses, with their places.
struct MemoryImage: Sendable {
  /// The known stretches in rising order, none touching another.
  private var stretches: [Stretch] = []

  private struct Stretch: Sendable {
    var address: Int
    var content: TracedBytes
    var end: Int { address + content.count }
  }

  /// The highest address in bytes that is kept: a file of 65,535 bytes behind its length, and more
  /// than any tag has.
  static let maximumLength = 1 << 17
  /// Most stretches that are kept apart, so that memory stays small.
  static let maximumStretches = 4_096

  init() {}

  var isEmpty: Bool { stretches.isEmpty }

  /// The known stretches, each to be looked at by itself.
  var views: [TracedBytes] { stretches.map(\.content) }

  mutating func removeAll() { stretches.removeAll() }

  /// True if the bytes do not contradict what is known, and there is room for them.
  func accepts(_ bytes: TracedBytes, at address: Int) -> Bool {
    guard address >= 0, address + bytes.count <= Self.maximumLength,
      stretches.count < Self.maximumStretches
    else { return false }
    for stretch in stretches {
      let low = max(stretch.address, address)
      let high = min(stretch.end, address + bytes.count)
      guard low < high else { continue }
      let known = stretch.content.bytes[(low - stretch.address)..<(high - stretch.address)]
      guard known.elementsEqual(bytes.bytes[(low - address)..<(high - address)]) else {
        return false
      }
    }
    return true
  }

  /// Takes bytes that `accepts` has found to fit.
  mutating func store(_ bytes: TracedBytes, at address: Int) {
    guard !bytes.isEmpty else { return }
    var new = Stretch(address: address, content: bytes)
    var others: [Stretch] = []
    for stretch in stretches {
      if stretch.end < new.address || stretch.address > new.end {
        others.append(stretch)
      } else {
        new = Self.join(stretch, new)
      }
    }
    let index = others.firstIndex { $0.address > new.address } ?? others.count
    others.insert(new, at: index)
    stretches = others
  }

  /// Two stretches that touch or overlap as one.
  private static func join(_ one: Stretch, _ other: Stretch) -> Stretch {
    var (first, second) = one.address <= other.address ? (one, other) : (other, one)
    let overlap = min(first.end - second.address, second.content.count)
    if overlap > 0 {
      first.content.addCopy(second.content[0..<overlap], at: second.address - first.address)
    }
    if overlap < second.content.count {
      first.content.append(second.content[overlap..<second.content.count])
    }
    return first
  }
}
