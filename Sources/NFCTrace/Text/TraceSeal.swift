/// The seal of a complete trace: how many events there are, and a hash over them.
///
/// The hash is 64-bit FNV-1a over the canonical line of each event, from the first digit of its time
/// to the last character in front of the comment, each followed by a line feed. Comments, blank
/// lines and the header are not covered.
public struct TraceSeal: Hashable, Sendable {
  /// The number of events so far.
  public private(set) var events = 0
  /// The hash so far.
  public private(set) var hash = TraceSeal.offsetBasis

  /// Offset basis of 64-bit FNV-1a (draft-eastlake-fnv, 5).
  static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
  /// Prime of 64-bit FNV-1a (draft-eastlake-fnv, 5).
  static let prime: UInt64 = 0x0000_0100_0000_01B3

  /// Makes the seal of no events.
  public init() {}

  /// Adds one event by its canonical line without comment and without line feed.
  mutating func add(line: ArraySlice<UInt8>) {
    var value = hash
    for byte in line { value = (value ^ UInt64(byte)) &* Self.prime }
    hash = (value ^ 0x0A) &* Self.prime
    events += 1
  }
}
