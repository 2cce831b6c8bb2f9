/// A point on the virtual clock of one run, counted from the start of the run.
public struct VirtualInstant: Hashable, Comparable, Sendable {
  /// The time since the start of the run.
  public var sinceStart: Nanoseconds

  /// Makes an instant from the time since the start of the run.
  public init(_ sinceStart: Nanoseconds) { self.sinceStart = sinceStart }

  /// The start of the run.
  public static let start = VirtualInstant(.zero)

  /// The earlier of two instants comes first.
  public static func < (left: VirtualInstant, right: VirtualInstant) -> Bool {
    left.sinceStart < right.sinceStart
  }

  /// The instant that lies `right` after `left`.
  public static func + (left: VirtualInstant, right: Nanoseconds) -> VirtualInstant {
    VirtualInstant(left.sinceStart + right)
  }

  /// The time from `right` to `left`.
  public static func - (left: VirtualInstant, right: VirtualInstant) -> Nanoseconds {
    left.sinceStart - right.sinceStart
  }
}
