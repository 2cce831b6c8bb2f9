public import HostIO
public import NFCProtocols
import Replay

/// A link to a reader in this process, on virtual time: waits cost nothing.
///
/// The clock is that of the reader and begins at zero. It passes only while somebody waits.
public struct ModelLink: HostLink, ~Copyable {
  /// The reader; cards may be put in front of it.
  public var reader: any VirtualReader
  /// The time on the clock of the reader.
  public private(set) var now = Nanoseconds.zero
  private let interruption: Interruption?
  /// When transfers to the reader complete, oldest first.
  private var completions: [Nanoseconds] = []
  private var events: [HostLinkEvent] = []
  private var taken = 0
  private var isGone = false

  /// Makes a link to a reader that has just got power.
  ///
  /// - Parameter interruption: What wakes whoever waits; looked at between events.
  public init(_ reader: any VirtualReader, interruption: Interruption? = nil) {
    self.reader = reader
    self.interruption = interruption
  }

  /// Begins to send one transfer; an empty one completes and carries nothing.
  public mutating func send(_ bytes: [UInt8]) throws(HostLinkError) {
    if isGone { throw .gone }
    let completion = bytes.isEmpty ? now : reader.host(bytes, at: VirtualInstant(now)).sinceStart
    completions.append(max(completion, completions.last ?? now))
  }

  /// Lets virtual time pass until the next event or the deadline.
  ///
  /// - Throws: `failed` if nothing is ever going to happen and no deadline is set: a real reader
  ///   would be waited for until the user ends it.
  public mutating func nextEvent(
    until deadline: Nanoseconds?
  ) throws(HostLinkError) -> HostLinkEvent? {
    while true {
      if let event = takeEvent() { return event }
      if isGone { throw .gone }
      if let interruption, interruption.take() {
        return HostLinkEvent(at: now, .interrupted)
      }
      let next = [completions.first, reader.nextInstant?.sinceStart].compactMap { $0 }.min()
      if let deadline, next.map({ $0 > deadline }) ?? true {
        pass(until: deadline)
        return nil
      }
      guard let next else {
        throw .failed(
          step: "wait for the modelled reader",
          reason: "nothing is going to happen there by itself and no time limit is set")
      }
      pass(until: next)
    }
  }

  private mutating func takeEvent() -> HostLinkEvent? {
    guard taken < events.count else { return nil }
    taken += 1
    let event = events[taken - 1]
    if taken == events.count {
      events.removeAll(keepingCapacity: true)
      taken = 0
    }
    return event
  }

  private mutating func pass(until instant: Nanoseconds) {
    now = max(now, instant)
    reader.advance(to: VirtualInstant(now))
    while let completion = completions.first, completion <= now {
      completions.removeFirst()
      events.append(HostLinkEvent(at: completion, .sent))
    }
    for delivery in reader.takeDeliveries() {
      switch delivery.kind {
      case .transfer:
        events.append(HostLinkEvent(at: delivery.at.sinceStart, .received(delivery.bytes)))
      case .stalled: events.append(HostLinkEvent(at: delivery.at.sinceStart, .stalled))
      case .unplugged: isGone = true
      }
    }
  }
}
