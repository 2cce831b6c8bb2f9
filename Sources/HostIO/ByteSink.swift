import Glibc

/// Where a program's output goes: a descriptor through a buffer, or memory in tests.
public struct ByteSink: ~Copyable {
  /// How much is held back before it is written.
  public static let bufferLength = 65_536
  private let descriptor: Int32?
  private var buffer: [UInt8] = []
  private let isLineBuffered: Bool

  /// A sink to an open descriptor, which stays open afterwards.
  public init(descriptor: Int32, isLineBuffered: Bool = false) {
    self.descriptor = descriptor
    self.isLineBuffered = isLineBuffered
    buffer.reserveCapacity(Self.bufferLength + 4_096)
  }

  /// A sink that keeps everything in `content`.
  public init() {
    descriptor = nil
    isLineBuffered = false
  }

  /// What has been written and not yet sent; all of it for a sink in memory.
  public var content: [UInt8] { buffer }

  /// Appends bytes.
  public mutating func write(_ bytes: [UInt8]) throws(HostError) {
    buffer.append(contentsOf: bytes)
    if descriptor == nil { return }
    if isLineBuffered || buffer.count >= Self.bufferLength { try flush() }
  }

  /// Appends text.
  public mutating func write(_ text: String) throws(HostError) { try write(Array(text.utf8)) }

  /// Sends what is held back.
  public mutating func flush() throws(HostError) {
    guard let descriptor, !buffer.isEmpty else { return }
    let pending = buffer
    buffer.removeAll(keepingCapacity: true)
    try writeAll(
      pending, to: descriptor, path: descriptor == 1 ? "standard output" : "standard error")
  }
}
