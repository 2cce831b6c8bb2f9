public import NFCProtocols

/// How the frames of two traces differ, in bytes and in time.
///
/// Frames are aligned by who sent them and what they say. Times are compared as the time since the
/// frame aligned before, so that one late frame counts once and not for all that follow.
public struct TraceComparison: Sendable {
  /// What became of one frame, or of a pair of frames.
  public struct Entry: Hashable, Sendable {
    /// The kind.
    public var kind: Kind
    /// Index of the frame in the first trace.
    public var first: Int?
    /// Index of the frame in the second trace.
    public var second: Int?
    /// Time since the frame aligned before, where it differs by more than the tolerance.
    public var interval: TimePair?
    /// Length of the frame, where it differs by more than the tolerance.
    public var length: TimePair?

    /// True if the frames say the same within the tolerance of time.
    public var isSame: Bool { kind == .same && interval == nil && length == nil }
  }

  /// Kinds of entry.
  public enum Kind: String, Hashable, Sendable {
    /// Both traces have the frame.
    case same
    /// The frames have the same sender and place, and other bytes.
    case changed
    /// Only the first trace has the frame.
    case onlyFirst
    /// Only the second trace has the frame.
    case onlySecond
  }

  /// A time in both traces.
  public struct TimePair: Hashable, Sendable {
    /// In the first trace.
    public var first: Nanoseconds
    /// In the second trace.
    public var second: Nanoseconds

    /// How much longer it is in the second trace.
    public var difference: Nanoseconds {
      let (count, overflow) = second.count.subtractingReportingOverflow(first.count)
      if overflow { return Nanoseconds(second.count < 0 ? .min + 1 : .max) }
      return Nanoseconds(max(count, .min + 1))
    }
  }

  /// The frames of the first trace.
  public let firstFrames: [FrameRecord]
  /// The frames of the second trace.
  public let secondFrames: [FrameRecord]
  /// All frames of both, aligned, in order.
  public private(set) var entries: [Entry] = []
  /// True if no alignment has fewer differences; false for traces that differ in many frames.
  public let isShortest: Bool
  /// Pairs whose times were compared.
  public private(set) var timedPairs = 0
  private let tolerance: Nanoseconds?
  private var lastPair: (first: Int, second: Int)?

  /// Compares two traces.
  ///
  /// - Parameter tolerance: Differences of time up to it do not count; `nil` leaves times aside.
  public init(_ first: [FrameRecord], _ second: [FrameRecord], tolerance: Nanoseconds?) {
    firstFrames = first
    secondFrames = second
    self.tolerance = tolerance
    var numbers: [FrameRecord: Int] = [:]
    func number(_ frame: FrameRecord) -> Int {
      let key = FrameRecord(frame.sender, frame.bytes, mark: frame.mark)
      if let known = numbers[key] { return known }
      numbers[key] = numbers.count
      return numbers.count - 1
    }
    let firstNumbers = first.map(number)
    let secondNumbers = second.map(number)
    let alignment = SequenceAlignment(firstNumbers, secondNumbers)
    isShortest = alignment.isShortest
    append(alignment.steps)
  }

  /// True if both say the same within the tolerance.
  public var isSame: Bool { entries.allSatisfy(\.isSame) }

  /// The number of entries of a kind.
  public func count(_ kind: Kind) -> Int { entries.count { $0.kind == kind } }

  /// The number of entries whose times differ.
  public var timeDifferences: Int { entries.count { $0.interval != nil || $0.length != nil } }

  private mutating func append(_ steps: [SequenceAlignment.Step]) {
    var onlyFirst: [Int] = []
    var onlySecond: [Int] = []
    for step in steps {
      switch step {
      case .first(let index): onlyFirst.append(index)
      case .second(let index): onlySecond.append(index)
      case .both(let first, let second):
        appendGap(onlyFirst, onlySecond)
        onlyFirst.removeAll(keepingCapacity: true)
        onlySecond.removeAll(keepingCapacity: true)
        appendPair(.same, first, second)
      }
    }
    appendGap(onlyFirst, onlySecond)
  }

  /// Pairs frames of one sender between two places that agree; the others stand alone.
  private mutating func appendGap(_ onlyFirst: [Int], _ onlySecond: [Int]) {
    var rest = onlySecond[...]
    // Senders that `rest` has no frame of; without them long gaps would take quadratic time.
    var absent: [FrameSender] = []
    for first in onlyFirst {
      let sender = firstFrames[first].sender
      let match =
        absent.contains(sender)
        ? nil : rest.firstIndex { secondFrames[$0].sender == sender }
      guard let match else {
        if !absent.contains(sender) { absent.append(sender) }
        entries.append(Entry(kind: .onlyFirst, first: first))
        continue
      }
      for second in rest[..<match] { entries.append(Entry(kind: .onlySecond, second: second)) }
      appendPair(.changed, first, rest[match])
      rest = rest[(match + 1)...]
    }
    for second in rest { entries.append(Entry(kind: .onlySecond, second: second)) }
  }

  private mutating func appendPair(_ kind: Kind, _ first: Int, _ second: Int) {
    var entry = Entry(kind: kind, first: first, second: second)
    if let tolerance {
      let interval = self.interval(to: first, second)
      if interval != nil { timedPairs += 1 }
      entry.interval = interval.flatMap { Self.exceeds($0, tolerance) ? $0 : nil }
      // A changed frame may well take another time.
      if kind == .same {
        entry.length = length(first, second).flatMap { Self.exceeds($0, tolerance) ? $0 : nil }
      }
      lastPair = (first, second)
    }
    entries.append(entry)
  }

  private func interval(to first: Int, _ second: Int) -> TimePair? {
    guard let last = lastPair, let firstStart = firstFrames[first].start,
      let secondStart = secondFrames[second].start, let firstLast = firstFrames[last.first].start,
      let secondLast = secondFrames[last.second].start
    else { return nil }
    return TimePair(
      first: TimePair(first: firstLast, second: firstStart).difference,
      second: TimePair(first: secondLast, second: secondStart).difference)
  }

  private func length(_ first: Int, _ second: Int) -> TimePair? {
    let (left, right) = (firstFrames[first], secondFrames[second])
    guard let firstStart = left.start, let firstEnd = left.end, let secondStart = right.start,
      let secondEnd = right.end
    else { return nil }
    return TimePair(
      first: TimePair(first: firstStart, second: firstEnd).difference,
      second: TimePair(first: secondStart, second: secondEnd).difference)
  }

  private static func exceeds(_ pair: TimePair, _ tolerance: Nanoseconds) -> Bool {
    pair.difference.count.magnitude > tolerance.count.magnitude
  }
}
