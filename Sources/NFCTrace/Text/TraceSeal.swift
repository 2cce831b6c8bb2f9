/// The seal of a complete trace: how many events there are, and a hash over them.
///
/// The hash is 64-bit FNV-1a over the canonical line of each event, from the first digit of time
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

  /// Checks what stands behind `end` against the events that were read.
  ///
  /// - Returns: a warning if the trace was edited.
  func check(_ scanner: inout LineScanner) throws(TraceError) -> TraceWarning? {
    // A bare `end` is how a person closes a trace; `retap format` puts the seal behind it.
    if scanner.isAtEnd() { return nil }
    let events = scanner.word()
    let hash = scanner.word()
    guard events.starts(with: Array("events=".utf8)), hash.starts(with: Array("hash=".utf8)),
      let count = UInt64(events.dropFirst(7).text), hash.count == 21,
      let value = UInt64(hash.dropFirst(5).text, radix: 16), scanner.isAtEnd()
    else {
      throw scanner.fault(
        at: scanner.bytes, expected: "`end events=N hash=` and 16 hexadecimal digits",
        remedy: "remove the line and run `retap format`")
    }
    if count == UInt64(self.events), value == self.hash { return nil }
    let what =
      count == UInt64(self.events)
      ? "edited since recorded"
      : "edited since recorded: \(count) events then, \(self.events) now"
    return TraceWarning(at: scanner.place, what + "; `retap format` renews the seal")
  }
}
