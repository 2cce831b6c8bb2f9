import Glibc

/// The file behind a device node: programs poll it for POLLOUT, "a transfer can be reaped".
///
/// A FIFO with room for one byte: full means not ready. An ordinary file would always be ready, and
/// programs would spin.
struct NodeFIFO: ~Copyable {
  private let descriptor: Int32
  /// True while programs find the node ready.
  private(set) var isReady = true

  /// Sets the size of a pipe (fcntl(2)); its name is not in what Swift imports.
  private static let setPipeSize: Int32 = 1031
  /// The smallest pipe there is: one page, one slot.
  private static let smallestPipe: Int32 = 4_096

  /// Opens a FIFO that has been made.
  init(path: String) throws(VirtualReaderError) {
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemFailure("open \(path)") }
    guard fcntl(descriptor, Self.setPipeSize, Self.smallestPipe) >= 0 else {
      let failure = systemFailure("shrink \(path)")
      close(descriptor)
      throw failure
    }
    setReady(false)
  }

  mutating func setReady(_ ready: Bool) {
    guard ready != isReady else { return }
    isReady = ready
    var byte: UInt8 = 0
    if ready { _ = read(descriptor, &byte, 1) } else { _ = write(descriptor, &byte, 1) }
  }

  deinit { close(descriptor) }
}
