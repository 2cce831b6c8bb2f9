import Glibc

/// A file that appears under its name only when it is complete: written beside, then renamed.
///
/// A symbolic link is followed: its target is replaced, not the link. Devices, pipes and sockets
/// have no name to be renamed to; they are written to directly.
public struct OutputFile: ~Copyable {
  /// The path as it was given.
  public let path: String
  /// The path that the finished file will have, behind all links; `nil` for devices and pipes.
  private let finalPath: String?
  private let temporaryPath: String
  private let descriptor: Int32
  private var isOpen = true

  /// Creates the hidden file beside `path`.
  public init(path: String) throws(HostError) {
    let opened = Self.open(path)
    if let failure = opened.failure { throw .cannotWrite(path: path, reason: errnoText(failure)) }
    self.path = path
    finalPath = opened.finalPath
    temporaryPath = opened.temporaryPath
    descriptor = opened.descriptor
  }

  private struct Opened {
    var finalPath: String?
    var temporaryPath = ""
    var descriptor: Int32 = -1
    var failure: Int32?
  }

  private static func open(_ path: String) -> Opened {
    if FileKind(path).isSpecial {
      let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      return Opened(descriptor: descriptor, failure: descriptor < 0 ? errno : nil)
    }
    let target = target(of: path)
    if Folder.exists(target) { return Opened(failure: EISDIR) }
    let parts = target.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.last.map(String.init) ?? target
    let prefix = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : ""
    let temporary = "\(prefix).\(name).\(getpid()).partial"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    return Opened(
      finalPath: target, temporaryPath: temporary, descriptor: descriptor,
      failure: descriptor < 0 ? errno : nil)
  }

  /// The end of the chain of links that begins at `path`, which need not exist.
  private static func target(of path: String) -> String {
    var path = path
    // As many links as Linux follows (path_resolution(7)).
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { return path }
      let link = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let prefix = folder.isEmpty ? "" : folder.joined(separator: "/") + "/"
      path = link.hasPrefix("/") ? link : prefix + link
    }
    return path
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
    guard let finalPath else { return }
    if synced != 0 && reason != EINVAL || closed != 0 {
      unlink(temporaryPath)
      throw .cannotWrite(path: path, reason: errnoText(reason))
    }
    if rename(temporaryPath, finalPath) != 0 {
      let reason = errno
      unlink(temporaryPath)
      throw .cannotWrite(path: path, reason: errnoText(reason))
    }
  }

  deinit {
    // Not committed: nothing half-written stays behind.
    if isOpen {
      close(descriptor)
      if finalPath != nil { unlink(temporaryPath) }
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
