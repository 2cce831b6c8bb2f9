import Glibc

/// Wakes a thread that waits for descriptors: a pipe, with at most one byte in it that matters.
final class Bell: Sendable {
  /// Becomes readable when the bell rings.
  let descriptor: Int32
  private let far: Int32

  init() throws(VirtualReaderError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw systemFailure("make a pipe") }
    (descriptor, far) = (ends[0], ends[1])
    for end in ends { setUp(end) }
  }

  func ring() {
    var byte: UInt8 = 0
    _ = write(far, &byte, 1)
  }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }

  deinit {
    close(descriptor)
    close(far)
  }
}
