public import NFCProtocols

/// One stated perturbation of a simulated reader: what happens to the n-th transfer or frame.
public struct ReaderFault: Hashable, Sendable {
  /// Where it happens.
  public var place: Place
  /// To which transfers or frames of that place it happens, counted from 1.
  public var numbers: ClosedRange<Int>
  /// What happens.
  public var effect: Effect

  /// Makes a fault.
  public init(_ effect: Effect, _ place: Place, _ numbers: ClosedRange<Int>) {
    precondition(numbers.lowerBound >= 1, "transfers and frames are counted from 1")
    self.effect = effect
    self.place = place
    self.numbers = numbers
  }

  /// Makes a fault of one transfer or frame.
  public init(_ effect: Effect, _ place: Place, _ number: Int) {
    self.init(effect, place, number...number)
  }

  /// Where faults happen.
  public enum Place: UInt8, Hashable, Sendable, CaseIterable {
    /// An OUT transfer, host to chip.
    case toChip
    /// An IN transfer, chip to host.
    case toHost
    /// A frame of the side that owns the field.
    case fromReader
    /// A frame of the card, or of a chip that is one.
    case fromCard
  }

  /// What can happen.
  public enum Effect: Hashable, Sendable {
    /// It does not arrive.
    case drop
    /// It arrives twice.
    case duplicate
    /// It comes later by this much; later transfers of the same direction wait behind it.
    case late(Nanoseconds)
    /// One bit arrives inverted, counted from 0 as sent.
    case corrupt(bit: Int)
    /// Only the first bytes arrive.
    case truncate(count: Int)
    /// Other bytes arrive in its place (transfers only).
    case replace([UInt8])
    /// It arrives in two transfers, the first with this many bytes (transfers only).
    case split(at: Int)
    /// It is held back and arrives in one transfer with the next one (transfers to the host).
    case merge
    /// An empty transfer follows it (transfers to the host).
    case emptyTransferAfter
    /// Another transfer arrives in front of it (transfers only).
    case insert([UInt8])
    /// The status byte of the response has this value (transfers to the host).
    case status(UInt8)
    /// The endpoint stalls in its place (transfers to the host).
    case stall
    /// The reader is pulled out in its place (transfers only).
    case unplug
    /// The transfer's completion is reported later by this much (transfers to the chip).
    case completesLate(Nanoseconds)
    /// The card is taken away in its place.
    case removeCard
  }

  /// The most faults of one plan; the first subset is written by hand.
  public static let maximumPerPlan = 256
}

/// The faults of a simulated reader and which of them have struck.
public struct ReaderFaultPlan: Hashable, Sendable {
  /// The faults in their order; the first that fits a transfer or frame decides.
  public let faults: [ReaderFault]
  private var counts: [Int]
  private var strikes: [Int]

  /// No faults at all.
  public static let none = ReaderFaultPlan([])

  /// Makes a plan.
  public init(_ faults: [ReaderFault]) {
    precondition(
      faults.count <= ReaderFault.maximumPerPlan, "a plan has at most 256 faults")
    self.faults = faults
    counts = [Int](repeating: 0, count: ReaderFault.Place.allCases.count)
    strikes = [Int](repeating: 0, count: faults.count)
  }

  /// True if there are no faults.
  public var isEmpty: Bool { faults.isEmpty }

  /// The faults that have struck nothing so far.
  public var unused: [ReaderFault] {
    zip(faults, strikes).filter { $0.1 == 0 }.map(\.0)
  }

  /// Counts the next transfer or frame of a place; what happens to it, or `nil` for nothing.
  mutating func next(_ place: ReaderFault.Place) -> (number: Int, effect: ReaderFault.Effect)? {
    guard !faults.isEmpty else { return nil }
    counts[Int(place.rawValue)] += 1
    let number = counts[Int(place.rawValue)]
    for (index, fault) in faults.enumerated()
    where fault.place == place && fault.numbers.contains(number) {
      strikes[index] += 1
      return (number, fault.effect)
    }
    return nil
  }
}

extension ReaderFault.Place {
  /// The word that stands for the place in logs.
  var logName: StaticString {
    switch self {
    case .toChip: "to chip"
    case .toHost: "to host"
    case .fromReader: "from reader"
    case .fromCard: "from card"
    }
  }
}

extension ReaderFault.Effect {
  /// Appends the effect as it stands in logs.
  func append(to line: inout TextBuffer) {
    switch self {
    case .drop: line.append("drop")
    case .duplicate: line.append("duplicate")
    case .late(let delay): Self.append("late", delay.count, to: &line)
    case .corrupt(let bit): Self.append("corrupt", Int64(bit), to: &line)
    case .truncate(let count): Self.append("truncate", Int64(count), to: &line)
    case .replace: line.append("replace")
    case .split(let place): Self.append("split", Int64(place), to: &line)
    case .merge: line.append("merge")
    case .emptyTransferAfter: line.append("empty transfer after")
    case .insert: line.append("insert")
    case .status(let value): Self.append("status", Int64(value), to: &line)
    case .stall: line.append("stall")
    case .unplug: line.append("unplug")
    case .completesLate(let delay): Self.append("completes late", delay.count, to: &line)
    case .removeCard: line.append("remove card")
    }
  }

  private static func append(_ word: StaticString, _ number: Int64, to line: inout TextBuffer) {
    line.append(word)
    line.append(ascii: 0x20)
    line.append(decimal: number)
  }
}
