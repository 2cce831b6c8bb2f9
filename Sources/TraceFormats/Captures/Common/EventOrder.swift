import NFCProtocols
import NFCTrace

/// Marks events that start before the one in front of them.
struct EventOrder {
  private var last: Nanoseconds?

  /// Sets `isOutOfOrder`, and lends an event without a time the start of the one before it.
  mutating func place(_ event: inout TraceEvent) {
    if event.isTimeUnknown {
      event.start = last ?? .zero
      return
    }
    if isBefore(event.start) { event.isOutOfOrder = true }
  }

  /// True if an event that starts now starts before the last one, whose place it takes.
  mutating func isBefore(_ start: Nanoseconds) -> Bool {
    defer { last = start }
    guard let last else { return false }
    return start < last
  }
}
