import Glibc

/// A file that appears under its name only when it is complete: written beside, then renamed.
public struct OutputFile: ~Copyable {
  /// The path that the finished file will have.
  public let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private var isOpen = true

  /// Creates the hidden file beside `path`.
  public init(path: String) throws(HostError) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let name = parts.last.map(String.init) ?? path
    let prefix = parts.count > 1 ? folder + "/" : ""
    temporaryPath = "\(prefix).\(name).\(getpid()).partial"
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw .cannotWrite(path: path, reason: errnoText(errno)) }
  }

  /// Appends bytes.
  public mutating func write(_ bytes: [UInt8]) throws(HostError) {
    try writeAll(bytes, to: descriptor, path: path)
  }

  /// Makes the file durable and gives it its name, replacing an older file.
  public consuming func commit() throws(HostError) {
    isOpen = false
    let synced = fsync(descriptor)
    let reason = errno
    let closed = close(descriptor)
    if synced != 0 && reason != EINVAL || closed != 0 {
      unlink(temporaryPath)
      throw .cannotWrite(path: path, reason: errnoText(reason))
    }
    if rename(temporaryPath, path) != 0 {
      let reason = errno
      unlink(temporaryPath)
      throw .cannotWrite(path: path, reason: errnoText(reason))
    }
  }

  deinit {
    // Not committed: nothing half-written stays behind.
    if isOpen {
      close(descriptor)
      unlink(temporaryPath)
    }
  }
}

/// Writes all bytes to a descriptor, going on after interruptions and partial writes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(HostError) {
  var offset = 0
  while offset < bytes.count {
    let count = bytes.withUnsafeBytes { source in
      Glibc.write(
        descriptor, source.baseAddress.map { $0 + offset }, source.count - offset)
    }
    if count < 0 {
      if errno == EINTR { continue }
      if errno == EPIPE { throw .outputClosed }
      throw .cannotWrite(path: path, reason: errnoText(errno))
    }
    offset += count
  }
}
