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
    if let last, event.start < last { event.isOutOfOrder = true }
    last = event.start
  }
}
