import NFCProtocols
import Replay

/// How the virtual time of a reader goes along with the time of a program in front of it.
public enum ReaderPace: Hashable, Sendable {
  /// As fast as real time: what is due at a virtual instant reaches the program at that time.
  case realTime
  /// Waits of the reader are left out: virtual time jumps on while a program waits for data.
  ///
  /// Virtual time never goes slower than real time.
  case fast
}

/// A reader on its virtual time, set against a real clock that is given as elapsed time.
struct PacedReader {
  var reader: any VirtualReader
  let pace: ReaderPace
  /// How far virtual time is ahead of real time.
  private var skipped = Nanoseconds.zero
  /// Up to where waits may be left out.
  private var skipLimit = VirtualInstant.start

  /// The longest wait that is left out after a transfer of the host, 10 s: longer than the longest
  /// frame waiting time (4.9 s); a chip that polls for ever is not run faster than that.
  static let maximumSkip = Nanoseconds.seconds(10)

  init(_ reader: any VirtualReader, pace: ReaderPace) {
    self.reader = reader
    self.pace = pace
  }

  /// The virtual instant of an elapsed time.
  func instant(at elapsed: Nanoseconds) -> VirtualInstant { VirtualInstant(elapsed + skipped) }

  /// The elapsed time of a virtual instant.
  func elapsed(at instant: VirtualInstant) -> Nanoseconds { instant.sinceStart - skipped }

  /// Takes one OUT transfer.
  ///
  /// - Returns: The elapsed time at which it completes for the host.
  mutating func host(_ transfer: [UInt8], at elapsed: Nanoseconds) -> Nanoseconds {
    let now = instant(at: elapsed)
    skipLimit = now + PacedReader.maximumSkip
    let completion = reader.host(transfer, at: now)
    return pace == .fast ? elapsed : self.elapsed(at: completion)
  }

  /// What has reached the host at an elapsed time.
  ///
  /// - Parameter isAwaited: True if a program waits for data, so that a wait may be left out.
  mutating func deliveries(at elapsed: Nanoseconds, isAwaited: Bool) -> [HostDelivery] {
    reader.advance(to: instant(at: elapsed))
    var found = reader.takeDeliveries()
    guard pace == .fast, isAwaited else { return found }
    while found.isEmpty, let next = reader.nextInstant, next <= skipLimit {
      let ahead = next.sinceStart - elapsed
      if ahead > skipped { skipped = ahead }
      reader.advance(to: next)
      found = reader.takeDeliveries()
    }
    return found
  }

  /// Puts a card into the field.
  mutating func insert(_ card: any RadioEndpoint, at elapsed: Nanoseconds) {
    reader.insert(card, at: instant(at: elapsed))
  }

  /// Takes away what is in the field.
  mutating func removeCard(at elapsed: Nanoseconds) {
    reader.removeCard(at: instant(at: elapsed))
  }

  /// When something happens next, as elapsed time.
  var nextElapsed: Nanoseconds? { reader.nextInstant.map { elapsed(at: $0) } }
}
