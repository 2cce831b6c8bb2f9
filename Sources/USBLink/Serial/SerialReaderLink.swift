import Glibc
public import HostIO
public import NFCProtocols
public import PN53x

/// A link to a PN532 on a serial line (HSU), plain or behind a USB adapter.
public struct SerialReaderLink: HostLink, ~Copyable {
  /// The device file.
  public let path: String
  /// Most bytes taken in one piece; a line brings what has come, frames are cut from it later.
  public static let maximumPiece = 512
  /// How long the line may refuse all bytes before a write has failed.
  public static let sendLimit = Nanoseconds.seconds(1)

  private let line: SerialLine
  private var descriptors: [pollfd]
  private let interruption: Interruption?
  private var events: [HostLinkEvent] = []
  private var buffer = [UInt8](repeating: 0, count: Self.maximumPiece)
  private var hasGone = false

  /// Opens a line for this process alone.
  ///
  /// - Throws: `notFound`, `noPermission`, `busy` or `failed`.
  public init(
    path: String, speed: SerialBaudRate = .baud115200, interruption: Interruption? = nil
  ) throws(HostLinkError) {
    let line = try SerialLine(path: path, speed: speed)
    self.path = path
    self.interruption = interruption
    descriptors = [
      pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    self.line = line
  }

  /// The clock of the machine.
  public var now: Nanoseconds { MonotonicClock.now() }

  /// Changes the speed of this side; the chip changes its own after SetSerialBaudRate and an ACK.
  public mutating func set(_ speed: SerialBaudRate) throws(HostLinkError) { try line.set(speed) }

  /// Writes all bytes and waits until the last one has left the machine.
  public mutating func send(_ bytes: [UInt8]) throws(HostLinkError) {
    if hasGone { throw .gone }
    let began = MonotonicClock.now()
    let limit = began + Self.sendLimit
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { source in
        write(line.descriptor, source.baseAddress.map { $0 + offset }, source.count - offset)
      }
      if count > 0 {
        offset += count
      } else if count < 0, errno != EAGAIN, errno != EINTR {
        throw end(errno, "writing to \(path)")
      } else if limit <= MonotonicClock.now() {
        throw .timedOut(step: "writing \(bytes.count) bytes to \(path)", waited: Self.sendLimit)
      } else {
        waitForRoom(until: limit)
      }
    }
    // Without this the stamp would be that of a copy into the system's buffer.
    tcdrain(line.descriptor)
    events.append(HostLinkEvent(at: MonotonicClock.now(), began: began, .sent))
  }

  private func waitForRoom(until limit: Nanoseconds) {
    var room = [pollfd(fd: line.descriptor, events: Int16(POLLOUT), revents: 0)]
    _ = DescriptorWait.wait(for: &room, until: limit)
  }

  /// Waits for bytes, for the end of the line, or for an interruption.
  public mutating func nextEvent(
    until deadline: Nanoseconds?
  ) throws(HostLinkError) -> HostLinkEvent? {
    if !events.isEmpty { return events.removeFirst() }
    if hasGone { throw .gone }
    while DescriptorWait.wait(for: &descriptors, until: deadline) == .ready {
      if descriptors[0].revents != 0, let bytes = try takeBytes() {
        return HostLinkEvent(at: MonotonicClock.now(), .received(bytes))
      }
      if descriptors[1].revents != 0, interruption?.take() ?? false {
        return HostLinkEvent(at: MonotonicClock.now(), .interrupted)
      }
    }
    return nil
  }

  /// What has come in, or `nil` if it was a false alarm.
  private mutating func takeBytes() throws(HostLinkError) -> [UInt8]? {
    let count = buffer.withUnsafeMutableBytes { read(line.descriptor, $0.baseAddress, $0.count) }
    if count > 0 { return Array(buffer[..<count]) }
    if count == 0 { throw end(EIO, "reading from \(path)") }
    if errno == EAGAIN || errno == EINTR { return nil }
    throw end(errno, "reading from \(path)")
  }

  /// The other end was closed, or the adapter was pulled out.
  private mutating func end(_ number: Int32, _ step: String) -> HostLinkError {
    guard [EIO, ENXIO, ENODEV, EBADF].contains(number) else {
      return .failed(step: step, reason: errnoText(number))
    }
    hasGone = true
    return .gone
  }
}
