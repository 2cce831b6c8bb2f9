import CLinux
import Glibc
import HostIO
import NFCProtocols
import Replay

/// The state behind a virtual serial line: the two ends of a terminal pair, and the reader.
final class SerialServer: ReaderServer {
  var reader: PacedReader
  /// The path of the end that programs open.
  let path: String
  private var near: OpenDescriptor?
  /// Held open, so that nothing breaks between two programs.
  private var far: OpenDescriptor?
  private var timeline: Timeline
  private let start = MonotonicClock.now()
  private let observe: (@Sendable (LinkObservation) -> Void)?
  private var outgoing: [UInt8] = []
  private var incoming: [[UInt8]] = []
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  private var refusesOut = false

  /// The most bytes that are kept for a program that reads none; what comes then is lost, as on a
  /// line without flow control.
  static let maximumOutgoing = 65_536

  init(
    _ reader: PacedReader, timeline: Timeline, observe: (@Sendable (LinkObservation) -> Void)?
  ) throws(VirtualReaderError) {
    self.reader = reader
    self.timeline = timeline
    self.observe = observe
    let near = OpenDescriptor(posix_openpt(O_RDWR | O_NOCTTY))
    guard near.number >= 0, grantpt(near.number) == 0, unlockpt(near.number) == 0 else {
      throw systemFailure("make a terminal")
    }
    var name = [CChar](repeating: 0, count: 64)
    guard ptsname_r(near.number, &name, name.count) == 0 else {
      throw systemFailure("name a terminal")
    }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let far = OpenDescriptor(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC))
    guard far.number >= 0 else { throw systemFailure("open \(path)") }
    var settings = termios()
    guard tcgetattr(far.number, &settings) == 0 else { throw systemFailure("look at \(path)") }
    cfmakeraw(&settings)
    guard tcsetattr(far.number, TCSANOW, &settings) == 0 else {
      throw systemFailure("set \(path)")
    }
    setUp(near.number)
    (self.near, self.far) = (near, far)
  }

  private var elapsed: Nanoseconds { MonotonicClock.now() - start }

  func work() -> Nanoseconds? {
    var now = elapsed
    while let action = timeline.next(at: now) { perform(action) }
    if !refusesOut {
      for piece in incoming {
        observe?(LinkObservation(.outbound, piece, at: now))
        _ = reader.host(piece, at: now)
      }
      incoming.removeAll(keepingCapacity: true)
    }
    for delivery in reader.deliveries(at: now, isAwaited: true) { hand(over: delivery, at: now) }
    flush()
    now = elapsed
    return [timeline.nextInstant, reader.nextElapsed].compactMap { $0 }.min()
      .map { max(.zero, $0 - now) }
  }

  private func hand(over delivery: HostDelivery, at now: Nanoseconds) {
    switch delivery.kind {
    case .transfer:
      guard !delivery.bytes.isEmpty,
        outgoing.count + delivery.bytes.count <= SerialServer.maximumOutgoing
      else { return }
      observe?(LinkObservation(.inbound, delivery.bytes, at: now))
      outgoing += delivery.bytes
    // A serial line has no STALL.
    case .stalled: break
    case .unplugged: unplug()
    }
  }

  func perform(_ action: TimedAction.Action) {
    switch action {
    case .insert(let card): reader.insert(card, at: elapsed)
    case .removeCard: reader.removeCard(at: elapsed)
    case .unplug: unplug()
    case .refuseOut(let refuses): refusesOut = refuses
    // A terminal that was closed does not come back under its name.
    case .plug, .stall: break
    }
  }

  /// Both ends close: programs read the end of the line.
  private func unplug() {
    near = nil
    far = nil
    outgoing.removeAll()
    incoming.removeAll()
  }

  private func flush() {
    guard let near, !outgoing.isEmpty else { return }
    let count = outgoing.withUnsafeBytes { write(near.number, $0.baseAddress, $0.count) }
    if count > 0 { outgoing.removeFirst(count) }
  }

  func fill(_ polls: inout [pollfd]) {
    guard let near else { return }
    // While bytes are refused nothing is read, so that the line fills as a real one would.
    var events = refusesOut ? 0 : POLLIN
    if !outgoing.isEmpty { events |= POLLOUT }
    polls.append(pollfd(fd: near.number, events: Int16(events), revents: 0))
  }

  func take(_ polls: [pollfd]) {
    guard let near, polls.contains(where: { $0.fd == near.number && $0.revents != 0 }) else {
      return
    }
    let count = buffer.withUnsafeMutableBytes { read(near.number, $0.baseAddress, $0.count) }
    if count > 0 { incoming.append(Array(buffer[..<count])) }
  }
}
